import { useLayoutEffect } from "react";
import { followTyping } from "./follow-typing.ts";
import { type KeyName, keyName } from "./keys.ts";
import type { KeyKind } from "./typing-burst.ts";

export interface Shortcut {
  readonly keys: readonly KeyName[];
  readonly label: string;
  /** Heading in the sheet. */
  readonly group: string;
  /** What its letters and signs do; `guarded` unless given. */
  readonly kind?: KeyKind;
  /** Its keys with Ctrl or Cmd also work while a text field has the focus. */
  readonly whileTyping?: boolean;
  readonly run: () => void;
}

/** What the page does with a sentence that is typed where no field has the focus. */
export interface TypingTarget {
  /** Whether text is selected: every letter then begins a comment on it. */
  readonly hasSelection: () => boolean;
  /** Starts a comment with the text typed so far and gives it the focus. */
  readonly startComment: (typed: string) => void;
  /** Closes the dialog that is open. */
  readonly closeDialog: () => void;
  /** Returns a function that undoes what the first letters of a sentence did: fields and dialogs opened, moves. */
  readonly remember: () => () => void;
  /** Returns whether the page's search field would find something; false where there is none. */
  readonly finds?: (search: string) => boolean;
}

/**
 * Runs the shortcuts while the caller is rendered, and starts a comment when a sentence is typed. Single keys rest
 * while the person types or a dialog is open.
 */
export function useShortcuts(shortcuts: readonly Shortcut[], target: TypingTarget): void {
  // Not a moment after what the keys act on is there to be seen.
  useLayoutEffect(() => {
    const find = (name: KeyName, isTyping: boolean) =>
      shortcuts.find(
        ({ keys, whileTyping }) =>
          keys.includes(name) && (!isTyping || (whileTyping === true && name.startsWith("Mod+"))),
      );
    const typing = followTyping({
      kindOf: (key) => {
        const shortcut = find(key, false);
        return shortcut && (shortcut.kind ?? "guarded");
      },
      run: (key) => find(key, false)?.run(),
      target,
    });
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const isTyping = isTextField(event.target);
      const dialog = openDialog();
      if (dialog) {
        if (isTyping) typing.keyInField(event);
        else typing.keyInDialog(event, dialog);
        return;
      }
      const name = keyName(event);
      if (isTyping) typing.keyInField(event);
      else if (typing.key(event, name, worksControl(name, event.target))) return;
      const shortcut = find(name, isTyping);
      if (!shortcut || worksControl(name, event.target)) return;
      event.preventDefault();
      shortcut.run();
    };
    document.addEventListener("keydown", onKeyDown);
    document.addEventListener("pointerdown", typing.runPending, { capture: true });
    return () => {
      typing.stop();
      document.removeEventListener("keydown", onKeyDown);
      document.removeEventListener("pointerdown", typing.runPending, { capture: true });
    };
  }, [shortcuts, target]);
}

/** Returns the dialog or menu that is open, the innermost one. */
function openDialog(): Element | undefined {
  return [...document.querySelectorAll("dialog[open], [popover]:popover-open")].at(-1);
}

/** True for a key that works the very control which has the focus: Enter on a button is nobody else's. */
function worksControl(name: KeyName, target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  if (name === "Enter") return target.matches("a[href], button, summary");
  if (name === "Space") return target.matches("button, summary, input");
  return name.startsWith("Arrow") && target.matches('input[type="radio"], [data-arrow-keys]');
}

function isTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable) return true;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

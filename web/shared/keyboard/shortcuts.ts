import { useLayoutEffect } from "react";
import { followTyping } from "./follow-typing.ts";
import { type KeyName, keyName } from "./keys.ts";
import type { KeyKind } from "./typing-burst.ts";

export interface Shortcut {
  readonly keys: readonly KeyName[];
  readonly label: string;
  /** Group heading in the sheet. */
  readonly group: string;
  /** The effect of the shortcut's keys without Ctrl or Cmd. Default: `guarded`. */
  readonly kind?: KeyKind;
  /** Whether the shortcut's keys with Ctrl or Cmd also work in a text field. */
  readonly whileTyping?: boolean;
  readonly run: () => void;
}

/** Handles a sentence that is typed without a focused field. */
export interface TypingTarget {
  /** Returns whether text is selected. If so, every typed character except a space starts a comment on it. */
  readonly hasSelection: () => boolean;
  /** Starts a comment with the text typed so far, and focuses the comment's field. */
  readonly startComment: (typed: string) => void;
  readonly closeDialog: () => void;
  /** Returns a function that reverts the effects of a sentence's first letters: opened fields and dialogs, moves. */
  readonly remember: () => () => void;
  /** Returns whether the page's file filter would match a file. Absent on pages without a file filter. */
  readonly finds?: (search: string) => boolean;
}

/**
 * Handles shortcuts while the component is mounted, and starts a comment when a sentence is typed. In text fields, only
 * shortcuts with `whileTyping` work; in dialogs and menus, none do.
 */
export function useShortcuts(shortcuts: readonly Shortcut[], target: TypingTarget): void {
  // A layout effect adds the listeners before the page is visible.
  useLayoutEffect(() => {
    const find = (name: KeyName, isTyping: boolean) =>
      shortcuts.find(
        ({ keys, whileTyping }) =>
          keys.includes(name) && (!isTyping || (whileTyping === true && name.startsWith("Mod+"))),
      );
    const typing = followTyping({
      getKind: (key) => {
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
    // `onKeyDown` ignores a key that a field handles, for example Ctrl+Enter, so this listener runs first.
    const onCommandInField = (event: KeyboardEvent) => {
      const isModified = (event.ctrlKey || event.metaKey) && !/^(?:Control|Meta)$/.test(event.key);
      const isCommand = event.key === "Enter" || event.key === "Escape" || isModified;
      if (!isCommand || event.isComposing || event.getModifierState("AltGraph")) return;
      if (isTextField(event.target)) typing.stop();
    };
    document.addEventListener("keydown", onCommandInField, { capture: true });
    document.addEventListener("keydown", onKeyDown);
    document.addEventListener("pointerdown", typing.runPending, { capture: true });
    return () => {
      typing.stop();
      document.removeEventListener("keydown", onCommandInField, { capture: true });
      document.removeEventListener("keydown", onKeyDown);
      document.removeEventListener("pointerdown", typing.runPending, { capture: true });
    };
  }, [shortcuts, target]);
}

/** Returns the innermost open dialog or menu. */
function openDialog(): Element | undefined {
  return [...document.querySelectorAll("dialog[open], [popover]:popover-open")].at(-1);
}

/** Returns whether the focused control handles the key itself, as a button does with Enter. */
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

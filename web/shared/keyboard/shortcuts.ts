import { useLayoutEffect } from "react";
import { type KeyName, keyName } from "./keys.ts";

export interface Shortcut {
  readonly keys: readonly KeyName[];
  readonly label: string;
  /** Heading in the sheet. */
  readonly group: string;
  /** Also while a text field has the focus. */
  readonly whileTyping?: boolean;
  readonly run: () => void;
}

/** Runs the shortcuts while the caller is rendered. Single keys rest while the person types or a dialog is open. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  // Not a moment after what the keys act on is there to be seen.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const typing = isTyping(event.target);
      if (document.querySelector("dialog[open], [popover]:popover-open")) return;
      const name = keyName(event);
      const shortcut = shortcuts.find(
        ({ keys, whileTyping }) => keys.includes(name) && (!typing || whileTyping),
      );
      if (!shortcut || worksControl(name, event.target)) return;
      event.preventDefault();
      shortcut.run();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [shortcuts]);
}

/** True for a key that works the very control which has the focus: Enter on a button is nobody else's. */
function worksControl(name: KeyName, target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  if (name === "Enter") return target.matches("a[href], button, summary");
  if (name === "Space") return target.matches("button, summary, input");
  return name.startsWith("Arrow") && target.matches('input[type="radio"], [data-arrow-keys]');
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable) return true;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

import { printedBy } from "./keys.ts";
import type { TypingTarget } from "./shortcuts.ts";
import { isInBurst, type KeyKind, NO_BURST, typeKey, typeKeyInField, WORD_GAP_MS } from "./typing-burst.ts";

interface TypingPorts {
  readonly getKind: (name: string) => KeyKind | undefined;
  readonly run: (name: string) => void;
  readonly target: TypingTarget;
}

interface FollowedTyping {
  /** Handles a key outside of fields and dialogs. Returns true if the caller must ignore the key. */
  key(event: KeyboardEvent, name: string, worksControl: boolean): boolean;
  /** Handles a key in a text field, which a command of the burst may have opened. */
  keyInField(event: KeyboardEvent): void;
  /** Handles a key in a dialog without a focused field. */
  keyInDialog(event: KeyboardEvent, dialog: Element): void;
  runPending(): void;
  /** Discards the typed text and the pending commands. */
  stop(): void;
}

/** Handles keys typed without a focused field and distinguishes commands from sentences. */
export function followTyping({ getKind, run, target }: TypingPorts): FollowedTyping {
  let burst = NO_BURST;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let restore: (() => void) | undefined;
  const stop = () => {
    clearTimeout(timer);
    burst = NO_BURST;
    restore = undefined;
  };
  const runPending = () => {
    const { pending } = burst;
    stop();
    for (const name of pending) run(name);
  };
  const startComment = (event: KeyboardEvent, typed: string) => {
    // Reverts the effects of the first letters, which were text, not commands.
    restore?.();
    stop();
    event.preventDefault();
    target.startComment(typed);
  };

  return {
    stop,
    runPending,
    key(event, name, worksControl) {
      const printed = printedBy(event);
      if (printed === undefined) return otherKey(event, name);
      if (target.hasSelection()) {
        if (printed === " ") return false;
        stop();
        startComment(event, printed);
        return true;
      }
      if (worksControl && !isInBurst(burst, event.timeStamp)) return false;
      return printedKey(event, name, printed);
    },
    keyInField(event) {
      const printed = printedBy(event);
      if (printed === undefined && MODIFIERS.has(event.key)) return;
      if (printed === undefined || burst.field === undefined) {
        stop();
        return;
      }
      const step = typeKeyInField(burst, printed, event.timeStamp, target.finds ?? (() => false));
      if (step.typed !== undefined) startComment(event, step.typed);
      else if (step.burst === NO_BURST) stop();
      else burst = step.burst;
    },
    keyInDialog(event, dialog) {
      const printed = printedBy(event);
      if (printed === undefined && MODIFIERS.has(event.key)) return;
      const isFirst = !isInBurst(burst, event.timeStamp);
      if (printed === undefined || event.repeat || (isFirst && printed === " ")) {
        stop();
        return;
      }
      if (isFirst) stop();
      const step = typeKey(burst, { printed, name: printed, kind: undefined }, event.timeStamp);
      if (step.typed === undefined) burst = step.burst;
      // The first letter of the sentence may have opened this dialog.
      else if (restore) startComment(event, step.typed);
      else typeInDialog(event, dialog, step.typed);
    },
  };

  function printedKey(event: KeyboardEvent, name: string, printed: string): boolean {
    const kind = getKind(name);
    if (event.repeat) {
      // Only movement repeats while a key is held.
      if (kind !== "move") event.preventDefault();
      return kind !== "move";
    }
    const step = typeKey(burst, { printed, name, kind }, event.timeStamp);
    clearTimeout(timer);
    burst = step.burst;
    if (kind) event.preventDefault();
    const isRunNow = step.run.at(-1) === name;
    for (const command of isRunNow ? step.run.slice(0, -1) : step.run) run(command);
    if (burst.text === printed) restore = target.remember();
    if (isRunNow) run(name);
    if (step.typed !== undefined) startComment(event, step.typed);
    else if (burst.pending.length > 0) timer = setTimeout(runPending, WORD_GAP_MS);
    return true;
  }

  /** Types into the dialog's field. Without a field, closes the dialog and starts a comment. */
  function typeInDialog(event: KeyboardEvent, dialog: Element, typed: string): void {
    const field = [...dialog.querySelectorAll<HTMLTextAreaElement | HTMLInputElement>(TEXT_FIELDS)].find(
      (each) => !each.disabled && !each.readOnly && each.checkVisibility(),
    );
    if (field) {
      stop();
      event.preventDefault();
      field.focus();
      field.setRangeText(typed, field.value.length, field.value.length, "end");
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      return;
    }
    target.closeDialog();
    if (dialog instanceof HTMLElement && dialog.matches(":popover-open")) dialog.hidePopover();
    // A dialog that stays open contains unsaved work, for example a drawing.
    if (!dialog.isConnected || !dialog.matches("[open], :popover-open")) startComment(event, typed);
  }

  function otherKey(event: KeyboardEvent, name: string): boolean {
    if (name === "Dead" || name === "Process") {
      // The character that is being composed goes into the comment that starts here.
      if (target.hasSelection()) target.startComment("");
      return true;
    }
    if (MODIFIERS.has(event.key)) return false;
    const isEditing = name === "Backspace" || name === "Delete" || name === "Enter";
    if (isEditing && isInBurst(burst, event.timeStamp) && !burst.isPlain) {
      stop();
      return true;
    }
    if (name === "Escape") stop();
    else runPending();
    return false;
  }
}

const TEXT_FIELDS = 'textarea, input:is([type="text"], [type="search"], :not([type]))';

const MODIFIERS: ReadonlySet<string> = new Set([
  "Shift",
  "Control",
  "Alt",
  "Meta",
  "AltGraph",
  "CapsLock",
  "Fn",
]);

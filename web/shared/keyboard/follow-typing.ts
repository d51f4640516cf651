import { printedBy } from "./keys.ts";
import type { TypingTarget } from "./shortcuts.ts";
import { isInBurst, type KeyKind, NO_BURST, typeKey, WORD_GAP_MS } from "./typing-burst.ts";

interface TypingPorts {
  readonly kindOf: (name: string) => KeyKind | undefined;
  readonly run: (name: string) => void;
  readonly target: TypingTarget;
}

interface FollowedTyping {
  /** Takes a key outside of fields and dialogs; true when nothing else may act on it. */
  key(event: KeyboardEvent, name: string, worksControl: boolean): boolean;
  /** Takes a key in a dialog where no field has the focus. */
  keyInDialog(event: KeyboardEvent): void;
  /** Runs the commands that wait. */
  runHeld(): void;
  /** Forgets what was typed, and the commands that wait. */
  stop(): void;
}

/** Follows the keys typed where no field has the focus, and tells commands from sentences. */
export function followTyping({ kindOf, run, target }: TypingPorts): FollowedTyping {
  let burst = NO_BURST;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    clearTimeout(timer);
    burst = NO_BURST;
  };
  const runHeld = () => {
    const { held } = burst;
    stop();
    for (const name of held) run(name);
  };
  const startComment = (event: KeyboardEvent, typed: string) => {
    stop();
    event.preventDefault();
    target.startComment(typed);
  };

  return {
    stop,
    runHeld,
    key(event, name, worksControl) {
      const printed = printedBy(event);
      if (printed === undefined) return otherKey(event, name);
      if (target.hasSelection()) {
        if (printed === " ") return false;
        startComment(event, printed);
        return true;
      }
      if (worksControl && !isInBurst(burst, event.timeStamp)) return false;
      return printedKey(event, name, printed);
    },
    keyInDialog(event) {
      const printed = printedBy(event);
      // The first letter of a sentence may be the one that opened this dialog.
      if (printed === undefined || !isInBurst(burst, event.timeStamp)) {
        stop();
        return;
      }
      const { typed } = typeKey(burst, { printed, name: printed, kind: undefined }, event.timeStamp);
      if (typed === undefined) return;
      target.closeDialog();
      startComment(event, typed);
    },
  };

  function printedKey(event: KeyboardEvent, name: string, printed: string): boolean {
    const kind = kindOf(name);
    if (event.repeat) {
      // A held key moves on and on; nothing else of it is meant to happen again.
      if (kind !== "move") event.preventDefault();
      return kind !== "move";
    }
    const step = typeKey(burst, { printed, name, kind }, event.timeStamp);
    clearTimeout(timer);
    burst = step.burst;
    if (kind) event.preventDefault();
    for (const command of step.run) run(command);
    if (step.typed !== undefined) startComment(event, step.typed);
    else if (burst.held.length > 0) timer = setTimeout(runHeld, WORD_GAP_MS);
    return true;
  }

  function otherKey(event: KeyboardEvent, name: string): boolean {
    if (name === "Dead" || name === "Process") {
      // What a dead key or an input method composes goes into the comment that is started here.
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
    else runHeld();
    return false;
  }
}

const MODIFIERS: ReadonlySet<string> = new Set([
  "Shift",
  "Control",
  "Alt",
  "Meta",
  "AltGraph",
  "CapsLock",
  "Fn",
]);

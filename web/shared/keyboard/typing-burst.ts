/**
 * What a single key does where no field has the focus.
 * `move`: goes somewhere. `write`: opens a field that takes what is typed next. `dialog`: opens a dialog.
 * `guarded`: changes something, so it waits until it is certain that no sentence is being typed.
 */
export type KeyKind = "move" | "write" | "dialog" | "guarded";

/** Keys typed in quick succession, and the commands among them that wait. */
export interface TypingBurst {
  /** What was typed, from the first key on. */
  readonly text: string;
  /** Commands that wait: the same key, once or several times. */
  readonly held: readonly string[];
  /** Whether every key so far was a command that runs at once. */
  readonly isPlain: boolean;
  /** When the last key went down, in milliseconds. */
  readonly at: number;
}

/** What comes of a key. */
export interface BurstStep {
  readonly burst: TypingBurst;
  /** Commands to run now, in order. */
  readonly run: readonly string[];
  /** A sentence is being typed: everything typed since the burst began. */
  readonly typed?: string;
}

/** Milliseconds within which the next letter makes two keys a word. */
export const WORD_GAP_MS = 350;

export const NO_BURST: TypingBurst = { text: "", held: [], isPlain: true, at: Number.NEGATIVE_INFINITY };

/** Returns whether a key belongs to the burst before it. */
export function isInBurst(burst: TypingBurst, at: number): boolean {
  return burst.text !== "" && at - burst.at <= WORD_GAP_MS;
}

/** A key that types a character. */
export interface TypedKey {
  /** The character. */
  readonly printed: string;
  /** The name its command has, as `keyName` gives it. */
  readonly name: string;
  /** What its command does; undefined without one. */
  readonly kind: KeyKind | undefined;
}

/**
 * Takes a key. A sentence is recognized when a letter or a space follows a waiting command, a key without a command, or
 * a letter that opened a dialog. Pure.
 */
export function typeKey(before: TypingBurst, key: TypedKey, at: number): BurstStep {
  const burst = isInBurst(before, at) ? before : NO_BURST;
  const overdue = burst === NO_BURST ? before.held : [];
  const { printed, kind, name } = key;
  if (isSentence(burst, key)) return { burst: NO_BURST, run: overdue, typed: burst.text + printed };
  // What follows a waiting command without making a word of it begins a new burst.
  const text = burst.held.length > 0 && burst.held[0] !== name ? printed : burst.text + printed;
  if (kind === "guarded") {
    const isRepeated = burst.held[0] === name;
    const run = isRepeated ? overdue : [...overdue, ...burst.held];
    const held = isRepeated ? [...burst.held, name] : [name];
    return { burst: { text, held, isPlain: false, at }, run };
  }
  const isPlain = (burst.isPlain || text === printed) && kind !== undefined && kind !== "dialog";
  const run = [...overdue, ...burst.held, ...(kind ? [name] : [])];
  return { burst: { text, held: [], isPlain, at }, run };
}

function isSentence(burst: TypingBurst, { printed, name, kind }: TypedKey): boolean {
  if (burst.text === "" || !/[\p{L}\p{M}\s]/u.test(printed)) return false;
  if (burst.held.length > 0) {
    // No English word has a `j` in second place, and moving on is what follows a command most often.
    return printed !== "j" && burst.held[0] !== name;
  }
  if (!burst.isPlain || kind === undefined) return true;
  if (/^[jk]+$/i.test(burst.text)) return false;
  return /\p{L}$/u.test(burst.text) && (kind === "dialog" || /\s/.test(printed));
}

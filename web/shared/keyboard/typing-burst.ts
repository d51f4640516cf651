/**
 * The effect of a single key without a focused field. `move`: moves the cursor. `write`: opens a text field.
 * `search`: opens the file filter. `dialog`: opens a dialog. `guarded`: changes something, so it waits until no
 * sentence is being typed.
 */
export type KeyKind = "move" | "write" | "search" | "dialog" | "guarded";

/** Keys typed in quick succession, and the pending commands among them. */
export interface TypingBurst {
  /** The typed text since the first key. */
  readonly text: string;
  /** Pending commands: the same key, once or several times. */
  readonly pending: readonly string[];
  /** Whether every key so far was a command that runs immediately and opens no dialog. */
  readonly isPlain: boolean;
  /** When the last key went down, in milliseconds. */
  readonly at: number;
  /** The kind of field that the last command opened, which receives the following keys. */
  readonly field?: "write" | "search" | undefined;
  /** The text typed into the file filter. */
  readonly search?: string;
}

/** The result of handling a key. */
export interface BurstStep {
  readonly burst: TypingBurst;
  /** Commands to run now, in order. */
  readonly run: readonly string[];
  /** The text of the whole burst, if it is a sentence. */
  readonly typed?: string;
}

/** Maximum milliseconds between two keys of a word. */
export const WORD_GAP_MS = 350;

export const NO_BURST: TypingBurst = { text: "", pending: [], isPlain: true, at: Number.NEGATIVE_INFINITY };

/** Returns whether a key belongs to the burst before it. */
export function isInBurst(burst: TypingBurst, at: number): boolean {
  return burst.text !== "" && at - burst.at <= WORD_GAP_MS;
}

/** A key that types a character. */
export interface TypedKey {
  /** The character that the key types. */
  readonly printed: string;
  /** The name of the key's command, as returned by `keyName`. */
  readonly name: string;
  /** The kind of the key's command; undefined if the key has no command. */
  readonly kind: KeyKind | undefined;
}

/**
 * Adds a key to a burst. Detects a sentence, for example when a letter follows another pending command, a key without a
 * command, or a letter that opened a dialog. Pure.
 */
export function typeKey(before: TypingBurst, key: TypedKey, at: number): BurstStep {
  const burst = isInBurst(before, at) ? before : NO_BURST;
  const overdue = burst === NO_BURST ? before.pending : [];
  const { printed, kind, name } = key;
  if (isSentence(burst, key)) return { burst: NO_BURST, run: overdue, typed: burst.text + printed };
  // After a pending command, a key that does not continue a word starts a new burst.
  const text = burst.pending.length > 0 && burst.pending[0] !== name ? printed : burst.text + printed;
  if (kind === "guarded") {
    const isRepeated = burst.pending[0] === name;
    const run = isRepeated ? overdue : [...overdue, ...burst.pending];
    const pending = isRepeated ? [...burst.pending, name] : [name];
    return { burst: { text, pending, isPlain: false, at }, run };
  }
  const isPlain = (burst.isPlain || text === printed) && kind !== undefined && kind !== "dialog";
  const run = [...overdue, ...burst.pending, ...(kind ? [name] : [])];
  const field = kind === "search" ? kind : kind === "write" || kind === "dialog" ? "write" : undefined;
  return { burst: { text, pending: [], isPlain, at, field }, run };
}

/**
 * Handles a key in the field that a command of the burst has just opened. Detects a sentence when the key continues a
 * word (`c`, `a`), or when several words in the file filter match nothing. A capital letter is the start of the
 * comment. Pure.
 */
export function typeKeyInField(
  burst: TypingBurst,
  printed: string,
  at: number,
  finds: (search: string) => boolean,
): Pick<BurstStep, "burst" | "typed"> {
  const stopped = { burst: NO_BURST };
  if (burst.field === undefined || !WORD_START.test(burst.text)) return stopped;
  const text = burst.text + printed;
  if (burst.field === "write") {
    const isWord = isInBurst(burst, at) && CONTINUES_WORD.test(printed);
    return isWord ? { burst: NO_BURST, typed: text } : stopped;
  }
  const search = burst.search ?? "";
  if (search === "" && !(isInBurst(burst, at) && CONTINUES_WORD.test(printed))) return stopped;
  const next = search + printed;
  if (/\s/.test(next) && !finds(next)) return { burst: NO_BURST, typed: text };
  return { burst: { ...burst, text, search: next, at } };
}

/** Matches a letter at the start, except in pairs that rarely begin a word: `jj`, `kc`, `j/`. */
const WORD_START = /^(?!(\p{L})\1|[jkn]c|[jk]\/)\p{L}/iu;
/** Matches a character in or after a word. Capital letters are excluded, because they start a comment. */
const CONTINUES_WORD = /[\p{Ll}\p{Lo}\p{M}\p{Nd}\s'’+#/&.,:;!?_-]/u;

function isSentence(burst: TypingBurst, { printed, name, kind }: TypedKey): boolean {
  if (burst.text === "" || !/[\p{L}\p{M}\s]/u.test(printed)) return false;
  if (burst.pending.length > 0) {
    // Few English words have `j` as their second letter, and `j` is the most frequent key after a command.
    return printed !== "j" && burst.pending[0] !== name;
  }
  if (!burst.isPlain || kind === undefined) return true;
  if (/^[jk]+$/i.test(burst.text)) return false;
  return /\p{L}$/u.test(burst.text) && (kind === "dialog" || /\s/.test(printed));
}

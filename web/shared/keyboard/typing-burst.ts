/**
 * What a single key does where no field has the focus.
 * `move`: goes somewhere. `write`: opens a field for text. `search`: opens a field that filters files. `dialog`: opens a
 * dialog.
 * `guarded`: changes something, so it waits until it is certain that no sentence is being typed.
 */
export type KeyKind = "move" | "write" | "search" | "dialog" | "guarded";

/** Keys typed in quick succession, and the commands among them that wait. */
export interface TypingBurst {
  /** What was typed, from the first key on. */
  readonly text: string;
  /** Commands that wait: the same key, once or several times. */
  readonly pending: readonly string[];
  /** Whether every key so far was a command that runs at once. */
  readonly isPlain: boolean;
  /** When the last key went down, in milliseconds. */
  readonly at: number;
  /** The field that the last command opened, in a dialog or not, which takes the keys that follow. */
  readonly field?: "write" | "search" | undefined;
  /** What was typed into the field that searches. */
  readonly search?: string;
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

export const NO_BURST: TypingBurst = { text: "", pending: [], isPlain: true, at: Number.NEGATIVE_INFINITY };

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
  const overdue = burst === NO_BURST ? before.pending : [];
  const { printed, kind, name } = key;
  if (isSentence(burst, key)) return { burst: NO_BURST, run: overdue, typed: burst.text + printed };
  // What follows a waiting command without making a word of it begins a new burst.
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
 * Takes a key that goes into the field which a command of the burst has just opened. The commands were the start of a
 * sentence where the next key continues a word: `c`, `a`. A capital letter starts a comment, and several words in a
 * search that finds nothing are a sentence. Pure.
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

/** A letter, but not two keys that no word starts with: `jj`, `kc`, `j/`. */
const WORD_START = /^(?!(\p{L})\1|[jkn]c|[jk]\/)\p{L}/iu;
/** Capital letters start a comment; everything else that stands in a word, or after one, continues it. */
const CONTINUES_WORD = /[\p{Ll}\p{Lo}\p{M}\p{Nd}\s'’+#/&.,:;!?_-]/u;

function isSentence(burst: TypingBurst, { printed, name, kind }: TypedKey): boolean {
  if (burst.text === "" || !/[\p{L}\p{M}\s]/u.test(printed)) return false;
  if (burst.pending.length > 0) {
    // No English word has a `j` in second place, and moving on is what follows a command most often.
    return printed !== "j" && burst.pending[0] !== name;
  }
  if (!burst.isPlain || kind === undefined) return true;
  if (/^[jk]+$/i.test(burst.text)) return false;
  return /\p{L}$/u.test(burst.text) && (kind === "dialog" || /\s/.test(printed));
}

/**
 * A range of text that a reader cannot see but an agent reads: a direction override ("Trojan Source",
 * CVE-2021-42574), a zero-width, tag or control character, whitespace that pushes text out of sight, or an HTML
 * comment.
 */
export interface Deception {
  readonly start: number;
  readonly end: number;
  /** The text to draw instead. */
  readonly shown: string;
  readonly meaning: string;
}

const CHARACTERS =
  /[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]|[\u200b-\u200d\u2060-\u2064\u206a-\u206f\ufeff\u00ad\u180e\u115f\u1160\u3164\uffa0\u2800]|\u034f|\u17b4|\u17b5|[\u{e0000}-\u{e01ef}]|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb]/gu;
const BLANKS = /(?<=\S)[ \t\u00a0]{40,}(?=\S)/g;

/**
 * How to search for HTML comments: not at all (in code, where comments are visible), or in text that begins outside
 * or inside a comment.
 */
export type CommentSearch = "none" | "outside" | "inside";

const COMMENTS: Readonly<Record<CommentSearch, RegExp>> = {
  none: /(?!)/g,
  outside: /<!--.*?(?:-->|$)/gs,
  inside: /^.*?(?:-->|$)|<!--.*?(?:-->|$)/gs,
};

/** Returns all deceptive ranges, in order, without overlaps. */
export function findDeceptions(text: string, comments: CommentSearch = "outside"): Deception[] {
  const found: Deception[] = [];
  for (const match of text.matchAll(CHARACTERS)) {
    if (!isOrdinaryJoiner(text, match.index, match[0])) found.push(character(match[0], match.index));
  }
  for (const { 0: blanks, index } of text.matchAll(BLANKS)) {
    const shown = `␣ × ${blanks.length}`;
    found.push({
      start: index,
      end: index + blanks.length,
      shown,
      meaning: "blanks that push text out of sight",
    });
  }
  return withComments(inOrder(found), [...text.matchAll(COMMENTS[comments])]);
}

/** Adds each comment as one range, unless it contains other ranges, which are more specific. */
function withComments(others: readonly Deception[], comments: readonly RegExpExecArray[]): Deception[] {
  const meaning = "an HTML comment: hidden elsewhere, but the agent reads it";
  const found: Deception[] = [];
  let next = 0;
  for (const { 0: comment, index } of comments) {
    const end = index + comment.length;
    while ((others[next]?.start ?? Number.POSITIVE_INFINITY) < index) next += 1;
    const holdsOther = (others[next]?.start ?? Number.POSITIVE_INFINITY) < end;
    if (!holdsOther) found.push({ start: index, end, shown: comment, meaning });
  }
  return inOrder([...others, ...found]);
}

function inOrder(found: Deception[]): Deception[] {
  return found.sort((a, b) => a.start - b.start);
}

/** Returns a name or other short text with hidden characters written out: `a[U+202E]b`. */
export function withDeceptionsShown(text: string): string {
  let shown = "";
  let at = 0;
  for (const { start, end, shown: name } of findDeceptions(text, "none")) {
    shown += `${text.slice(at, start)}[${name}]`;
    at = end;
  }
  return shown + text.slice(at);
}

/** Reports whether a joiner is legitimate: inside an emoji or between letters of a script that needs it. */
function isOrdinaryJoiner(text: string, index: number, found: string): boolean {
  if (found !== "\u200d" && found !== "\u200c") return false;
  const before = [...text.slice(Math.max(0, index - 3), index)].at(-1) ?? "";
  const after = [...text.slice(index + 1, index + 3)][0] ?? "";
  if (found === "\u200d" && EMOJI.test(after) && (EMOJI.test(before) || before === "\ufe0f")) return true;
  return JOINING.test(before) && JOINING.test(after);
}

const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}|\p{Emoji_Modifier}/u;
const JOINING =
  /\p{Script=Arabic}|\p{Script=Devanagari}|\p{Script=Bengali}|\p{Script=Malayalam}|\p{Script=Sinhala}|\p{Script=Tamil}|\p{Script=Telugu}|\p{Script=Kannada}|\p{Script=Gujarati}|\p{Script=Khmer}/u;

function character(found: string, index: number): Deception {
  const point = found.codePointAt(0) ?? 0;
  const shown = `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
  return { start: index, end: index + found.length, shown, meaning: getMeaning(point) };
}

function getMeaning(point: number): string {
  const bidi = [0x061c, 0x200e, 0x200f].includes(point);
  if (bidi || (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069)) {
    return "changes the direction of the text around it";
  }
  if (point >= 0xe0000) return "an invisible tag character";
  if (point < 0xa0 || point === 0x2028 || point === 0x2029) return "a control character";
  return "an invisible character";
}

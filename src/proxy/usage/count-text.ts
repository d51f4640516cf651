/**
 * Average tokens of each kind of piece, for an estimate without a vocabulary. A text is split where tokenizers split
 * it: at words, case changes, digits, punctuation and line endings. The weights were fitted to o200k_base with prose in
 * fourteen languages, source code, JSON and logs. For nine texts in ten, the estimate is within 8 %.
 */
const WEIGHT = {
  /** Words of up to 4 letters, of up to 8, longer ones, and each letter beyond the eighth. */
  short: 1.043,
  middle: 0.834,
  long: 0.619,
  longer: 0.398,
  /** Added for a word directly after another word or a number, as in `camelCase` or `a1b2`. */
  glued: 0.209,
  /** Each group of up to three digits. */
  digits: 1.323,
  punctuation: 0.805,
  morePunctuation: 0.198,
  lineEnd: 1.036,
  spaces: 2,
  han: 0.69,
  kana: 0.807,
  hangul: 0.83,
  /** Words in other alphabets: each word, and each letter. */
  foreignWord: 0.119,
  foreignLetter: 0.326,
  other: 0.704,
} as const;

const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const SPACE = 4;
const LINE_END = 5;
const PUNCTUATION = 6;
const HAN = 7;
const KANA = 8;
const HANGUL = 9;
const FOREIGN = 10;
const OTHER = 11;

const KINDS = new Uint8Array(65_536).fill(OTHER);
KINDS.fill(PUNCTUATION, 0, 128);
KINDS.fill(LOWER, 0x61, 0x7b);
KINDS.fill(UPPER, 0x41, 0x5b);
KINDS.fill(DIGIT, 0x30, 0x3a);
KINDS.fill(SPACE, 0x20, 0x21);
for (const code of [0x09, 0x0a, 0x0d]) KINDS[code] = LINE_END;
KINDS.fill(FOREIGN, 0xc0, 0x700);
KINDS.fill(FOREIGN, 0x900, 0xe00);
KINDS.fill(FOREIGN, 0x1e00, 0x2000);
KINDS.fill(KANA, 0x3040, 0x3100);
KINDS.fill(HAN, 0x3400, 0x4dc0);
KINDS.fill(HAN, 0x4e00, 0xa000);
KINDS.fill(HANGUL, 0xac00, 0xd7b0);

/** Estimates the tokens of a text; the result is not rounded. */
export function countText(text: string): number {
  let tokens = 0;
  let previous = 0;
  for (let at = 0; at < text.length; ) {
    const kind = kindAt(text, at);
    const end = findPieceEnd(text, at, kind);
    tokens += countPieceTokens(text, kind, at, end, previous);
    previous = kind;
    at = end;
  }
  return tokens;
}

function kindAt(text: string, at: number): number {
  return KINDS[text.charCodeAt(at)] ?? OTHER;
}

/**
 * Returns the end of the piece that starts at `from`. A piece is a run of characters of one kind, except that a capital
 * letter belongs to the word after it, spaces belong to an adjacent line ending, and each UTF-16 code unit of the kind
 * `OTHER` is a piece.
 */
function findPieceEnd(text: string, from: number, kind: number): number {
  let end = from + 1;
  if (kind === OTHER) return end;
  if (kind === SPACE || kind === LINE_END) {
    while (end < text.length && (kindAt(text, end) === SPACE || kindAt(text, end) === LINE_END)) end += 1;
    return end;
  }
  while (end < text.length && kindAt(text, end) === kind) end += 1;
  if (kind !== UPPER || end >= text.length || kindAt(text, end) !== LOWER) return end;
  if (end - from > 1) return end - 1;
  while (end < text.length && kindAt(text, end) === LOWER) end += 1;
  return end;
}

function countPieceTokens(text: string, kind: number, from: number, end: number, previous: number): number {
  const length = end - from;
  switch (kind) {
    case LOWER:
    case UPPER:
      return countWordTokens(length) + (previous > 0 && previous <= DIGIT ? WEIGHT.glued : 0);
    case DIGIT:
      return WEIGHT.digits * Math.ceil(length / 3);
    case SPACE:
    case LINE_END:
      if (kind === LINE_END || hasLineEnd(text, from, end)) return WEIGHT.lineEnd;
      return length > 1 ? WEIGHT.spaces : 0;
    case PUNCTUATION:
      return WEIGHT.punctuation + WEIGHT.morePunctuation * (length - 1);
    case HAN:
      return WEIGHT.han * length;
    case KANA:
      return WEIGHT.kana * length;
    case HANGUL:
      return WEIGHT.hangul * length;
    case FOREIGN:
      return WEIGHT.foreignWord + WEIGHT.foreignLetter * length;
    default:
      return WEIGHT.other;
  }
}

function countWordTokens(length: number): number {
  if (length <= 4) return WEIGHT.short;
  return length <= 8 ? WEIGHT.middle : WEIGHT.long + WEIGHT.longer * (length - 8);
}

function hasLineEnd(text: string, from: number, end: number): boolean {
  for (let at = from; at < end; at += 1) if (kindAt(text, at) === LINE_END) return true;
  return false;
}

/**
 * Looks into a JSON body without parsing it: the top-level `model` and `stream`, and where `model` stands. A
 * 180 kB turn is skimmed in a tenth of the time `JSON.parse` takes, nothing is built, and the bytes stay as they are.
 */
export interface ScannedBody {
  /** The last `model`, as JSON.parse would have it. */
  readonly model: string | undefined;
  readonly stream: boolean;
  /** Every string value of `model`, quotes included. */
  readonly modelRanges: readonly Range[];
}

interface Range {
  readonly start: number;
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** Bytes that may stand outside strings: space, structure, numbers, true, false, null. */
const OUTSIDE = new Uint8Array(256);
for (const character of ' \t\r\n{}[],:"0123456789+-.eEtrufalsn') OUTSIDE[character.charCodeAt(0)] = 1;

/** Undefined where the bytes are no JSON object. Mistakes deep inside are left to the upstream to find. */
export function scanBody(bytes: Buffer): ScannedBody | undefined {
  let at = skipSpace(bytes, startOf(bytes));
  if (bytes[at] !== OPEN_OBJECT) return undefined;
  const modelRanges: Range[] = [];
  let stream = false;
  at = skipSpace(bytes, at + 1);
  if (bytes[at] === CLOSE_OBJECT)
    return isBlank(bytes, at + 1) ? { model: undefined, stream, modelRanges } : undefined;
  for (;;) {
    const keyEnd = bytes[at] === QUOTE ? endOfString(bytes, at) : -1;
    if (keyEnd < 0) return undefined;
    const keyStart = at;
    at = skipSpace(bytes, keyEnd);
    if (bytes[at] !== COLON) return undefined;
    at = skipSpace(bytes, at + 1);
    const end = endOfValue(bytes, at);
    if (end <= at) return undefined;
    if (isKey(bytes, keyStart, keyEnd, "model") && bytes[at] === QUOTE) modelRanges.push({ start: at, end });
    else if (isKey(bytes, keyStart, keyEnd, "stream")) stream = bytes[at] === 0x74;
    at = skipSpace(bytes, end);
    if (bytes[at] === CLOSE_OBJECT) break;
    if (bytes[at] !== COMMA) return undefined;
    at = skipSpace(bytes, at + 1);
  }
  if (!isBlank(bytes, at + 1)) return undefined;
  const last = modelRanges.at(-1);
  const model = last === undefined ? undefined : readString(bytes, last);
  return last !== undefined && model === undefined ? undefined : { model, stream, modelRanges };
}

/** The body with another model name in place, every other byte as it was. */
export function withModel(bytes: Buffer, ranges: readonly Range[], model: string): Buffer {
  const name = Buffer.from(JSON.stringify(model));
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { start, end } of ranges) {
    pieces.push(bytes.subarray(from, start), name);
    from = end;
  }
  pieces.push(bytes.subarray(from));
  return Buffer.concat(pieces);
}

/** After a byte order mark, if there is one. */
function startOf(bytes: Buffer): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
  }
  return at;
}

function isBlank(bytes: Buffer, from: number): boolean {
  return skipSpace(bytes, from) === bytes.length;
}

/** The index after the closing quote of the string that begins here, or -1. */
function endOfString(bytes: Buffer, from: number): number {
  let quote = from;
  for (;;) {
    quote = bytes.indexOf(QUOTE, quote + 1);
    if (quote < 0) return -1;
    let backslashes = 0;
    while (bytes[quote - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
}

/** The index after the value that begins here, or -1. */
function endOfValue(bytes: Buffer, from: number): number {
  const first = bytes[from];
  if (first === QUOTE) return endOfString(bytes, from);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return endOfNested(bytes, from);
  let at = from;
  while (at < bytes.length && bytes[at] !== COMMA && bytes[at] !== CLOSE_OBJECT) {
    if (OUTSIDE[bytes[at] ?? 0] === 0) return -1;
    at += 1;
  }
  return at;
}

function endOfNested(bytes: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) {
      const end = endOfString(bytes, at);
      if (end < 0) return -1;
      at = end - 1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      depth += 1;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (OUTSIDE[byte] === 0) return -1;
  }
  return -1;
}

/** Whether the string at this range spells the name; escapes are only looked at when there are any. */
function isKey(bytes: Buffer, start: number, end: number, name: string): boolean {
  if (end - start === name.length + 2) {
    for (let index = 0; index < name.length; index += 1)
      if (bytes[start + 1 + index] !== name.charCodeAt(index)) return false;
    return true;
  }
  if (end - start > 6 * name.length + 2 || isPlain(bytes, start + 1, end - 1)) return false;
  return readString(bytes, { start, end }) === name;
}

/** Whether these are printable ASCII without escapes: then they are the string as they stand. */
function isPlain(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x20 || byte > 0x7e || byte === BACKSLASH) return false;
  }
  return true;
}

function readString(bytes: Buffer, { start, end }: Range): string | undefined {
  if (isPlain(bytes, start + 1, end - 1)) return bytes.toString("latin1", start + 1, end - 1);
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8", start, end));
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

import { randomBytes } from "node:crypto";
import { nextTurn } from "../../json/bounds.ts";
import { parseJson, stringifyJsonWith } from "../exchange/json.ts";

/** Size in bytes above which a JSON text is parsed and written in slices. */
export const LARGE_JSON = 2 * 1024 * 1024;
/** Size above which a string is parsed or written separately: bytes in parsing, characters in writing. */
const LONG_STRING = 256 * 1024;
/** Bytes or characters of a string that are parsed or written per turn of the event loop. */
const SLICE = 1024 * 1024;
/** Bytes that are searched for strings per turn of the event loop. */
const SCANNED = 4 * SLICE;
/** Bytes of the longest escape sequence, `\u0000`. */
const MAX_ESCAPE_BYTES = 6;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

/** The beginning of every placeholder, which is random so that no string of the document contains it. */
const placeholder = `long-${randomBytes(12).toString("hex")}-`;
const quotedPlaceholder = new RegExp(`"${placeholder}(\\d+)"`);

/** The bytes of a string between its quotes. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Options of `parseLargeJson`. */
export interface ParseOptions {
  /** Whether invalid UTF-8 throws a `TypeError` instead of becoming replacement characters. */
  readonly fatal: boolean;
}

/**
 * Parses a JSON text like `parseJson`. Long strings are parsed slice by slice, one slice per turn of the event loop, so
 * that 64 MiB of escape sequences do not block the loop (bench/proxy/large-bodies.mjs). Throws `SyntaxError` for
 * invalid JSON, and `TypeError` for invalid UTF-8 if `fatal` is set.
 */
export async function parseLargeJson(bytes: Uint8Array, { fatal }: ParseOptions): Promise<unknown> {
  const spans = await findLongStrings(bytes);
  const texts: string[] = [];
  const skeleton: Uint8Array[] = [];
  let from = 0;
  for (const { start, end } of spans) {
    skeleton.push(bytes.subarray(from, start), Buffer.from(`${placeholder}${texts.length}`));
    texts.push(await parseLongString(bytes.subarray(start, end), fatal));
    from = end;
  }
  skeleton.push(bytes.subarray(from));
  const text = new TextDecoder("utf-8", { fatal }).decode(Buffer.concat(skeleton));
  await nextTurn();
  const value = parseJson(text);
  if (texts.length === 0) return value;
  await nextTurn();
  return restore(value, texts);
}

/** Returns the long strings of a JSON text. If the text is not JSON, returns ranges between quotes. */
async function findLongStrings(bytes: Uint8Array): Promise<readonly Span[]> {
  const spans: Span[] = [];
  let pauseAt = SCANNED;
  for (let open = bytes.indexOf(QUOTE); open >= 0; ) {
    let at = open + 1;
    for (; at < bytes.length && bytes[at] !== QUOTE; at += bytes[at] === BACKSLASH ? 2 : 1) {
      if (at < pauseAt) continue;
      await nextTurn();
      pauseAt = at + SCANNED;
    }
    if (at >= bytes.length) break;
    if (at - open > LONG_STRING) spans.push({ start: open + 1, end: at });
    open = bytes.indexOf(QUOTE, at + 1);
  }
  return spans;
}

/** Parses the bytes between the quotes of a string. */
async function parseLongString(bytes: Uint8Array, fatal: boolean): Promise<string> {
  // The decoder retains the bytes of a character that a slice has split. `ignoreBOM` preserves U+FEFF.
  const decoder = new TextDecoder("utf-8", { fatal, ignoreBOM: true });
  let text = "";
  for (let from = 0; from < bytes.length; ) {
    const end = sliceEnd(bytes, from);
    const slice = decoder.decode(bytes.subarray(from, end), { stream: end < bytes.length });
    text += JSON.parse(`"${slice}"`);
    from = end;
    await nextTurn();
  }
  return text;
}

/** Returns the end of a slice that splits no escape sequence. `from` must not be within an escape sequence. */
function sliceEnd(bytes: Uint8Array, from: number): number {
  const end = Math.min(from + SLICE, bytes.length);
  if (end === bytes.length) return end;
  const last = bytes.lastIndexOf(BACKSLASH, end - 1);
  if (last < Math.max(from, end - MAX_ESCAPE_BYTES)) return end;
  let first = last;
  while (first > from && bytes[first - 1] === BACKSLASH) first -= 1;
  const isEscaped = (last - first) % 2 === 1;
  if (isEscaped) return end;
  return Math.max(end, Math.min(last + (bytes[last + 1] === LETTER_U ? MAX_ESCAPE_BYTES : 2), bytes.length));
}

/** Replaces the placeholders in a parsed value. Modifies its arrays and objects. */
function restore(value: unknown, texts: readonly string[]): unknown {
  if (typeof value === "string") return value.startsWith(placeholder) ? getText(value, texts) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) value[index] = restore(item, texts);
    return value;
  }
  const members = value as Record<string, unknown>;
  for (const [name, member] of Object.entries(members)) {
    const restored = restore(member, texts);
    if (name.startsWith(placeholder)) {
      delete members[name];
      members[getText(name, texts)] = restored;
    } else if (restored !== member) members[name] = restored;
  }
  return value;
}

function getText(name: string, texts: readonly string[]): string {
  return texts[Number(name.slice(placeholder.length))] ?? "";
}

/**
 * Serializes a value like `stringifyJson`, but to UTF-8 bytes. Long strings are written slice by slice, one slice per
 * turn of the event loop.
 */
export async function stringifyLargeJson(value: unknown): Promise<Buffer> {
  const texts: string[] = [];
  const replaceLong = (_: string, member: unknown) =>
    typeof member === "string" && member.length > LONG_STRING
      ? `${placeholder}${texts.push(member) - 1}`
      : member;
  const written = stringifyJsonWith(replaceLong, value);
  await nextTurn();
  const pieces: Buffer[] = [];
  // `split` returns pieces of the text alternating with the digits that the pattern captures.
  for (const [index, piece] of written.split(quotedPlaceholder).entries()) {
    if (index % 2 === 0) pieces.push(Buffer.from(piece));
    else await writeLongString(texts[Number(piece)] ?? "", pieces);
  }
  return Buffer.concat(pieces);
}

async function writeLongString(text: string, pieces: Buffer[]): Promise<void> {
  pieces.push(Buffer.from('"'));
  for (let from = 0; from < text.length; ) {
    let end = Math.min(from + SLICE, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    pieces.push(Buffer.from(JSON.stringify(text.slice(from, end)).slice(1, -1)));
    from = end;
    await nextTurn();
  }
  pieces.push(Buffer.from('"'));
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

import type { Range } from "./scan-body.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Returns the index of the first byte after a byte order mark; 0 if there is none. */
export function findStart(bytes: Buffer): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** Returns the index of the first byte from `from` on that is not JSON whitespace; `until` if there is none. */
export function skipSpace(bytes: Buffer, from: number, until: number): number {
  let at = from;
  for (; at < until; at += 1) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
  }
  return at;
}

/**
 * Returns the index after the closing quote of the string whose content begins at `from`; -1 if it does not end
 * before `until`.
 */
export function findStringEnd(bytes: Buffer, from: number, until: number): number {
  for (let at = from; at < until; ) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0 || quote >= until) return -1;
    const isEscaped = bytes[quote - 1] === BACKSLASH && backslashesBefore(bytes, quote, at) % 2 === 1;
    at = quote + 1;
    if (!isEscaped) return at;
  }
  return -1;
}

/** Returns the number of consecutive backslashes that end directly before `end` and begin at `from` or later. */
export function backslashesBefore(bytes: Buffer, end: number, from: number): number {
  let at = end;
  while (at > from && bytes[at - 1] === BACKSLASH) at -= 1;
  return end - at;
}

/** Returns whether the JSON string in this range, quotes included, equals `name` after its escapes are decoded. */
export function isKey(bytes: Buffer, start: number, end: number, name: string): boolean {
  if (end - start === name.length + 2) {
    for (let index = 0; index < name.length; index += 1)
      if (bytes[start + 1 + index] !== name.charCodeAt(index)) return false;
    return true;
  }
  if (end - start > 6 * name.length + 2 || isPlain(bytes, start + 1, end - 1)) return false;
  return readString(bytes, { start, end }) === name;
}

/** Returns whether these bytes are printable ASCII without escapes, so that they need no decoding. */
function isPlain(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x20 || byte > 0x7e || byte === BACKSLASH) return false;
  }
  return true;
}

/** Decodes the JSON string in this range, which includes the quotes. Returns undefined if the string is invalid. */
export function readString(bytes: Buffer, { start, end }: Range): string | undefined {
  if (isPlain(bytes, start + 1, end - 1)) return bytes.toString("latin1", start + 1, end - 1);
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8", start, end));
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether the last byte that is not whitespace closes an object or an array, as in complete JSON. */
export function endsValue(bytes: Buffer): boolean {
  let at = bytes.length - 1;
  while (at >= 0 && (bytes[at] ?? 0) <= 0x20) at -= 1;
  return bytes[at] === 0x7d || bytes[at] === 0x5d;
}

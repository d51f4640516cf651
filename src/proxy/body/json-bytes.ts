import type { Range } from "./scan-body.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** After a byte order mark, if there is one. */
export function startOf(bytes: Buffer): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

export function skipSpace(bytes: Buffer, from: number, until: number): number {
  let at = from;
  for (; at < until; at += 1) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
  }
  return at;
}

/** The index behind the string whose inside begins here; -1 where it is not found before `until`. */
export function endOfString(bytes: Buffer, from: number, until: number): number {
  for (let at = from; at < until; ) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0 || quote >= until) return -1;
    const isEscaped = bytes[quote - 1] === BACKSLASH && backslashesBefore(bytes, quote, at) % 2 === 1;
    at = quote + 1;
    if (!isEscaped) return at;
  }
  return -1;
}

/** Returns how many backslashes stand right before `end`, counted back to `from` at the most. */
export function backslashesBefore(bytes: Buffer, end: number, from: number): number {
  let at = end;
  while (at > from && bytes[at - 1] === BACKSLASH) at -= 1;
  return end - at;
}

/** Whether the string at this range spells the name; escapes are only looked at when there are any. */
export function isKey(bytes: Buffer, start: number, end: number, name: string): boolean {
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

export function readString(bytes: Buffer, { start, end }: Range): string | undefined {
  if (isPlain(bytes, start + 1, end - 1)) return bytes.toString("latin1", start + 1, end - 1);
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8", start, end));
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether the last byte that is not whitespace closes an object or an array, as at the end of whole JSON. */
export function endsValue(bytes: Buffer): boolean {
  let at = bytes.length - 1;
  while (at >= 0 && (bytes[at] ?? 0) <= 0x20) at -= 1;
  return bytes[at] === 0x7d || bytes[at] === 0x5d;
}

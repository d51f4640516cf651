/** Limits on the structure of a JSON text, checked before it is parsed. */
export interface JsonBounds {
  /** Number of values, nested ones included; an empty object or array counts twice. */
  readonly values: number;
  /** Levels of nesting. */
  readonly depth: number;
}

/** The bound that a JSON text exceeds. */
export type JsonExcess = keyof JsonBounds;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
/** Bytes of a string that are scanned one by one before `indexOf`, which is faster only in longer strings. */
const SHORT_STRING = 64;
/** Bytes that are counted in one turn of the event loop, which usually takes less than 5 ms. */
const SLICE = 512 * 1024;

/**
 * Counts the values and levels of a JSON text without parsing it. Chunks may end at any byte. In text that is not
 * JSON it counts everything that looks like a value, so that a parser never receives more than the bounds allow.
 */
export class JsonCounter {
  private readonly bounds: JsonBounds;
  private values = 1;
  private depth = 0;
  private isInString = false;
  /** Whether the last byte was a backslash that escapes the next one. */
  private isEscaped = false;

  constructor(bounds: JsonBounds) {
    this.bounds = bounds;
  }

  /** Counts the next bytes. Returns the bound that is exceeded, or undefined. */
  push(bytes: Uint8Array): JsonExcess | undefined {
    const { length } = bytes;
    let at = this.isInString ? this.skipString(bytes, 0) : 0;
    for (; at < length; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) at = this.skipString(bytes, at + 1) - 1;
      else if (byte === COMMA) this.values += 1;
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        this.values += 1;
        this.depth += 1;
        if (this.depth > this.bounds.depth) return "depth";
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) this.depth -= 1;
    }
    return this.values > this.bounds.values ? "values" : undefined;
  }

  /** Returns the index after the string's closing quote, or `bytes.length` if the string does not end there. */
  private skipString(bytes: Uint8Array, from: number): number {
    const { length } = bytes;
    let at = this.isEscaped ? from + 1 : from;
    this.isInString = true;
    this.isEscaped = false;
    while (at < length) {
      for (const near = Math.min(at + SHORT_STRING, length); at < near; ) {
        const byte = bytes[at];
        at += byte === BACKSLASH ? 2 : 1;
        if (byte === QUOTE) return this.endString(at);
      }
      const quote = bytes.indexOf(QUOTE, at);
      const end = quote < 0 ? length : quote;
      const isEscaped = end > at && backslashesBefore(bytes, end, at) % 2 === 1;
      if (quote < 0) {
        this.isEscaped = isEscaped || at > length;
        return length;
      }
      at = quote + 1;
      if (!isEscaped) return this.endString(at);
    }
    this.isEscaped = at > length;
    return length;
  }

  private endString(at: number): number {
    this.isInString = false;
    return at;
  }
}

function backslashesBefore(bytes: Uint8Array, end: number, from: number): number {
  let at = end;
  while (at > from && bytes[at - 1] === BACKSLASH) at -= 1;
  return end - at;
}

/**
 * Counts a whole JSON text, one slice per turn of the event loop, so that large texts do not block it. Returns the
 * bound that is exceeded, or undefined.
 */
export async function findExcess(bytes: Uint8Array, bounds: JsonBounds): Promise<JsonExcess | undefined> {
  const counter = new JsonCounter(bounds);
  for (let from = 0; from < bytes.length; from += SLICE) {
    if (from > 0) await nextTurn();
    const excess = counter.push(bytes.subarray(from, from + SLICE));
    if (excess) return excess;
  }
  return undefined;
}

/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Maximum bytes of a text that is decoded, parsed, converted and written in one turn of the event loop. */
const SMALL_TEXT = 256 * 1024;

/**
 * Returns a promise that resolves in the next turn of the event loop, so that other work runs between the phases of a
 * conversion; undefined if the text is small enough for a single turn.
 */
export function turnIfLarge(bytes: number): Promise<void> | undefined {
  return bytes > SMALL_TEXT ? nextTurn() : undefined;
}

/** Describes the exceeded bound, as the end of a sentence about the text. */
export function describeExcess(excess: JsonExcess, bounds: JsonBounds): string {
  return excess === "depth"
    ? `nests deeper than ${bounds.depth} levels`
    : `holds more than ${bounds.values} values`;
}

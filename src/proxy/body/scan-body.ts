import { AppError } from "../../errors.ts";
import { nextTurn } from "../../json/bounds.ts";
import { backslashesBefore, findStart, findStringEnd, isKey, readString, skipSpace } from "./json-bytes.ts";

/**
 * Describes a JSON body that was scanned, not parsed. Scanning allocates no values and takes a fifth to a half of the
 * time of `JSON.parse` (200 kB of messages, without and with escaped quotes).
 */
export interface ScannedBody {
  /**
   * The last string value of the member `model` of the body itself; undefined if there is none. `JSON.parse` also
   * returns the last of several values.
   */
  readonly model: string | undefined;
  readonly stream: boolean;
  /** The ranges of all string values of `model`, quotes included. */
  readonly modelRanges: readonly Range[];
  /** Number of members of the body itself; 1 for an empty object. */
  readonly members: number;
  /** Number of all values, nested ones and the body included; an empty object or array counts twice. */
  readonly values: number;
  /** Maximum depth of nesting. */
  readonly depth: number;
}

/** The bytes from `start` up to, but not including, `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** Classes of bytes outside strings; the class of a byte that JSON does not allow there is 0. */
const PLAIN = 1;
const STRING = 2;
const OPENING = 3;
const CLOSING = 4;
const SEPARATOR = 5;
const KIND = new Uint8Array(256);
for (const character of " \t\r\n:0123456789+-.eEtrufalsn") KIND[character.charCodeAt(0)] = PLAIN;
KIND[QUOTE] = STRING;
KIND[OPEN_OBJECT] = OPENING;
KIND[OPEN_ARRAY] = OPENING;
KIND[CLOSE_OBJECT] = CLOSING;
KIND[CLOSE_ARRAY] = CLOSING;
KIND[COMMA] = SEPARATOR;

/** Bodies with more bytes than this are scanned one slice per turn of the event loop. */
const LARGE_BODY = 1024 * 1024;
/** Bytes that are scanned in one turn of the event loop. */
const SLICE = 512 * 1024;

/**
 * Scans a body. Returns undefined if it is not a JSON object; not all errors in its values are detected. Returns a
 * promise only for a large body, which is scanned in slices so that it does not block other calls.
 */
export function scanBody(bytes: Buffer): ScannedBody | undefined | Promise<ScannedBody | undefined> {
  const scan = new BodyScan(bytes);
  if (bytes.length > LARGE_BODY) return scanInSlices(scan, bytes.length);
  scan.advance(bytes.length);
  return scan.result();
}

/** Scans a body as `scanBody` does. Throws `validation` if it is not a JSON object. */
export function scanObject(bytes: Buffer): ScannedBody | Promise<ScannedBody> {
  const scanned = scanBody(bytes);
  return scanned instanceof Promise ? scanned.then(requireObject) : requireObject(scanned);
}

function requireObject(scanned: ScannedBody | undefined): ScannedBody {
  if (!scanned) throw new AppError("validation", "The body is not a JSON object");
  return scanned;
}

async function scanInSlices(scan: BodyScan, length: number): Promise<ScannedBody | undefined> {
  for (let until = SLICE; until < length; until += SLICE) {
    scan.advance(until);
    await nextTurn();
  }
  scan.advance(length);
  return scan.result();
}

/** The token that the scan expects next, or the key or value that it is reading; `failed` after invalid JSON. */
type State =
  | "object"
  | "key or end"
  | "key"
  | "in key"
  | "colon"
  | "value"
  | "in string"
  | "in scalar"
  | "nested"
  | "in nested string"
  | "comma or end"
  | "nothing"
  | "failed";

/** A scan that can stop at any byte and resume there. */
class BodyScan {
  private readonly bytes: Buffer;
  private readonly modelRanges: Range[] = [];
  private stream = false;
  /** Counts the body and its first member from the start; further members are counted at their comma. */
  private values = 2;
  private members = 1;
  private deepest = 1;
  private at: number;
  private state: State = "object";
  /** Number of open objects and arrays inside the body. */
  private depth = 0;
  private keyStart = 0;
  private keyEnd = 0;
  private valueStart = 0;
  /** Index of the next quote; less than `at` if it is not known. */
  private quote = -1;
  /** 1 if the last byte was a backslash that escapes the next one. */
  private escapes = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.at = findStart(bytes);
  }

  /** Scans the bytes before index `until`. */
  advance(until: number): void {
    while (this.at < until && this.state !== "failed") this.step(until);
    if (this.state === "in scalar" && this.at >= this.bytes.length) this.state = "failed";
  }

  result(): ScannedBody | undefined {
    const { bytes, modelRanges, stream, members, values, deepest } = this;
    if (this.state !== "nothing") return undefined;
    const last = modelRanges.at(-1);
    const model = last === undefined ? undefined : readString(bytes, last);
    if (last !== undefined && model === undefined) return undefined;
    return { model, stream, modelRanges, members, values, depth: deepest };
  }

  private step(until: number): void {
    switch (this.state) {
      case "in key":
        if (!this.skipString(until)) return;
        this.keyEnd = this.at;
        this.state = "colon";
        return;
      case "in string":
        if (this.skipString(until)) this.endMember();
        return;
      case "in scalar":
        this.skipScalar(until);
        return;
      case "nested":
        this.skipNested(until);
        return;
      case "in nested string":
        if (this.skipString(until)) this.state = "nested";
        return;
      default:
        this.at = skipSpace(this.bytes, this.at, until);
        if (this.at < until) this.expect(this.bytes[this.at] ?? 0);
    }
  }

  /** Handles the first byte after whitespace. */
  private expect(byte: number): void {
    const { state } = this;
    if (state === "object" && byte === OPEN_OBJECT) this.state = "key or end";
    else if ((state === "key or end" || state === "comma or end") && byte === CLOSE_OBJECT)
      this.state = "nothing";
    else if ((state === "key or end" || state === "key") && byte === QUOTE) {
      this.keyStart = this.at;
      this.state = "in key";
    } else if (state === "colon" && byte === COLON) this.state = "value";
    else if (state === "comma or end" && byte === COMMA) {
      this.values += 1;
      this.members += 1;
      this.state = "key";
    } else if (state === "value") this.beginValue(KIND[byte] ?? 0);
    else this.state = "failed";
    this.at += 1;
  }

  private beginValue(kind: number): void {
    this.valueStart = this.at;
    if (kind === STRING) this.state = "in string";
    else if (kind === PLAIN) this.state = "in scalar";
    else if (kind === OPENING) {
      this.values += 1;
      this.depth = 1;
      if (this.deepest === 1) this.deepest = 2;
      this.state = "nested";
    } else this.state = "failed";
  }

  private skipNested(until: number): void {
    const { bytes } = this;
    let { at, depth, values, deepest } = this;
    let state: State = "nested";
    while (at < until) {
      const kind = KIND[bytes[at] ?? 0];
      at += 1;
      if (kind === PLAIN) continue;
      if (kind === STRING) {
        const end = findStringEnd(bytes, at, until);
        if (end < 0) {
          state = "in nested string";
          break;
        }
        at = end;
      } else if (kind === SEPARATOR) values += 1;
      else if (kind === OPENING) {
        values += 1;
        depth += 1;
        if (depth >= deepest) deepest = depth + 1;
      } else if (kind === CLOSING) {
        depth -= 1;
        if (depth === 0) break;
      } else {
        state = "failed";
        break;
      }
    }
    this.at = at;
    this.depth = depth;
    this.values = values;
    this.deepest = deepest;
    this.state = state;
    if (depth === 0) this.endMember();
  }

  /** Skips to the end of the current string. Returns false if the end was not found before `until`. */
  private skipString(until: number): boolean {
    const { bytes } = this;
    while (this.at < until) {
      const { at } = this;
      if (this.quote < at) this.quote = bytes.indexOf(QUOTE, at);
      if (this.quote < 0) {
        this.state = "failed";
        return false;
      }
      // A string can contain millions of backslashes, so they are counted back only to the start of this slice.
      const end = Math.min(this.quote, until);
      const backslashes = backslashesBefore(bytes, end, at);
      const isEscaped = (backslashes + (backslashes === end - at ? this.escapes : 0)) % 2 === 1;
      this.at = end;
      this.escapes = isEscaped ? 1 : 0;
      if (this.quote >= until) return false;
      this.at += 1;
      this.escapes = 0;
      if (!isEscaped) return true;
    }
    return false;
  }

  private skipScalar(until: number): void {
    const { bytes } = this;
    let { at } = this;
    while (at < until && KIND[bytes[at] ?? 0] === PLAIN) at += 1;
    this.at = at;
    if (at < until) this.endMember();
  }

  private endMember(): void {
    const { bytes, at: end, keyStart, keyEnd, valueStart: start } = this;
    this.state = "comma or end";
    if (isKey(bytes, keyStart, keyEnd, "model")) {
      if (bytes[start] === QUOTE) this.modelRanges.push({ start, end });
    } else if (isKey(bytes, keyStart, keyEnd, "stream")) this.stream = bytes[start] === 0x74;
  }
}

/** Returns a copy of the body with `model` in each of the ranges; all other bytes are unchanged. */
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

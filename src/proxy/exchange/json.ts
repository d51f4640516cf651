import { randomBytes } from "node:crypto";
import { DialectError } from "./dialect-error.ts";

/**
 * JSON that keeps what `JSON.parse` would spoil: whole numbers beyond 2^53, and text that is to be written as it
 * stands (a tool call's arguments inside another object). `parseJson` makes `RawJson` of the former, encoders of the
 * latter, and `stringifyJson` writes both digit by digit.
 */
export class RawJson {
  readonly text: string;

  /** `text` must be valid JSON. */
  constructor(text: string) {
    this.text = text;
  }

  /** Stands in while `JSON.stringify` runs; outside `stringifyJson` the text is read like any other JSON. */
  toJSON(): unknown {
    return pending === undefined ? JSON.parse(this.text) : `${mark}${pending.push(this.text) - 1}`;
  }
}

/** Deepest nesting that is read; vendors' own schemas stay far below. */
const maxDepth = 256;
/** Nobody outside can write this into a string, so no text of a client's is ever mistaken for a stand-in. */
const mark = `raw-${randomBytes(12).toString("hex")}-`;
const standIn = new RegExp(`"${mark}(\\d+)"`, "g");
/** Sixteen digits in a row. Spelled out, most of a text is jumped over, and the other pattern is seldom tried. */
const longDigits = new RegExp("[0-9]".repeat(16));
const longNumber = /[:,[\s]-?\d{16}/;
/** A string that never closes reaches to the end, so that it is looked at once and not again from each of its quotes. */
const stringOrNumber = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)|-?\d[\d.eE+-]*/g;
const wholeNumber = /^-?\d+$/;
let pending: string[] | undefined;

/** `JSON.stringify` that writes `RawJson` as it stands. */
export function stringifyJson(value: unknown): string {
  const outer = pending;
  pending = [];
  try {
    const texts = pending;
    const written = JSON.stringify(value);
    return texts.length === 0
      ? written
      : written.replace(standIn, (_, index) => texts[Number(index)] ?? "null");
  } finally {
    pending = outer;
  }
}

/** `JSON.parse` that keeps whole numbers of 16 digits and more as `RawJson`. Throws `SyntaxError`. */
export function parseJson(text: string): unknown {
  if (!longDigits.test(text) || !longNumber.test(text)) return JSON.parse(text);
  const quoted = text.replace(stringOrNumber, (token) =>
    wholeNumber.test(token) && !Number.isSafeInteger(Number(token)) ? `"${mark}${token}"` : token,
  );
  try {
    return JSON.parse(quoted, (_, value) =>
      typeof value === "string" && value.startsWith(mark) ? new RawJson(value.slice(mark.length)) : value,
    );
  } catch (error) {
    // Looking at every value takes a step down for each level, which plain parsing does not.
    throw error instanceof RangeError ? new SyntaxError("JSON that nests without end") : error;
  }
}

/** Throws `DialectError` (400) where a parsed body nests deeper than 256 or names a member `__proto__`. */
export function guardJson(value: unknown, depth = 0): void {
  if (typeof value !== "object" || value === null || value instanceof RawJson) return;
  if (depth >= maxDepth) throw refused(`The request nests deeper than ${maxDepth} levels.`);
  if (Array.isArray(value)) {
    for (const item of value) guardJson(item, depth + 1);
    return;
  }
  for (const key of Object.keys(value)) {
    if (key === "__proto__") throw refused("A member named __proto__ is not accepted.");
    guardJson((value as Record<string, unknown>)[key], depth + 1);
  }
}

function refused(message: string): DialectError {
  return new DialectError({ kind: "invalid-request", status: 400, message });
}

/**
 * A tool call's argument text as a JSON value that may stand inside another object: `{}` for nothing at all,
 * undefined where the text is no JSON object.
 */
export function argumentsObject(text: string): RawJson | undefined {
  if (text.trim() === "") return new RawJson("{}");
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? new RawJson(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a text is one JSON value. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether a value is a JSON object (no array, no null). */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value where it is a text, else undefined. */
export function asString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

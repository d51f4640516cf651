import { randomBytes } from "node:crypto";
import { invalidRequest } from "./dialect-error.ts";

/**
 * JSON text that `stringifyJson` writes unchanged. `parseJson` creates it for unsafe integers (`Number.isSafeInteger`),
 * which `JSON.parse` can round. Encoders create it for text that they insert into another object, such as a tool call's
 * arguments.
 */
export class RawJson {
  readonly text: string;

  /** `text` must be valid JSON. */
  constructor(text: string) {
    this.text = text;
  }

  /** Returns a placeholder while `stringifyJson` runs, otherwise the parsed text. */
  toJSON(): unknown {
    return pending === undefined ? JSON.parse(this.text) : `${mark}${pending.push(this.text) - 1}`;
  }
}

/** Maximum nesting of a request body, in levels. */
const maxDepth = 256;
/** The beginning of a placeholder. It is random, so that a client's text cannot contain one. */
const mark = `raw-${randomBytes(12).toString("hex")}-`;
const standIn = new RegExp(`"${mark}(\\d+)"`, "g");
/**
 * Matches 16 consecutive digits. The pattern is spelled out, without a quantifier, so that the engine skips most of a
 * text, and `longNumber` is seldom needed.
 */
const longDigits = new RegExp("[0-9]".repeat(16));
const longNumber = /[:,[\s]-?\d{16}/;
/**
 * Matches a string or a number. An unclosed string matches up to the end of the text, so that it is scanned once, not
 * from each quote.
 */
const stringOrNumber = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)|-?\d[\d.eE+-]*/g;
const wholeNumber = /^-?\d+$/;
let pending: string[] | undefined;

/** Serializes like `JSON.stringify` and writes `RawJson` unchanged. */
export function stringifyJson(value: unknown): string {
  return stringifyJsonWith(undefined, value);
}

/** Serializes like `stringifyJson`, with a replacer of `JSON.stringify`. */
export function stringifyJsonWith(
  replacer: ((name: string, member: unknown) => unknown) | undefined,
  value: unknown,
): string {
  const outer = pending;
  pending = [];
  try {
    const texts = pending;
    const written = JSON.stringify(value, replacer);
    return texts.length === 0
      ? written
      : written.replace(standIn, (_, index) => texts[Number(index)] ?? "null");
  } finally {
    pending = outer;
  }
}

/** Parses like `JSON.parse` and returns unsafe integers of 16 or more digits as `RawJson`. Throws `SyntaxError`. */
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
    // The reviver recurses once per level, so unlike plain parsing it can exceed the stack.
    throw error instanceof RangeError ? new SyntaxError("The JSON nests too deeply") : error;
  }
}

/** Parses like `parseJson`, but returns undefined for text that is not JSON. */
export function tryParseExactJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Parses like `JSON.parse`, but returns undefined for text that is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Checks a parsed body. Throws `DialectError` (400) if it nests deeper than 256 levels or has a member `__proto__`. */
export function guardJson(value: unknown, depth = 0): void {
  if (typeof value !== "object" || value === null || value instanceof RawJson) return;
  if (depth >= maxDepth) throw invalidRequest(`The request nests deeper than ${maxDepth} levels.`);
  if (Array.isArray(value)) {
    for (const item of value) guardJson(item, depth + 1);
    return;
  }
  for (const key of Object.keys(value)) {
    if (key === "__proto__") throw invalidRequest("A member named __proto__ is not accepted.");
    guardJson((value as Record<string, unknown>)[key], depth + 1);
  }
}

/** Returns a tool call's argument text as a JSON value: `{}` for blank text, undefined if it is not a JSON object. */
export function argumentsObject(text: string): RawJson | undefined {
  if (text.trim() === "") return new RawJson("{}");
  return isObject(tryParseJson(text)) ? new RawJson(text) : undefined;
}

/** Returns whether a text is valid JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns whether a value is a JSON object (not an array, not null). */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A JSON object whose members are checked where they are read. */
export type Json = Readonly<Record<string, unknown>>;

/** Returns the value if it is an object, else an empty object. */
export function asObject(value: unknown): Json {
  return isObject(value) ? value : {};
}

/** Returns the elements of a list, each as `asObject` returns it; an empty list for any other value. */
export function asObjects(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(asObject) : [];
}

/** Returns the value if it is a string, else undefined. */
export function asString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/**
 * Returns the table's own member with this name. `table[name]` would also return inherited ones, like `constructor`.
 */
export function ownMember<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

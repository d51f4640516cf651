/**
 * Edits the text of JSON with comments. Comments, formatting, line endings and a byte order mark stay unchanged. A
 * missing or empty file is `{}`.
 */
import { findNodeAtLocation, type Node, type ParseError, parse, parseTree } from "jsonc-parser";
import { plainParseError } from "../../config/load.ts";
import { AppError } from "../../errors.ts";
import { insertInto, type Json, printInto, removeFrom, replaceRange } from "./json-text.ts";

export type JsonPath = readonly (string | number)[];
export type { Json } from "./json-text.ts";

const BYTE_ORDER_MARK = "\ufeff";
const LENIENT = { allowTrailingComma: true } as const;

/** Parses JSON. Throws `configuration` with line and column if the text is invalid. */
export function readJson(text: string): unknown {
  const source = toJsonSource(text);
  const errors: ParseError[] = [];
  const value: unknown = parse(source, errors, LENIENT);
  const [first] = errors;
  if (!first) return value;
  const before = source.slice(0, first.offset).split("\n");
  const position = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  throw new AppError("configuration", `Not valid JSON: ${plainParseError(first)} at ${position}`, {
    hint: "Correct the file first. No changes made.",
  });
}

/** Returns the value at a path, or undefined. Throws `configuration` if the text is not JSON. */
export function valueAt(text: string, path: JsonPath): unknown {
  let value = readJson(text);
  for (const step of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Object.entries(value).find(([name]) => name === String(step))?.[1];
  }
  return value;
}

/**
 * Returns the array at a path, empty if the path does not exist. Throws `configuration` if the value is not an array.
 */
export function arrayAt(text: string, path: JsonPath): readonly unknown[] {
  const value = valueAt(text, path);
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw wrongType(path, "array");
  return value;
}

/**
 * Sets the member at `path`, and creates missing objects. Returns the same text if the member has that value already.
 */
export function setMember(text: string, path: readonly string[], value: Json): string {
  if (JSON.stringify(valueAt(text, path)) === JSON.stringify(value)) return text;
  return onBody(text, (source) => {
    const root = parseRoot(source);
    const depth = existingDepth(root, path);
    const node = nodeAt(root, path.slice(0, depth));
    if (depth === path.length) return replaceNode(source, node, value);
    if (node.type !== "object") throw wrongType(path.slice(0, depth), "object");
    const [name = "", ...inner] = path.slice(depth);
    return insertInto(
      source,
      node,
      inner.reduceRight<Json>((content, step) => ({ [step]: content }), value),
      name,
    );
  });
}

/** Appends to the array at `path`, and creates it if it is missing. */
export function appendElement(text: string, path: readonly string[], value: Json): string {
  if (arrayAt(text, path).length === 0 && valueAt(text, path) === undefined)
    return setMember(text, path, [value]);
  return onBody(text, (source) => insertInto(source, nodeAt(parseRoot(source), path), value));
}

/** Replaces the value at `path`, which must exist. */
export function replaceValue(text: string, path: JsonPath, value: Json): string {
  return onBody(text, (source) => replaceNode(source, nodeAt(parseRoot(source), path), value));
}

/** Removes the member or element at `path`, and parent containers below the root that become empty. */
export function removeValue(text: string, path: JsonPath): string {
  if (path.length === 0 || valueAt(text, path) === undefined) return text;
  const parent = path.slice(0, -1);
  const holder = valueAt(text, parent);
  const size = typeof holder === "object" && holder !== null ? Object.keys(holder).length : 0;
  if (size === 1 && parent.length > 0) return removeValue(text, parent);
  return onBody(text, (source) => removeFrom(source, nodeAt(parseRoot(source), path)));
}

function replaceNode(source: string, node: Node, value: Json): string {
  return replaceRange(source, node.offset, node.offset + node.length, printInto(source, node.offset, value));
}

function toJsonSource(text: string): string {
  const source = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  return source.trim() === "" ? "{}\n" : source;
}

function onBody(text: string, edit: (source: string) => string): string {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  return mark + edit(toJsonSource(text));
}

function parseRoot(source: string): Node {
  const root = parseTree(source, [], LENIENT);
  if (!root) throw wrongType([], "object");
  return root;
}

function nodeAt(root: Node, path: JsonPath): Node {
  const node = findNodeAtLocation(root, [...path]);
  if (!node) throw wrongType(path, "object");
  return node;
}

/** Returns how many steps of the path exist. */
function existingDepth(root: Node, path: readonly string[]): number {
  let depth = 0;
  while (depth < path.length && findNodeAtLocation(root, path.slice(0, depth + 1))) depth += 1;
  return depth;
}

function wrongType(path: JsonPath, wanted: "object" | "array"): AppError {
  const name = path.length === 0 ? "The file" : `"${path.join(".")}"`;
  return new AppError("configuration", `${name} is not an ${wanted}`, {
    hint: "Correct the file first. No changes made.",
  });
}

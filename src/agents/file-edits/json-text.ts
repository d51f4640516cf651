import { createScanner, type Node } from "jsonc-parser";

/** Inserts and removes parts of JSON text by the nodes of its tree, formatted like the text around them. */

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** Returns the text with the range from `start` to `end` replaced. */
export function replaceRange(source: string, start: number, end: number, replacement: string): string {
  return source.slice(0, start) + replacement + source.slice(end);
}

/** Formats a value to insert at an offset: with the indentation of the line there and the text's line endings. */
export function printInto(source: string, offset: number, value: Json): string {
  return print(value, indentAt(source, offset), source);
}

/** Appends an element to an array, or a member called `name` to an object. */
export function insertInto(source: string, container: Node, value: Json, name?: string): string {
  const close = container.offset + container.length - 1;
  const label = name === undefined ? "" : `${JSON.stringify(name)}: `;
  const last = container.children?.at(-1);
  const first = container.children?.[0];
  if (!last || !first)
    return insertFirst(source, container, close, (indent) => label + print(value, indent, source));
  const lastEnd = last.offset + last.length;
  const comma = findComma(source, lastEnd, close);
  if (!/[\r\n]/.test(source.slice(container.offset, first.offset))) {
    const compact = label + JSON.stringify(value);
    return comma === undefined
      ? replaceRange(source, lastEnd, lastEnd, `, ${compact}`)
      : replaceRange(source, comma + 1, comma + 1, ` ${compact}`);
  }
  const indent = indentAt(source, first.offset);
  const position = findLineContentEnd(source, comma === undefined ? lastEnd : comma + 1, close);
  const item = `${lineEnd(source)}${indent}${label}${print(value, indent, source)}`;
  const added = replaceRange(source, position, position, comma === undefined ? item : `${item},`);
  return comma === undefined ? replaceRange(added, lastEnd, lastEnd, ",") : added;
}

/** Removes a member or element with one comma, and its line if that would be blank. Comments beside it stay. */
export function removeFrom(source: string, node: Node): string {
  const item = node.parent?.type === "property" ? node.parent : node;
  const container = item.parent;
  if (!container) return source;
  const siblings = container.children ?? [];
  const index = siblings.indexOf(item);
  const previous = siblings[index - 1];
  const close = container.offset + container.length - 1;
  const end = item.offset + item.length;
  const commaAfter = findComma(source, end, siblings[index + 1]?.offset ?? close);
  if (commaAfter !== undefined) return cutLine(source, item.offset, commaAfter + 1);
  if (!previous) return cutOnly(source, container, item.offset, end);
  const commaBefore = findComma(source, previous.offset + previous.length, item.offset) ?? item.offset;
  if (source.slice(commaBefore + 1, item.offset).trim() === "")
    return replaceRange(source, commaBefore, end, "");
  return replaceRange(cutLine(source, item.offset, end), commaBefore, commaBefore + 1, "");
}

function insertFirst(
  source: string,
  container: Node,
  close: number,
  itemAt: (indent: string) => string,
): string {
  const start = container.offset + 1;
  const inside = source.slice(start, close);
  const outer = indentAt(source, container.offset);
  const indent = outer + indentUnit(source);
  const end = lineEnd(source);
  if (inside.trim() === "")
    return replaceRange(source, start, close, end + indent + itemAt(indent) + end + outer);
  const lastBreak = inside.lastIndexOf("\n");
  if (lastBreak === -1) return replaceRange(source, close, close, itemAt(outer));
  const at = start + lastBreak + 1;
  return replaceRange(source, at, at, indent + itemAt(indent) + end);
}

function cutOnly(source: string, container: Node, start: number, end: number): string {
  const open = container.offset + 1;
  const close = container.offset + container.length - 1;
  const rest = source.slice(open, start) + source.slice(end, close);
  return rest.trim() === "" ? replaceRange(source, open, close, "") : cutLine(source, start, end);
}

/** Removes a range, and the whole line if only whitespace would be left. */
function cutLine(source: string, start: number, end: number): string {
  let left = start;
  while (left > 0 && /[ \t]/.test(source[left - 1] ?? "")) left -= 1;
  let right = end;
  while (/[ \t]/.test(source[right] ?? "")) right += 1;
  const atLineStart = left === 0 || source[left - 1] === "\n";
  const lineBreak = /^\r?\n/.exec(source.slice(right, right + 2))?.[0];
  if (atLineStart && lineBreak !== undefined) return replaceRange(source, left, right + lineBreak.length, "");
  return replaceRange(source, start, right, "");
}

function findComma(source: string, from: number, to: number): number | undefined {
  for (const token of tokensFrom(source, from)) {
    if (token.offset >= to) return undefined;
    if (token.text === ",") return token.offset;
  }
  return undefined;
}

/** Returns the offset after the comments that follow on the same line, or `from` if there are none. */
function findLineContentEnd(source: string, from: number, limit: number): number {
  let end = from;
  for (const { offset, text } of tokensFrom(source, from)) {
    const isComment = text.startsWith("//") || text.startsWith("/*");
    if (offset >= limit || !(isComment || /^[ \t]+$/.test(text))) return end;
    if (isComment) end = offset + text.length;
  }
  return end;
}

function* tokensFrom(source: string, from: number): Generator<{ offset: number; text: string }> {
  const scanner = createScanner(source);
  scanner.setPosition(from);
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    const offset = scanner.getTokenOffset();
    yield { offset, text: source.slice(offset, offset + scanner.getTokenLength()) };
  }
}

function print(value: Json, indent: string, source: string): string {
  const lines = JSON.stringify(value, null, indentUnit(source)).split("\n");
  return lines.join(`${lineEnd(source)}${indent}`);
}

function indentAt(source: string, offset: number): string {
  const start = source.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(source.slice(start, offset))?.[0] ?? "";
}

/** Returns the indentation of the first indented line, or two spaces. */
function indentUnit(source: string): string {
  return /\n([ \t]+)["[{/]/.exec(source)?.[1] ?? "  ";
}

function lineEnd(source: string): string {
  return source.includes("\r\n") ? "\r\n" : "\n";
}

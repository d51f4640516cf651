import { readFile, stat } from "node:fs/promises";
import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { z } from "zod";
import { AppError, systemErrorCode } from "../errors.ts";
import { getReadReason } from "../files/read-reason.ts";
import { findClosest, listKeysAt } from "./suggest.ts";

/** A parsed configuration file: its values and their lines. */
export interface ConfigurationFile {
  readonly path: string;
  readonly value: unknown;
  /** Returns the line (from 1) on which the member at this path, or its nearest parent, begins. */
  getLine(path: readonly PropertyKey[]): number;
  /** Returns whether the file has a value at this path. */
  has(path: readonly PropertyKey[]): boolean;
}

/**
 * Reads JSON with comments and trailing commas. Returns undefined if an optional file is missing. Throws
 * `configuration` with the file's name and, for invalid JSON and duplicate keys, the line.
 */
export async function readConfigurationFile(
  path: string,
  mustExist: boolean,
): Promise<ConfigurationFile | undefined> {
  const text = await readConfigurationText(path, mustExist);
  return text === undefined ? undefined : parseConfiguration(text, path);
}

/**
 * Returns the text of a regular file, or undefined if an optional file is missing. Throws `configuration` if the file
 * cannot be read.
 */
export async function readConfigurationText(path: string, mustExist: true): Promise<string>;
export async function readConfigurationText(path: string, mustExist: boolean): Promise<string | undefined>;
export async function readConfigurationText(path: string, mustExist: boolean): Promise<string | undefined> {
  try {
    // Reading a FIFO or a terminal would block this load and every later reload.
    const entry = await stat(path);
    if (!entry.isFile() && !entry.isDirectory())
      throw new AppError(
        "configuration",
        `Cannot read the configuration file ${path}: it is not a regular file`,
      );
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (systemErrorCode(error) === "ENOENT" && !mustExist) return undefined;
    throw new AppError(
      "configuration",
      `Cannot read the configuration file ${path}: ${getReadReason(error)}`,
      {
        cause: error,
        hint: "Correct the path, or make the file readable.",
      },
    );
  }
}

/**
 * Parses the text of a configuration file, with or without a byte-order mark. Throws `configuration` for invalid JSON
 * and duplicate keys.
 */
export function parseConfiguration(written: string, path: string): ConfigurationFile {
  const text = written.replace(/^\ufeff/, "");
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const first = errors[0];
  if (first || !tree) {
    const line = lineAt(text, first?.offset ?? 0);
    const what = first && text.trim() ? plainParseError(first) : "the file is empty (write {} for defaults)";
    throw new AppError("configuration", `${path}:${line}: not valid JSON: ${what}`);
  }
  refuseDuplicates(tree, text, path);
  return {
    path,
    value: plainValue(tree),
    getLine: (location) => lineAt(text, nearest(tree, location).offset),
    has: (location) => findNodeAtLocation(tree, segments(location)) !== undefined,
  };
}

/** Returns a parse error as text: "CommaExpected" as "comma expected". */
export function plainParseError({ error }: ParseError): string {
  return printParseErrorCode(error)
    .replace(/\B[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .toLowerCase();
}

/**
 * Returns one `configuration` error for all of zod's issues, each with key and line. `schema` is the schema of the
 * whole file.
 */
export function explainIssues(
  issues: readonly z.core.$ZodIssue[],
  file: ConfigurationFile,
  schema: z.ZodType,
): AppError {
  let known: object | undefined;
  const jsonSchema = () => (known ??= z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
  const lines = issues.flatMap((issue) => {
    const line = (path: readonly PropertyKey[], what: string) =>
      `${file.path}:${file.getLine(path)}: ${path.map(String).join(".") || "the file"}: ${what}`;
    if (issue.code !== "unrecognized_keys") return [line(issue.path, issue.message)];
    return issue.keys.map((key) => line([...issue.path, key], noSuchKey(key, issue.path, jsonSchema())));
  });
  return new AppError("configuration", lines.join("\n"), {
    hint: "To print the schema of all keys, run: sallyport proxy check --json-schema",
  });
}

/** Returns a message for an unknown key, with the key that is probably meant if there is one. */
function noSuchKey(key: string, path: readonly PropertyKey[], schema: object): string {
  const meant = findClosest(key, listKeysAt(schema, path));
  if (meant !== undefined) return `unknown key. Did you mean "${meant}"?`;
  if (path.length === 0 && listKeysAt(schema, ["proxy"]).includes(key))
    return `unknown key. "${key}" belongs under "proxy": {"proxy": {"${key}": …}}`;
  return /[a-z][A-Z]/.test(key) ? "unknown key; keys are written like_this" : "unknown key";
}

/** Throws `configuration` for a key that an object has twice: only its last value would apply. */
function refuseDuplicates(node: Node, text: string, path: string): void {
  const seen = new Map<string, Node>();
  for (const child of node.children ?? []) {
    const key = node.type === "object" ? child.children?.[0] : undefined;
    const earlier = key && seen.get(String(key.value));
    if (key && earlier)
      throw new AppError(
        "configuration",
        `${path}:${lineAt(text, key.offset)}: duplicate key "${key.value}"; first defined on line ${lineAt(text, earlier.offset)}`,
        { hint: "Remove one of them." },
      );
    if (key) seen.set(String(key.value), key);
    refuseDuplicates(child, text, path);
  }
}

/** Returns the value of a syntax tree. `__proto__` becomes an ordinary key, which the schema rejects. */
function plainValue(node: Node): unknown {
  if (node.type === "array") return (node.children ?? []).map(plainValue);
  if (node.type !== "object") return node.value;
  const entries = (node.children ?? []).map((property): [string, unknown] => {
    const [key, value] = property.children ?? [];
    return [String(key?.value), value ? plainValue(value) : undefined];
  });
  return Object.fromEntries(entries);
}

function nearest(tree: Node, path: readonly PropertyKey[]): Node {
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(tree, segments(path.slice(0, length)));
    if (node) return node.parent?.type === "property" ? node.parent : node;
  }
  return tree;
}

function segments(path: readonly PropertyKey[]): (string | number)[] {
  return path.map((part) => (typeof part === "number" ? part : String(part)));
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

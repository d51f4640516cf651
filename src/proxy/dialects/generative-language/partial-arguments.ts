import { invalidResponse } from "../../exchange/dialect-error.ts";
import { stringifyJson } from "../../exchange/json.ts";
import type { WirePartialArg } from "./schema.ts";

/**
 * Converts arguments that arrive in pieces, each with a path such as `$.recipe.steps[1]`, to JSON text. The returned
 * texts, concatenated, are the arguments object (https://ai.google.dev/api/caching#FunctionCall).
 */
export interface PartialArguments {
  /** Returns the text that a piece adds. Throws `DialectError` if the piece's path is invalid or out of order. */
  add(piece: WirePartialArg): string;
  /** Returns the text that closes the open values. */
  end(): string;
}

type Key = string | number;

/** Maximum number of missing elements before an array element. Missing elements are written as null. */
const maxGap = 1_000;

interface Level {
  readonly kind: "object" | "array";
  /** Names of the members written so far; unused for arrays. */
  readonly names: Set<string>;
  count: number;
}

/** Creates a converter for the arguments of one call. */
export function createPartialArguments(): PartialArguments {
  return new PathWriter();
}

class PathWriter implements PartialArguments {
  /** The keys that lead to the value written last. `levels` contains the object or array of each key. */
  private path: Key[] = [];
  private readonly levels: Level[] = [];
  private isInText = false;

  add(piece: WirePartialArg): string {
    const target = parsePath(piece.jsonPath);
    const goesOn = this.isInText && isSamePath(this.path, target);
    if (typeof piece.stringValue === "string") {
      const letters = stringifyJson(piece.stringValue).slice(1, -1);
      const start = goesOn ? "" : `${this.moveTo(target)}"`;
      this.isInText = piece.willContinue === true;
      return `${start}${letters}${this.isInText ? "" : '"'}`;
    }
    if (goesOn && piece.willContinue === true) return "";
    return this.moveTo(target) + stringifyJson(piece.numberValue ?? piece.boolValue ?? null);
  }

  end(): string {
    return this.levels.length === 0 ? "{}" : this.closeTo(0);
  }

  /** Returns the text that closes the values outside the target's path and opens the values on it. */
  private moveTo(target: readonly Key[]): string {
    const { path, levels } = this;
    let text = levels.length === 0 ? this.open("object") : "";
    let common = 0;
    while (common < path.length && common < target.length - 1 && path[common] === target[common]) common += 1;
    // The value at the last key of `path` is not an object or array, so it has no level.
    common = Math.min(common, levels.length - 1);
    text += this.closeTo(common + 1);
    for (let at = common; at < target.length; at += 1) {
      text += this.enter(target[at] ?? "");
      if (at < target.length - 1) text += this.open(typeof target[at + 1] === "number" ? "array" : "object");
    }
    return text;
  }

  private open(kind: Level["kind"]): string {
    this.levels.push({ kind, names: new Set(), count: 0 });
    return kind === "object" ? "{" : "[";
  }

  private closeTo(depth: number): string {
    let text = this.isInText ? '"' : "";
    this.isInText = false;
    while (this.levels.length > depth) text += this.levels.pop()?.kind === "object" ? "}" : "]";
    this.path = this.path.slice(0, Math.max(0, depth - 1));
    return text;
  }

  private enter(key: Key): string {
    const level = this.levels.at(-1);
    const isArray = typeof key === "number";
    if (level === undefined || (level.kind === "array") !== isArray) throw outOfOrder(key);
    if (isArray ? key < level.count : level.names.has(key)) throw outOfOrder(key);
    if (isArray && key - level.count > maxGap) throw outOfOrder(key);
    const gap = isArray ? "null,".repeat(key - level.count) : "";
    const comma = level.count > 0 ? "," : "";
    level.count = isArray ? key + 1 : level.count + 1;
    if (!isArray) level.names.add(key);
    this.path.push(key);
    return `${comma}${gap}${isArray ? "" : `${stringifyJson(key)}:`}`;
  }
}

function isSamePath(left: readonly Key[], right: readonly Key[]): boolean {
  return left.length === right.length && left.every((key, index) => key === right[index]);
}

function outOfOrder(key: Key) {
  return invalidResponse(`The upstream's tool call has its argument ${JSON.stringify(key)} out of order.`);
}

/**
 * Returns the keys of a simple JSONPath (RFC 9535): names after dots, and names or indexes in brackets. Throws
 * `DialectError` if the path has no keys.
 */
function parsePath(path: string): Key[] {
  const keys: Key[] = [];
  for (const [, dotted, index, single, double] of path.matchAll(
    /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/g,
  )) {
    if (index !== undefined) keys.push(Number(index));
    else keys.push(dotted ?? (single ?? double ?? "").replace(/\\(.)/g, "$1"));
  }
  if (keys.length === 0)
    throw invalidResponse(`The upstream's tool call has an argument without a name: ${path}.`);
  return keys;
}

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { expect, it } from "vitest";

const source = resolve(import.meta.dirname, "../../src/proxy");

/** Files whose objects are created once for a process, a configuration or a connection. */
const CREATED_RARELY = new Set([
  "gateway/key-directory.ts",
  "gateway/redis-connection.ts",
  "observability/metrics.ts",
  "runtime.ts",
  "upstream/open-websocket.ts",
  "upstream/skip-continue.ts",
]);

/**
 * Returns the code of calls whose objects V8 keeps until the next full garbage collection, with all that they refer to:
 * a getter in an object literal and a generator function inside another function have separate hidden classes, and
 * a function that is written as the value of `object.member = …` is created in the old generation.
 */
function findRetained(path: string): string[] {
  const code = readFileSync(join(source, path), "utf8");
  const found: string[] = [];
  const visit = (node: unknown, depth: number) => {
    if (Array.isArray(node)) for (const each of node) visit(each, depth);
    if (typeof node !== "object" || node === null || Array.isArray(node)) return;
    const { type, kind, generator, start, left, right } = node as Readonly<Record<string, unknown>>;
    const isOwn = (type === "Property" && kind === "get") || generator === true;
    const isOld = type === "AssignmentExpression" && isType(left, /^Member/) && isType(right, /Function/);
    if (depth > 0 && (isOwn || isOld))
      found.push(`${path}:${code.slice(0, Number(start)).split("\n").length}`);
    const isFunction = isType(node, /Function/);
    for (const child of Object.values(node)) visit(child, isFunction ? depth + 1 : depth);
  };
  visit(parseAst(code, { lang: "ts" }, path), 0);
  return found;
}

function isType(node: unknown, pattern: RegExp): boolean {
  return typeof node === "object" && node !== null && "type" in node && pattern.test(String(node.type));
}

it("a call creates no object that V8 keeps until the next full garbage collection", () => {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts") && !CREATED_RARELY.has(path));
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap(findRetained)).toEqual([]);
});

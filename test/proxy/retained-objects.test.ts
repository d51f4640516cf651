import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { expect, it } from "vitest";

const source = resolve(import.meta.dirname, "../../src/proxy");

/** Files whose objects with getters are created once for a process, a configuration or a connection. */
const CREATED_RARELY = new Set([
  "gateway/key-directory.ts",
  "gateway/redis-connection.ts",
  "observability/metrics.ts",
  "runtime.ts",
  "upstream/open-websocket.ts",
]);

/**
 * Returns the code that V8 turns into a hidden class of its own for each object: a getter in an object literal, and a
 * generator function inside another function. Until the next full garbage collection, such a class keeps the object
 * and all that its functions refer to.
 */
function findOwnClasses(path: string): string[] {
  const code = readFileSync(join(source, path), "utf8");
  const found: string[] = [];
  const visit = (node: unknown, depth: number) => {
    if (Array.isArray(node)) for (const each of node) visit(each, depth);
    if (typeof node !== "object" || node === null || Array.isArray(node)) return;
    const { type, kind, generator, start } = node as Readonly<Record<string, unknown>>;
    const isOwn = (type === "Property" && kind === "get") || generator === true;
    if (depth > 0 && isOwn) found.push(`${path}:${code.slice(0, Number(start)).split("\n").length}`);
    const isFunction = typeof type === "string" && /Function/.test(type);
    for (const child of Object.values(node)) visit(child, isFunction ? depth + 1 : depth);
  };
  visit(parseAst(code, { lang: "ts" }, path), 0);
  return found;
}

it("a call creates no object with a getter and no generator function of its own", () => {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts") && !CREATED_RARELY.has(path));
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap(findOwnClasses)).toEqual([]);
});

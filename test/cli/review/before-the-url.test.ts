import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { expect, it } from "vitest";

const folder = resolve(import.meta.dirname, "../../../src/cli/review");

/**
 * All modules that are loaded with these files: by path, or by name for packages and Node.js modules. Excludes types
 * and dynamic imports.
 */
function loadedWith(files: readonly string[]): ReadonlySet<string> {
  const seen = new Set(files);
  for (const file of seen) {
    if (!file.endsWith(".ts")) continue;
    const imports = readFileSync(file, "utf8").matchAll(/^import (?!type )[^;]*?from "([^"]+)";/gm);
    for (const [, name = ""] of imports) seen.add(name.startsWith(".") ? resolve(dirname(file), name) : name);
  }
  return seen;
}

it("loads only what the first request needs before a code review's URL is printed", () => {
  const entries = ["code.ts", "run.ts", "options.ts"].map((name) => resolve(folder, name));
  const loaded = loadedWith(entries);
  expect(loaded).toContain("simple-git");
  expect(loaded).toContain("node:http");
  for (const dear of ["zod", "fastify", "undici", "jsonc-parser", "diff", "node:crypto", "node:zlib"])
    expect(loaded).not.toContain(dear);
});

it("starts git before the rest of a code review is loaded", () => {
  const loaded = loadedWith([resolve(folder, "code.ts")]);
  expect(loaded).toContain("simple-git");
  expect(loaded).not.toContain("node:http");
});

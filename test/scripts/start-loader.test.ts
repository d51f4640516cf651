import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";
import { expect, it } from "vitest";
import { createLoader, wrapped } from "../../scripts/start/loader.mjs";

it("loads parts and what is built in, and finds nothing else without asking Node, which would warn", () => {
  const parts: Record<string, string> = {
    "main.cjs": `exports.part = require("./part.cjs");
      try { require("supports-color"); } catch (error) { exports.code = error.code; }`,
    "part.cjs": `exports.separator = require("node:path").posix.sep;`,
  };
  const asked: string[] = [];
  const load = createLoader({
    source: (name: string) => wrapped(parts[name] ?? ""),
    cachedData: () => undefined,
    folder: "/parts",
    builtin: (id: string) => {
      asked.push(id);
      return createRequire(import.meta.url)(id);
    },
  });
  expect(load("main.cjs")).toEqual({ part: { separator: "/" }, code: "MODULE_NOT_FOUND" });
  expect(asked).toEqual(["node:path"]);
});

it("compiles anew what was compiled from another text, and lets a part know where it is", () => {
  const other = new Script(wrapped("exports.is = 'another, longer part';"));
  const load = createLoader({
    source: () => wrapped("exports.file = __filename;"),
    cachedData: () => other.createCachedData(),
    builtin: createRequire(import.meta.url),
    folder: "/parts",
  });
  expect(load("main.cjs")).toEqual({ file: join("/parts", "main.cjs") });
});

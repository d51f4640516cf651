import { createRequire } from "node:module";
import { expect, it } from "vitest";
import { createLoader, wrapped } from "../../scripts/executable/loader.mjs";

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
    builtin: (id: string) => {
      asked.push(id);
      return createRequire(import.meta.url)(id);
    },
  });
  expect(load("main.cjs")).toEqual({ part: { separator: "/" }, code: "MODULE_NOT_FOUND" });
  expect(asked).toEqual(["node:path"]);
});

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { errorCatalog, stackFrames } from "../src/errors.ts";

it("docs/reference/errors.md is the catalog, code by code", () => {
  const documented = readFileSync(resolve(import.meta.dirname, "../docs/reference/errors.md"), "utf8");
  const rows = [...documented.matchAll(/^\| `(\w+)` \| (\d+) \| (\d+) \| (.+) \|$/gm)].map(
    ([, code, status, exitCode, meaning]) => [code, Number(status), Number(exitCode), meaning],
  );
  const catalog = Object.entries(errorCatalog).map(([code, { status, exitCode, meaning }]) => [
    code,
    status,
    exitCode,
    meaning,
  ]);
  expect(rows).toEqual(catalog);
});

describe("the stack of an internal error", () => {
  it.each([
    ["    at run (/home/builder/dist/parts/run.cjs:112:13)", "    at run (run.cjs:112:13)"],
    [
      "    at async Object.ce (evalmachine.<anonymous>:10:2503)",
      "    at async Object.ce (evalmachine.<anonymous>:10:2503)",
    ],
    ["    at file:///work/a folder/dist/sallyport.js:3:1", "    at sallyport.js:3:1"],
    ["    at C:\\Users\\b\\dist\\parts\\run.cjs:1:2", "    at run.cjs:1:2"],
    ["    at node:internal/process/task_queues:95:5", "    at node:internal/process/task_queues:95:5"],
  ])("names no folder of the build machine: %s", (frame, shown) => {
    const error = new Error("broken");
    error.stack = `Error: broken\n${frame}`;
    expect(stackFrames(error)).toEqual([shown]);
  });
});

import { describe, expect, it } from "vitest";
import { findRelatedTests } from "../../scripts/related-tests.mjs";

const sources = new Map([
  ["src/a.ts", ""],
  ["src/b.ts", 'import { a } from "./a.ts";\nexport const b = a;\n'],
  ["src/lazy.ts", 'export const load = () => import("./b.ts");\n'],
  ["src/other.ts", 'import "./third.ts";\n'],
  ["test/a.test.ts", 'import { text } from "./support/text.ts";\n'],
  ["test/b.test.ts", 'import { b } from "../src/b.ts";\n'],
  ["test/deep/lazy.test.ts", 'import {\n  load,\n} from "../../src/lazy.ts";\n'],
  ["test/deep/other.test.ts", 'import { other } from "../../src/other.ts";\n'],
  ["src/c.ts", 'import { load } from "./lazy.ts";\n'],
  ["src/d.ts", 'import { c } from "./c.ts";\n'],
  ["test/deep/far.test.ts", 'import { d } from "../../src/d.ts";\n'],
  ["test/e2e/page.test.ts", 'import { a } from "../../src/a.ts";\n'],
]);

describe("the tests of a change", () => {
  const always = ["test/a.test.ts", "test/b.test.ts"];

  it("are those that import a changed file, through a few others and dynamically too", () => {
    expect(findRelatedTests(["src/a.ts"], sources)).toEqual({
      tests: [...always, "test/deep/lazy.test.ts"],
      omitted: 0,
    });
    expect(findRelatedTests(["test/deep/other.test.ts"], sources).tests).toEqual([
      ...always,
      "test/deep/other.test.ts",
    ]);
  });

  it("are those that read documents and folders where no source has changed", () => {
    expect(findRelatedTests(["docs/proxy.md", "src/deleted.ts"], sources)).toEqual({
      tests: always,
      omitted: 0,
    });
  });

  it("are the nearest eight of each changed file, and the others are counted", () => {
    const core = new Map([
      ["src/proxy/core/core.ts", ""],
      ["src/proxy/all.ts", 'import "./core/core.ts";\n'],
      ["test/proxy/core/z.test.ts", 'import "../../../src/proxy/core/core.ts";\n'],
      ["test/proxy/all/core.test.ts", 'import "../../../src/proxy/all.ts";\n'],
      ...Array.from({ length: 20 }, (_, index): [string, string] => [
        `test/other/${String(index).padStart(2, "0")}.test.ts`,
        'import "../../src/proxy/all.ts";\n',
      ]),
    ]);
    const { tests, omitted } = findRelatedTests(["src/proxy/core/core.ts"], core);
    expect(tests).toHaveLength(8);
    expect(tests.slice(-3)).toEqual([
      "test/other/05.test.ts",
      "test/proxy/all/core.test.ts",
      "test/proxy/core/z.test.ts",
    ]);
    expect(omitted).toBe(14);
  });
});

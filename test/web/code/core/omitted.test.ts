import { describe, expect, it } from "vitest";
import type { DiffFile } from "../../../../src/review/api-types.ts";
import { describeChange, describeOmitted } from "../../../../web/code/core/omitted.ts";

it("describes omitted files, unexpected ones first, each folder as one", () => {
  const lines = describeOmitted({
    ignored: { count: 12, paths: ["dist/", "a.log"] },
    nested: { count: 1, paths: ["module/a.js"] },
    onlyStaged: { count: 2, paths: ["a.js", "b.js"] },
  });
  expect(lines.map(({ text }) => text)).toEqual([
    "1 uncommitted file in submodules or nested repositories is not shown.",
    "2 staged changes that are not in the working tree are not shown here. Select Staged changes to review them.",
    "12 ignored files are not shown (a folder counts as one).",
  ]);
  expect(describeOmitted({ ignored: { count: 1, paths: ["a.log"] } })[0]?.text).toBe(
    "1 ignored file is not shown.",
  );
});

const file = (members: Partial<DiffFile>) => ({ path: "lib", status: "modified", ...members }) as DiffFile;

describe("the description of a change without lines", () => {
  it.each([
    ["added", { status: "added", newMode: "160000" }, "A submodule was added."],
    ["deleted", { status: "deleted", oldMode: "160000" }, "A submodule was deleted."],
    ["changed", { oldMode: "160000", newMode: "160000" }, "A submodule, now at another commit."],
  ] as const)("names a submodule that was %s", (_change, members, text) => {
    expect(describeChange(file(members))).toBe(text);
  });

  it("names the modes of a file that became a submodule", () => {
    expect(describeChange(file({ status: "type-changed", oldMode: "100644", newMode: "160000" }))).toBe(
      "A submodule, now at another commit. Its mode changed from 100644 to 160000.",
    );
  });
});

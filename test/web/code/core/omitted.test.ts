import { expect, it } from "vitest";
import { describeOmitted } from "../../../../web/code/core/omitted.ts";

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

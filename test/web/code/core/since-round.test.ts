import { expect, it } from "vitest";
import type { DiffFile, DiffRound } from "../../../../src/review/api-types.ts";
import { describeSince } from "../../../../web/code/core/since-round.ts";

const file = (path: string, fingerprint = "1", oldPath?: string) =>
  ({ path, fingerprint, ...(oldPath === undefined ? {} : { oldPath }) }) as DiffFile;

const round = { files: [file("a"), file("b"), file("c")] } as unknown as DiffRound;
const SAME = [file("a"), file("b"), file("c")];

it.each([
  ["no change", SAME, "No file has changed since then."],
  ["a changed file", [file("a", "2"), file("b"), file("c")], "1 file has changed since then; it is marked."],
  ["two new files", [...SAME, file("d"), file("e")], "2 files have changed since then; they are marked."],
  ["a file that left the diff", [file("a"), file("b")], "1 file is no longer in the diff."],
  [
    "both",
    [file("a", "2")],
    "1 file has changed since then; it is marked. 2 files are no longer in the diff.",
  ],
  [
    "a renamed file",
    [file("a"), file("b"), file("d", "1", "c")],
    "1 file has changed since then; it is marked.",
  ],
])("describes %s since the last feedback", (_what, files, expected) => {
  expect(describeSince(round, files, false)).toBe(expected);
});

it("does not count files that are hidden because only whitespace has changed in them", () => {
  expect(describeSince(round, [file("a"), file("b")], true)).toBe("No file has changed since then.");
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyPatch } from "../../../src/review/git/apply-patch.ts";
import { createPatchSplitter } from "../../../src/review/git/patch-splitter.ts";
import { awkwardText, gitMadePatch } from "../../support/git-made-patch.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("applyPatch", () => {
  it("produces the new text from the old one and git's patch, byte for byte", async () => {
    const folder = await temporaryFolder();
    const pairs = fc.array(fc.tuple(awkwardText, awkwardText), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(pairs, async (files) => {
        const patch = await gitMadePatch(folder, files);
        const splitter = createPatchSplitter();
        splitter.write(patch);
        const sections = splitter.end();
        const changed = files.filter(([old, next]) => !old.equals(next));
        changed.forEach(([old, next], index) => {
          const { offset = 0, length = 0 } = sections[index] ?? {};
          expect(applyPatch(old, patch.subarray(offset, offset + length))).toEqual(next);
        });
      }),
      { numRuns: 25 },
    );
  });

  it.each([
    ["an addition at the top", "b\n", "@@ -0,0 +1 @@\n+a\n", "a\nb\n"],
    ["an addition at the end", "a\n", "@@ -1,0 +2 @@\n+b\n", "a\nb\n"],
    ["a line end taken away", "a\nb\n", "@@ -2 +2 @@\n-b\n+b\n\\ No newline at end of file\n", "a\nb"],
    ["a line end added", "a\nb", "@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+b\n", "a\nb\n"],
    ["everything removed", "a\n", "@@ -1 +0,0 @@\n-a\n", ""],
    ["a file made", "", "@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n", "a\nb"],
    ["no hunk at all", "a\n", "old mode 100644\nnew mode 100755\n", "a\n"],
  ])("takes %s", (_what, old, hunks, next) => {
    const patch = Buffer.from(`diff --git a/x b/x\n${hunks}`);
    expect(applyPatch(Buffer.from(old), patch).toString()).toBe(next);
  });
});

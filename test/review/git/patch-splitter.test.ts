import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPatchSplitter, type PatchSection } from "../../../src/review/git/patch-splitter.ts";
import { awkwardText, damage, damagedBy, gitMadePatch } from "../../support/git-made-patch.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Feeds a patch in pieces, split at these positions. */
function split(patch: Buffer, cuts: readonly number[] = []): PatchSection[] {
  const splitter = createPatchSplitter();
  const positions = [...new Set(cuts.map((cut) => cut % (patch.length + 1)))].sort((a, b) => a - b);
  for (const [index, end] of [...positions, patch.length].entries()) {
    splitter.write(patch.subarray(positions[index - 1] ?? 0, end));
  }
  return splitter.end();
}

const bytesOf = (patch: Buffer, { offset, length }: PatchSection) => patch.subarray(offset, offset + length);

function countLines(text: Buffer): number {
  const ends = text.filter((byte) => byte === 0x0a).length;
  return text.length === 0 || text.at(-1) === 0x0a ? ends : ends + 1;
}

describe("createPatchSplitter", () => {
  it("splits git's patch and joins it again byte for byte, for chunks cut anywhere", async () => {
    const folder = await temporaryFolder();
    const pairs = fc.array(fc.tuple(awkwardText, awkwardText), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(pairs, fc.array(fc.nat(), { maxLength: 60 }), async (files, cuts) => {
        const patch = await gitMadePatch(folder, files);
        const sections = split(patch, cuts);
        expect(Buffer.concat(sections.map((section) => bytesOf(patch, section)))).toEqual(patch);
        expect(sections).toEqual(split(patch));
        const changed = files.filter(([old, next]) => !old.equals(next));
        expect(sections).toHaveLength(changed.length);
        changed.forEach(([old, next], index) => {
          const { additions, deletions } = sections[index] ?? { additions: -1, deletions: -1 };
          expect(additions - deletions).toBe(countLines(next) - countLines(old));
        });
      }),
      { numRuns: 25 },
    );
  });

  it("covers patches with changed, missing and repeated bytes, for chunks cut anywhere", async () => {
    const folder = await temporaryFolder();
    const old = Buffer.from("one\ntwo\nthree\n");
    const patch = await gitMadePatch(folder, [
      [old, Buffer.from("one\n2\nthree")],
      [Buffer.alloc(0), old],
      [old, Buffer.from("-- a\n++ b\n")],
    ]);
    fc.assert(
      fc.property(damage, fc.array(fc.nat(), { maxLength: 20 }), (changes, cuts) => {
        const damaged = damagedBy(changes, patch);
        const sections = split(damaged, cuts);
        expect(Buffer.concat(sections.map((section) => bytesOf(damaged, section)))).toEqual(damaged);
        expect(sections).toEqual(split(damaged));
      }),
      { numRuns: 300 },
    );
  });

  it("covers arbitrary bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.array(fc.nat(), { maxLength: 10 }), (bytes, cuts) => {
        const patch = Buffer.concat([Buffer.from("diff --git a/x b/x\n@@ -1 +1 @@\n"), bytes]);
        const joined = Buffer.concat(split(patch, cuts).map((section) => bytesOf(patch, section)));
        expect(joined).toEqual(patch);
      }),
    );
  });

  it("counts removed lines that look like file headers", () => {
    const patch = Buffer.from(
      "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- drop me\n+++ add me\n context\n",
    );
    expect(split(patch)).toMatchObject([{ additions: 1, deletions: 1 }]);
  });

  it("gives a file a fingerprint that depends on its changes, not on their position", () => {
    const of = (text: string) => split(Buffer.from(text))[0]?.fingerprint;
    const header = "diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n";
    const one = of(`${header}@@ -1,2 +1,2 @@\n context\n-old\n+new\n`);
    expect(of(`${header}@@ -91,2 +95,2 @@ function\n-old\n+new\n other context\n`)).toBe(one);
    expect(of(`${header}@@ -1,2 +1,2 @@\n context\n-old\n+newer\n`)).not.toBe(one);
  });

  it("distinguishes binaries and mode changes by their header", () => {
    const of = (header: string) => split(Buffer.from(`diff --git a/x b/x\n${header}`))[0]?.fingerprint;
    const one = of("index 111..222 100644\nBinary files a/x and b/x differ\n");
    expect(of("index 111..333 100644\nBinary files a/x and b/x differ\n")).not.toBe(one);
    expect(of("old mode 100644\nnew mode 100755\n")).not.toBe(one);
  });

  it("gives messages about conflicts their own sections", () => {
    const patch = Buffer.from(
      "* Unmerged path a\ndiff --git a/b b/b\n@@ -1 +1 @@\n-x\n+y\n* Unmerged path c\n",
    );
    expect(split(patch).map((section) => bytesOf(patch, section).toString().split("\n")[0])).toEqual([
      "* Unmerged path a",
      "diff --git a/b b/b",
      "* Unmerged path c",
    ]);
  });

  it("accepts a line of many megabytes in small chunks", () => {
    const patch = Buffer.concat([
      Buffer.from("diff --git a/x b/x\n@@ -0,0 +1 @@\n+"),
      Buffer.alloc(8_000_000, "x"),
      Buffer.from("\n"),
    ]);
    const cuts = Array.from({ length: 2_000 }, (_, index) => index * 4_000);
    expect(split(patch, cuts)).toMatchObject([{ additions: 1, deletions: 0, length: patch.length }]);
  });
});

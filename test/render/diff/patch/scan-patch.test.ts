import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parsePatch } from "diff";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { lineText, type ParsedPatch } from "../../../../src/render/diff/patch/parsed-patch.ts";
import { scanPatch } from "../../../../src/render/diff/patch/scan-patch.ts";
import { damage, damagedBy } from "../../../support/git-made-patch.ts";

const folder = mkdtempSync(join(tmpdir(), "scan-patch-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** `git diff --no-index` of two texts; empty when they are equal. */
function gitDiff(before: string, after: string): string {
  writeFileSync(join(folder, "before.txt"), before);
  writeFileSync(join(folder, "after.txt"), after);
  try {
    return execFileSync("git", ["diff", "--no-index", "before.txt", "after.txt"], {
      cwd: folder,
      encoding: "utf8",
    });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

/** The lines with their markers, as jsdiff returns them. */
function markedLines(patch: ParsedPatch): string[] {
  return Array.from({ length: patch.lineCount }, (_, line) => {
    const marker = " +-"[patch.kind[line] ?? 0];
    return `${marker}${patch.text.slice(patch.start[line], patch.end[line])}`;
  });
}

/** One side of the file, restored from a patch that contains all of its lines. */
function sideOf(patch: ParsedPatch, side: "old" | "new"): string {
  let text = "";
  for (let line = 0; line < patch.lineCount; line++) {
    const number = side === "old" ? patch.oldLine[line] : patch.newLine[line];
    if (number === 0) continue;
    text += patch.text.slice(patch.start[line], patch.end[line]);
    if (!patch.withoutNewline.has(line)) text += "\n";
  }
  return text;
}

describe("scanPatch", () => {
  it("returns the same as jsdiff for git's diffs of random files", () => {
    const line = fc.constantFrom(
      "a",
      "b",
      "",
      "  c",
      "-- d",
      "++ e",
      "@@ f",
      "diff --git a/x b/x",
      "\\ g",
      "h\r",
    );
    const file = fc.tuple(fc.array(line, { maxLength: 40 }), fc.boolean());
    const textOf = ([lines, ends]: [string[], boolean]) =>
      lines.join("\n") + (ends && lines.length > 0 ? "\n" : "");
    fc.assert(
      fc.property(file, file, (before, after) => {
        const text = gitDiff(textOf(before), textOf(after));
        fc.pre(text !== "");
        const expected = parsePatch(text)[0];
        const patch = scanPatch(text);
        expect(patch.broken).toBe(false);
        expect(markedLines(patch)).toEqual(
          expected?.hunks.flatMap((hunk) => hunk.lines.filter((each) => !each.startsWith("\\"))),
        );
        expect(
          patch.hunks.map((hunk) => [hunk.oldStart, hunk.oldCount, hunk.newStart, hunk.newCount]),
        ).toEqual(
          expected?.hunks.map((hunk) => [hunk.oldStart, hunk.oldLines, hunk.newStart, hunk.newLines]),
        );
      }),
      { numRuns: 60 },
    );
  });

  it("returns only lines of the patch, however damaged it is", () => {
    const whole = Buffer.from(gitDiff("one\ntwo\nthree\n", "one\n2\nthree\nfour"));
    fc.assert(
      fc.property(damage, (changes) => {
        const text = damagedBy(changes, whole).toString();
        // An empty line stands for an unchanged empty line.
        const lines = new Set(text.split("\n").map((line) => line || " "));
        const patch = scanPatch(text);
        expect(markedLines(patch).filter((line) => !lines.has(line))).toEqual([]);
        for (let line = 0; line < patch.lineCount; line++) {
          const partner = patch.partner[line] ?? -1;
          expect(partner === -1 || patch.partner[partner] === line).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("numbers the lines so that both sides can be reconstructed", () => {
    const before = "one\ntwo\nthree\n";
    const after = "one\n2\nthree\nfour";
    const patch = scanPatch(gitDiff(before, after));
    expect(sideOf(patch, "old")).toBe(before);
    expect(sideOf(patch, "new")).toBe(after);
  });

  it("pairs removed lines with the added ones that follow", () => {
    const patch = scanPatch("@@ -1,3 +1,2 @@\n-a\n-b\n-c\n+A\n+B\n");
    expect([...patch.partner.slice(0, 5)]).toEqual([3, 4, -1, 0, 1]);
  });

  it("omits a carriage return at the end of a line", () => {
    const patch = scanPatch("@@ -1 +1 @@\n-a\r\n+b\r\n");
    expect([lineText(patch, 0), lineText(patch, 1)]).toEqual(["a", "b"]);
  });

  it.each([
    ["a hunk cut short", "@@ -1,3 +1,3 @@\n a\n"],
    ["a line without a marker", "@@ -1,2 +1,2 @@\n a\nb\n"],
    ["a combined diff", "diff --cc x\n@@@ -1,1 -1,1 +1,1 @@@\n--a\n"],
  ])("calls %s broken instead of throwing", (_name, text) => {
    expect(scanPatch(text).broken).toBe(true);
  });

  it("parses both parts of a type change", () => {
    const halves =
      "diff --git a/l b/l\ndeleted file mode 100644\n@@ -1 +0,0 @@\n-a\ndiff --git a/l b/l\nnew file mode 120000\n@@ -0,0 +1 @@\n+b\n\\ No newline at end of file\n";
    expect(scanPatch(halves).hunks).toHaveLength(2);
  });

  it("finds no hunks in a binary or empty patch", () => {
    const patch = scanPatch("diff --git a/x.png b/x.png\nBinary files a/x.png and b/x.png differ\n");
    expect([patch.lineCount, patch.hunks.length, patch.broken]).toEqual([0, 0, false]);
  });
});

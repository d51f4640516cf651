import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { completeSides } from "../../../src/review/patch/complete-sides.ts";
import { filePatch } from "../../../src/review/patch/file-patch.ts";
import { readPatchSeries } from "../../../src/review/patch/read-patch-series.ts";
import { withoutSpaceChanges } from "../../../src/review/patch/space-changes.ts";
import { awkwardText } from "../../support/git-made-patch.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const file = (bytes: Buffer) => ({ mode: "100644", bytes }) as const;
const patchOf = (old: Buffer, next: Buffer) =>
  filePatch("x.txt", file(old), file(next))?.bytes ?? Buffer.alloc(0);

describe("filePatch", () => {
  it("writes patches that git applies", async () => {
    const folder = await temporaryFolder();
    const pairs = fc.array(fc.tuple(awkwardText, awkwardText), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(pairs, async (files) => {
        const root = join(folder, `run-${Math.random()}`);
        await mkdir(root);
        const patches = await Promise.all(
          files.map(async ([old, next], index) => {
            // For a binary file, git applies only contents that are in its own patches.
            fc.pre(!old.includes(0) && !next.includes(0));
            await writeFile(join(root, `f ${index}`), old);
            return filePatch(`f ${index}`, file(old), file(next))?.bytes ?? Buffer.alloc(0);
          }),
        );
        const patch = Buffer.concat(patches);
        if (patch.length === 0) return;
        await writeFile(join(folder, "all.patch"), patch);
        await promisify(execFile)("git", ["apply", "--unidiff-zero", join(folder, "all.patch")], {
          cwd: root,
        });
        for (const [index, [, next]] of files.entries()) {
          expect(await readFile(join(root, `f ${index}`))).toEqual(next);
        }
      }),
      { numRuns: 15 },
    );
  });

  it("returns nothing for equal files, and describes modes, links and binary files", () => {
    expect(filePatch("x", file(Buffer.from("a")), file(Buffer.from("a")))).toBeUndefined();
    const program = filePatch("x", file(Buffer.from("a")), { mode: "100755", bytes: Buffer.from("a") });
    expect(program?.bytes.toString()).toBe("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n");
    expect(
      filePatch("x", undefined, { mode: "120000", bytes: Buffer.from("y") })?.bytes.toString(),
    ).toContain("new file mode 120000\n");
    const binary = filePatch("x", undefined, file(Buffer.from([1, 0, 2])));
    expect(binary?.bytes.toString()).toContain("Binary files /dev/null and b/x differ\n");
  });

  it("keeps the lines between any number of changed lines", () => {
    const text = (word: string) => {
      const lines = Array.from({ length: 12_000 }, (_, index) => `same ${index}\n${word} ${index}\n`);
      return Buffer.from(lines.join(""));
    };
    const patch = patchOf(text("old"), text("new")).toString();
    expect(patch).toContain("\n same 11999\n-old 11999\n+new 11999\n");
    expect(patch.match(/^[-+](?:old|new) /gm)).toHaveLength(24_000);
  });
});

describe("completeSides", () => {
  it("handles changes of more lines than a call accepts arguments", () => {
    const text = (word: string) => Buffer.from(`${word} line\n`.repeat(200_000));
    const [old, next] = [text("old"), text("new")];
    const patch = patchOf(old, next);
    expect(completeSides(patch, "new", next)?.old.equals(old)).toBe(true);
    const [part] = readPatchSeries(patch, "The patch");
    expect(part?.files[0]?.bytes.equals(patch)).toBe(true);
    expect(withoutSpaceChanges(patch).equals(patch)).toBe(true);
  });

  it("computes either side from the other", () => {
    fc.assert(
      fc.property(awkwardText, awkwardText, (old, next) => {
        fc.pre(!old.equals(next));
        const patch = patchOf(old, next);
        fc.pre(!patch.includes("Binary files"));
        expect(completeSides(patch, "old", old)?.new).toEqual(next);
        expect(completeSides(patch, "new", next)?.old).toEqual(old);
      }),
      { numRuns: 200 },
    );
  });

  it("returns nothing if the patch does not belong to the text", () => {
    const patch = patchOf(Buffer.from("a\nb\nc\n"), Buffer.from("a\nB\nc\n"));
    expect(completeSides(patch, "old", Buffer.from("a\nx\nc\n"))).toBeUndefined();
    expect(completeSides(patch, "new", Buffer.from("a\n"))).toBeUndefined();
  });
});

describe("withoutSpaceChanges", () => {
  const lines = (...texts: string[]) => Buffer.from(texts.map((text) => `${text}\n`).join(""));

  it("turns whitespace changes into context and removes hunks without another change", () => {
    const middle = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    const patch = patchOf(
      lines("if (a) {", "b", ...middle, "  end"),
      lines("if(a) {", "c", ...middle, "end"),
    );
    const text = withoutSpaceChanges(patch).toString();
    expect(text).toContain("@@ -1,5 +1,5 @@\n if(a) {\n-b\n+c\n");
    expect(text).not.toContain("end");
  });

  it("leaves only the header of a file that changes nothing else", () => {
    const patch = patchOf(lines("a b"), lines("a  b"));
    expect(withoutSpaceChanges(patch).toString()).toMatch(/^diff --git a\/x.txt b\/x.txt\nindex .*\n$/);
  });
});

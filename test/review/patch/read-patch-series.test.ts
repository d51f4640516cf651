import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPatchSplitter } from "../../../src/review/git/patch-splitter.ts";
import { readPatchSeries } from "../../../src/review/patch/read-patch-series.ts";
import { awkwardText, gitMadePatch } from "../../support/git-made-patch.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { testRepository } from "../../support/test-repository.ts";

const hunksOf = (patch: Buffer) => {
  const at = patch.indexOf("\n@@ ");
  return at < 0 ? "" : patch.subarray(at).toString("latin1");
};

const HUNK = "@@ -1 +1 @@\n-a\n+b\n";

/** Returns the paths and the text of all files of a patch. */
function read(patch: string | Buffer) {
  const parts = readPatchSeries(Buffer.from(patch), "x.patch");
  const files = parts.flatMap((part) => part.files);
  return {
    parts,
    paths: files.map(({ path }) => path),
    text: files.map(({ bytes }) => bytes.toString()).join(""),
  };
}

describe("readPatchSeries", () => {
  it("returns the hunks of git's patches byte for byte", async () => {
    const folder = await temporaryFolder();
    const pairs = fc.array(fc.tuple(awkwardText, awkwardText), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(pairs, async (files) => {
        const patch = await gitMadePatch(folder, files);
        const [part] = readPatchSeries(patch, "x.patch");
        const read = part?.files.map(({ bytes }) => hunksOf(bytes)) ?? [];
        const splitter = createPatchSplitter();
        splitter.write(patch);
        const made = splitter
          .end()
          .map(({ offset, length }) => hunksOf(patch.subarray(offset, offset + length)));
        expect(read).toEqual(made);
      }),
      { numRuns: 25 },
    );
  });

  it.each([
    ["git", "diff --git a/src/x.ts b/src/x.ts\n--- a/src/x.ts\n+++ b/src/x.ts\n"],
    ["git --no-prefix", "diff --git src/x.ts src/x.ts\n--- src/x.ts\n+++ src/x.ts\n"],
    ["git with mnemonic prefixes", "diff --git i/src/x.ts w/src/x.ts\n--- i/src/x.ts\n+++ w/src/x.ts\n"],
    [
      "git with prefixes of one's own",
      "diff --git old/src/x.ts new/src/x.ts\n--- old/src/x.ts\n+++ new/src/x.ts\n",
    ],
    [
      "GNU diff -u",
      "--- a/src/x.ts\t2026-01-01 10:00:00.0 +0000\n+++ b/src/x.ts\t2026-01-01 10:00:01.0 +0000\n",
    ],
    [
      "GNU diff -ru of folders",
      "diff -ru one/src/x.ts two/src/x.ts\n--- one/src/x.ts\t2026\n+++ two/src/x.ts\t2026\n",
    ],
    ["Subversion", "Index: src/x.ts\n=====\n--- src/x.ts\t(revision 1)\n+++ src/x.ts\t(working copy)\n"],
    ["Mercurial", "diff -r 1a2b3c src/x.ts\n--- a/src/x.ts\tThu Jan 01 00:00:00 1970\n+++ b/src/x.ts\tThu\n"],
    ["CR LF headers", "diff --git a/src/x.ts b/src/x.ts\r\n--- a/src/x.ts\r\n+++ b/src/x.ts\r\n"],
  ])("reads the names of %s", (_what, header) => {
    const { paths, text } = read(header + HUNK);
    expect(paths).toEqual(["src/x.ts"]);
    expect(text).toBe(`diff --git a/src/x.ts b/src/x.ts\n--- a/src/x.ts\n+++ b/src/x.ts\n${HUNK}`);
  });

  it("reads names with spaces, quotes and other alphabets", () => {
    const name = (label: string) => `diff --git ${label}\n--- ${label.split(" b/")[0]}\t\n`;
    expect(read(`${name("a/new name.txt b/new name.txt")}+++ b/new name.txt\t\n${HUNK}`).paths).toEqual([
      "new name.txt",
    ]);
    const octal = '"a/gr\\303\\266\\303\\237e.txt" "b/gr\\303\\266\\303\\237e.txt"';
    expect(read(`diff --git ${octal}\nold mode 100644\nnew mode 100755\n`).paths).toEqual(["größe.txt"]);
    const spaced = '"a/d\\303\\251j\\303\\240 vu"';
    const both = `diff --git ${spaced} ${spaced.replace("a/", "b/")}\n--- ${spaced}\t\n+++ ${spaced.replace("a/", "b/")}\t\n`;
    expect(read(both + HUNK).paths).toEqual(["déjà vu"]);
    const raw = "diff --git a/größe b/größe\n--- a/größe\n+++ b/größe\n";
    expect(read(raw + HUNK).paths).toEqual(["größe"]);
  });

  it("marks added and deleted files of diffs that do not say so", () => {
    const added = read("--- /dev/null\n+++ b/x.ts\n@@ -0,0 +1 @@\n+a\n");
    expect(added.text).toContain("new file mode 100644\n--- /dev/null\n+++ b/x.ts\n");
    const deleted = read("--- x.ts\t2026\n+++ x.ts\t1970\n@@ -1 +0,0 @@\n-a\n");
    expect(deleted.text).toContain("deleted file mode 100644\n--- a/x.ts\n+++ /dev/null\n");
  });

  it("takes as many lines as a hunk's header names, whatever follows", () => {
    const mail = `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n a\n\n+-- b\n-- \n2.39.5\n\n--- note\n`;
    expect(read(mail).text).toBe("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n a\n \n+-- b\n");
  });

  it.each([
    ["is cut off", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n", "ends inside the hunk of line 3"],
    ["has wrong counts", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n-b\n", "has an invalid hunk at line 3"],
    ["combines parents", "diff --cc x\n@@@ -1 -1 +1 @@@\n", "is the combined diff of a merge"],
  ])("rejects a patch that %s", (_what, patch, message) => {
    expect(() => read(patch)).toThrow(message);
  });

  it("returns nothing for text without a diff", () => {
    expect(read("just words\n--- and a line\n").parts).toEqual([]);
  });

  it("separates the commits of git format-patch, with their messages", async () => {
    const repository = await testRepository({ "a.txt": "1\n" });
    await repository.write({ "a.txt": "2\n" });
    await repository.commit(
      "Größer: a second version\n\nBecause one is not enough.\n\ndiff is mentioned here",
    );
    await writeFile(join(repository.root, "logo.png"), Buffer.from([0, 1, 2]));
    await repository.write({ "a.txt": "3\n" });
    await repository.commit("third");
    const shas = (await repository.git("rev-list", "--reverse", "HEAD~2..HEAD")).trim().split("\n");
    const { parts } = read(await repository.git("format-patch", "--stdout", "--binary", "HEAD~2"));
    expect(parts.map(({ commit }) => commit)).toMatchObject([
      {
        sha: shas[0],
        title: "Größer: a second version",
        body: "Because one is not enough.\n\ndiff is mentioned here",
        author: "Ada Writer",
      },
      { sha: shas[1], title: "third", body: "" },
    ]);
    expect(parts.map((part) => part.files.map(({ path }) => path))).toEqual([
      ["a.txt"],
      ["a.txt", "logo.png"],
    ]);
    expect(parts[1]?.files[1]?.bytes.toString()).toMatch(
      /Binary files \/dev\/null and b\/logo.png differ\n$/,
    );
  });

  it("begins another part where a file appears again, except for a file that becomes a link", () => {
    const change = `diff --git a/x b/x\n--- a/x\n+++ b/x\n${HUNK}`;
    expect(read(change + change).parts).toHaveLength(2);
    const typeChange =
      "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n" +
      "diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+y\n\\ No newline at end of file\n";
    expect(read(typeChange).parts).toHaveLength(1);
  });
});

import { chmod, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { DiffSession } from "../../../src/review/diff-session.ts";
import { hasSide, readFiles } from "../../../src/review/git/file-text.ts";
import { hunkLines, readKnownLines } from "../../../src/review/known-lines.ts";
import { createFilesOrigin } from "../../../src/review/patch/files-origin.ts";
import { hashBlob } from "../../../src/review/patch/hash-blob.ts";
import { createPatchOrigin, patchFile, patchFromStream } from "../../../src/review/patch/patch-origin.ts";
import { createPatchSession, type PatchOrigin } from "../../../src/review/patch/patch-session.ts";
import { createVcsOrigin } from "../../../src/review/patch/vcs-origin.ts";
import { PNG } from "../../support/images.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { testRepository } from "../../support/test-repository.ts";

const PATCH = `diff --git a/src/door.js b/src/door.js
index 1111111..2222222 100644
--- a/src/door.js
+++ b/src/door.js
@@ -10,4 +10,5 @@ export function door() {
   const hinge = 2;
-  return open();
+  const lock = 1;
+  return open(lock);
   // end
 }
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+hello
`;

/**
 * A diff in Sapling's form: without `index` lines and similarities, all ranges with a length, a tab after a name with
 * spaces, and the empty blob as the old side of a new binary file.
 * https://github.com/facebook/sapling/blob/main/eden/scm/tests/test-git-export.t
 */
const SAPLING_PATCH = `diff --git a/src/door.js b/src/door.js
--- a/src/door.js
+++ b/src/door.js
@@ -10,4 +10,5 @@
   const hinge = 2;
-  return open();
+  const lock = 1;
+  return open(lock);
   // end
 }
diff --git a/old name.txt b/new name.txt
old mode 100755
new mode 100644
rename from old name.txt
rename to new name.txt
--- a/old name.txt\t
+++ b/new name.txt\t
@@ -1,1 +1,2 @@
 one
+two
diff --git a/old name.txt b/copy.txt
copy from old name.txt
copy to copy.txt
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1,1 +0,0 @@
-bye
diff --git a/key.bin b/key.bin
new file mode 100644
index e69de29bb2d1d6434b8b29ae775ad8c2e48c5391..f76dd238ade08917e6712764a16a22005a50573d
GIT binary patch
literal 1
IcmZPo000310RR91

diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1,1 @@
+hello
`;

function sessionOf(origin: PatchOrigin): DiffSession {
  const session = createPatchSession(origin);
  onTestFinished(() => session.close());
  return session;
}

async function patchText(session: DiffSession, ignoreSpace = false): Promise<string> {
  const { snapshot, release } = await session.current(ignoreSpace);
  const pieces: Buffer[] = [];
  for await (const piece of readFiles(snapshot, snapshot.files)) pieces.push(piece);
  release();
  return Buffer.concat(pieces).toString();
}

async function paths(session: DiffSession): Promise<string[]> {
  const { snapshot, release } = await session.current();
  release();
  return snapshot.files.map(({ path }) => path);
}

async function* streamOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

const stdinPatch = async (text: string, root = "/nowhere/shop", inner: readonly string[] = []) =>
  sessionOf(createPatchOrigin({ input: await patchFromStream(streamOf(text)), paths: inner, root }));

describe("a session of a patch", () => {
  it("knows the lines of hunks at their numbers, and no others", async () => {
    const session = await stdinPatch(PATCH);
    const lease = await session.current();
    expect(lease.snapshot.files.map(({ path, status, hunksOnly }) => ({ path, status, hunksOnly }))).toEqual([
      { path: "src/door.js", status: "modified", hunksOnly: true },
      { path: "new.txt", status: "added", hunksOnly: undefined },
    ]);
    const lines = await readKnownLines(lease, "src/door.js", "new");
    expect([lines[8], lines[10], lines.length]).toEqual([undefined, "  const lock = 1;", 14]);
    expect((await readKnownLines(lease, "src/door.js", "old"))[10]).toBe("  return open();");
    await expect(lease.sides.read("src/door.js", "new")).rejects.toMatchObject({ code: "not_found" });
    expect((await lease.sides.read("new.txt", "new")).toString()).toBe("hello\n");
    await expect(lease.sides.read("new.txt", "old")).rejects.toMatchObject({ code: "not_found" });
    await expect(lease.sides.read("../outside.txt", "new")).rejects.toMatchObject({ code: "not_found" });
    lease.release();
  });

  it("reads complete files from the repository that contains what the patch changes", async () => {
    const text = Array.from({ length: 40 }, (_, index) => `line ${index + 1}\n`).join("");
    const repository = await testRepository({ "a.txt": text });
    await repository.write({ "a.txt": text.replace("line 20\n", "line twenty\n") });
    const patch = await repository.git("diff");
    await repository.git("checkout", "--quiet", "a.txt");
    const input = await patchFromStream(streamOf(patch));
    const session = sessionOf(
      createPatchOrigin({ input, paths: [], root: repository.root, repository: await repository.open() }),
    );
    const lease = await session.current();
    expect(lease.snapshot.files[0]?.hunksOnly).toBeUndefined();
    expect((await lease.sides.read("a.txt", "old")).toString()).toBe(text);
    expect((await lease.sides.read("a.txt", "new")).toString()).toContain("line 19\nline twenty\nline 21\n");
    lease.release();
  });

  it("shows the commits of a series one by one, and all together where no file repeats", async () => {
    const repository = await testRepository({ "a.txt": "1\n" });
    await repository.write({ "a.txt": "2\n" });
    await repository.commit("second");
    await repository.write({ "b.txt": "b\n" });
    await repository.commit("third");
    const series = await repository.git("format-patch", "--stdout", "HEAD~2");
    const apart = await stdinPatch(series);
    expect(await paths(apart)).toEqual(["a.txt", "b.txt"]);
    const [, third] = await apart.commits();
    expect(third).toMatchObject({ title: "third", author: "Ada Writer" });
    (await apart.switchTo(`commit:${third?.sha}`)).release();
    expect(await paths(apart)).toEqual(["b.txt"]);
    await expect(apart.switchTo("branch")).rejects.toMatchObject({ code: "validation" });

    await repository.write({ "a.txt": "3\n" });
    await repository.commit("fourth");
    const repeated = await stdinPatch(await repository.git("format-patch", "--stdout", "HEAD~3"));
    const { snapshot, release } = await repeated.current();
    release();
    expect(snapshot.plan).toMatchObject({ gitRef: "second" });
    await expect(repeated.switchTo("patch")).rejects.toMatchObject({ code: "validation" });
  });

  it("limits the patch to paths and leaves whitespace out on request", async () => {
    expect(await paths(await stdinPatch(PATCH, "/x", ["src"]))).toEqual(["src/door.js"]);
    const spaced = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a b\n+a  b\n";
    const session = await stdinPatch(spaced);
    expect(await patchText(session)).toContain("+a  b");
    expect(await patchText(session, true)).not.toContain("@@");
  });

  it("reads the patch file again on refresh, and reports when it has changed", async () => {
    const folder = await temporaryFolder();
    const file = join(folder, "x.patch");
    await writeFile(file, PATCH);
    const session = sessionOf(createPatchOrigin({ input: patchFile(file), paths: [], root: folder }));
    expect(await paths(session)).toEqual(["src/door.js", "new.txt"]);
    expect(await session.isOutdated()).toBe(false);
    await writeFile(file, PATCH.replaceAll("new.txt", "other.txt"));
    expect(await session.isOutdated()).toBe(true);
    (await session.switchTo("patch")).release();
    expect(await paths(session)).toEqual(["src/door.js", "other.txt"]);
  });

  it.each([
    ["is missing", undefined, "no such file"],
    ["is empty", "", "contains no diff"],
    ["is no patch", "just words\n", "contains no diff"],
  ])("rejects a file that %s", async (_what, content, message) => {
    const file = join(await temporaryFolder(), "x.patch");
    if (content !== undefined) await writeFile(file, content);
    const origin = createPatchOrigin({ input: patchFile(file), paths: [], root: "/" });
    await expect(sessionOf(origin).current()).rejects.toThrow(message);
  });
});

describe("a session of files", () => {
  const write = async (folder: string, files: Record<string, string>) => {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(join(folder, path, ".."), { recursive: true });
      await writeFile(join(folder, path), content);
    }
  };

  it("shows whole files as new and leaves out version control and installed packages", async () => {
    const folder = await temporaryFolder();
    await write(folder, {
      "src/a.js": "one\ntwo\n",
      "src/deep/größe 大.txt": "words",
      "src/.git/config": "x",
      "src/node_modules/p/index.js": "x",
      "other.txt": "not named",
    });
    await symlink("a.js", join(folder, "src/link.js"));
    const session = sessionOf(
      createFilesOrigin({ compared: [{ path: join(folder, "src") }], project: folder }),
    );
    const lease = await session.current();
    expect(lease.snapshot.files.map(({ path, newMode }) => [path, newMode])).toEqual([
      ["src/a.js", "100644"],
      ["src/deep/größe 大.txt", "100644"],
      ["src/link.js", "120000"],
    ]);
    expect(lease.snapshot.omitted?.ignored?.paths.toSorted()).toEqual(["src/.git/", "src/node_modules/"]);
    expect((await lease.sides.read("src/deep/größe 大.txt", "new")).toString()).toBe("words");
    await expect(lease.sides.read("other.txt", "new")).rejects.toMatchObject({ code: "not_found" });
    lease.release();
  });

  it.runIf(process.platform === "linux")("shows files whose names are not UTF-8", async () => {
    const folder = await temporaryFolder();
    const name = (byte: number) =>
      Buffer.concat([Buffer.from(`${folder}/a`), Buffer.from([byte]), Buffer.from(".js")]);
    await writeFile(name(0xfe), "one\n");
    await writeFile(name(0xff), "two\n");
    await writeFile(join(folder, "a\\377.js"), "three\n");
    await mkdir(Buffer.concat([name(0xff), Buffer.from("d")]));
    await writeFile(Buffer.concat([name(0xff), Buffer.from("d/inner.js")]), "four\n");
    const session = sessionOf(createFilesOrigin({ compared: [{ path: folder }], project: folder }));
    const lease = await session.current();
    const read = async ({ path }: { path: string }) => [
      path.replace(" (2)", ""),
      (await lease.sides.read(path, "new")).toString(),
    ];
    const shown = await Promise.all(lease.snapshot.files.map(read));
    expect(shown.toSorted()).toEqual([
      ["a\\376.js", "one\n"],
      ["a\\377.js", "three\n"],
      ["a\\377.js", "two\n"],
      ["a\\377.jsd/inner.js", "four\n"],
    ]);
    lease.release();
  });

  it("compares two folders, with complete old files", async () => {
    const folder = await temporaryFolder();
    await write(folder, {
      "before/same.txt": "same\n",
      "before/changed.txt": "one\ntwo\n",
      "before/gone.txt": "bye\n",
      "after/same.txt": "same\n",
      "after/changed.txt": "one\n2\n",
      "after/sub/added.txt": "hello\n",
    });
    const compared = [{ path: join(folder, "after"), against: join(folder, "before") }];
    const session = sessionOf(createFilesOrigin({ compared, project: folder }));
    const lease = await session.current();
    expect(lease.snapshot.files.map(({ path, status }) => `${status} ${path}`)).toEqual([
      "modified after/changed.txt",
      "deleted after/gone.txt",
      "added after/sub/added.txt",
    ]);
    expect((await lease.sides.read("after/changed.txt", "old")).toString()).toBe("one\ntwo\n");
    lease.release();
    expect(await session.isOutdated()).toBe(false);
    await write(folder, { "after/changed.txt": "one\n3\n" });
    expect(await session.isOutdated()).toBe(true);
  });

  it.runIf(process.platform !== "win32")("leaves out what cannot be read, and says so", async () => {
    const folder = await temporaryFolder();
    await write(folder, { "a.txt": "a\n", "locked/b.txt": "b\n", "secret.txt": "s\n" });
    await chmod(folder, 0o755);
    await chmod(join(folder, "locked"), 0);
    await chmod(join(folder, "secret.txt"), 0);
    // Root reads everything.
    if (process.geteuid?.() === 0) {
      process.seteuid?.(65_534);
      onTestFinished(() => process.seteuid?.(0));
    }
    const session = sessionOf(createFilesOrigin({ compared: [{ path: folder }], project: folder }));
    expect(await paths(session)).toEqual(["a.txt"]);
    const lease = await session.current();
    expect(lease.snapshot.omitted).toEqual({ unknown: { count: 2, paths: ["locked/", "secret.txt"] } });
    lease.release();
    await chmod(join(folder, "locked"), 0o755).catch(() => {});
  });

  it("leaves the folder to compare with out of the folder that contains it", async () => {
    const folder = await temporaryFolder();
    await write(folder, { "a.txt": "2\n", "old/a.txt": "1\n", "old/old/b.txt": "b\n" });
    const compared = [{ path: folder, against: join(folder, "old") }];
    const session = sessionOf(createFilesOrigin({ compared, project: folder }));
    const lease = await session.current();
    expect(lease.snapshot.files.map(({ path, status }) => `${status} ${path}`)).toEqual([
      "modified a.txt",
      "deleted old/b.txt",
    ]);
    expect(lease.snapshot.omitted?.ignored?.paths).toEqual(["old/"]);
    lease.release();
  });

  it("shows files outside the project relative to their common folder", async () => {
    const folder = await temporaryFolder();
    await write(folder, { "project/a.txt": "a\n", "elsewhere/b.txt": "b\n" });
    const compared = [{ path: join(folder, "project/a.txt") }, { path: join(folder, "elsewhere/b.txt") }];
    const session = sessionOf(createFilesOrigin({ compared, project: join(folder, "project") }));
    expect(await paths(session)).toEqual(["elsewhere/b.txt", "project/a.txt"]);
  });
});

describe("a session of jj or Sapling", () => {
  /** Writes a stand-in program that responds to the calls of `createVcsOrigin` and records them. */
  async function standIn(name: "jj" | "sl") {
    const folder = await temporaryFolder();
    const root = join(folder, "repo");
    const bin = join(folder, "bin");
    await mkdir(bin);
    await mkdir(join(root, name === "jj" ? ".jj" : ".sl"), { recursive: true });
    await writeFile(join(folder, "now.patch"), name === "jj" ? PATCH : SAPLING_PATCH);
    const source = `#!${process.execPath}
const fs = require("node:fs");
const args = process.argv.slice(2);
fs.appendFileSync(${JSON.stringify(join(folder, "calls"))}, JSON.stringify(args) + "\\n");
const log = ${JSON.stringify(name === "jj" ? ["2026-01-02T03:04:05Z", "a title\n\nwhy\n"] : ["2026-01-02T04:04:05+01:00", "a title\n\nwhy"])};
if (args.includes("log")) process.stdout.write(["a".repeat(40), "Ada", ...log, ""].join("\\0"));
else if (args.includes("status")) process.stdout.write("unknown.txt\\0");
else if (args.includes("show")) process.stdout.write(fs.readFileSync(${JSON.stringify(join(folder, "shown"))}));
else if (args.includes("diff")) process.stdout.write(fs.readFileSync(${JSON.stringify(join(folder, "now.patch"))}));
`;
    await writeFile(join(bin, name), source);
    await chmod(join(bin, name), 0o755);
    return { folder, root, environment: { PATH: `${bin}${delimiter}${process.env["PATH"]}`, HOME: folder } };
  }

  it("shows jj's own diff and its commits", async () => {
    const { root, environment } = await standIn("jj");
    const session = sessionOf(await createVcsOrigin({ kind: "jj", root }, [], environment));
    expect(await paths(session)).toEqual(["src/door.js", "new.txt"]);
    const [commit] = await session.commits();
    expect(commit).toEqual({
      sha: "a".repeat(40),
      author: "Ada",
      at: "2026-01-02T03:04:05Z",
      title: "a title",
      body: "why",
    });
    (await session.switchTo(`commit:${commit?.sha}`)).release();
    await expect(session.switchTo("commit:--config=x")).rejects.toMatchObject({ code: "validation" });
    await expect(session.switchTo("nonsense")).rejects.toMatchObject({ code: "validation" });
  });

  it("marks the sides with conflicts that jj shows by markers, and reads their lines", async () => {
    const { folder, root, environment } = await standIn("jj");
    // The output of `jj diff --git` in cli/tests/test_diff_command.rs of jj.
    const conflict = `diff --git a/file b/file
index 94c99a3280..0000000000 100644
--- a/file
+++ b/file
@@ -2,3 +2,12 @@
 line 2
-line 3
+<<<<<<< conflict 1 of 1
++++++++ zsuskuln 713a980c "left1"
+left 3.1
+left 3.2
+left 3.3
+%%%%%%% diff from: rlvkpnrz aa7e33ed "base"
+\\\\\\\\\\\\\\        to: vruxwmqv 3fe2e860 "right1"
+-line 3
++right 3.1
+>>>>>>> conflict 1 of 1 ends
 line 4
`;
    const resolved = conflict
      .replaceAll("/file", "/was")
      .replace("94c99a3280..0000000000", "0000000000..94c99a3280");
    const deleted = "diff --git a/gone b/gone\ndeleted file mode 100644\nindex 94c99a3280..0000000000\n";
    await writeFile(join(folder, "now.patch"), conflict + resolved + deleted);
    const session = sessionOf(await createVcsOrigin({ kind: "jj", root }, [], environment));
    const lease = await session.current();
    expect(lease.snapshot.files.map((file) => [file.path, file.conflict])).toEqual([
      ["file", "new"],
      ["was", "old"],
      ["gone", undefined],
    ]);
    expect(lease.snapshot.files.map((file) => hasSide(file, "new"))).toEqual([true, true, false]);
    lease.release();
  });

  it("completes the files of jj's diff from the working copy where it fits", async () => {
    const { root, environment } = await standIn("jj");
    const session = sessionOf(await createVcsOrigin({ kind: "jj", root }, [], environment));
    const known = hunkLines(PATCH.slice(0, PATCH.indexOf("diff --git a/new.txt")), "new");
    await mkdir(join(root, "src"));
    await writeFile(
      join(root, "src/door.js"),
      `${known.map((line, index) => line ?? `// ${index}`).join("\n")}\n// last\n`,
    );
    const lease = await session.current();
    expect((await lease.sides.read("src/door.js", "old")).toString()).toMatch(
      /^\/\/ 0\n[\s\S]*return open\(\);[\s\S]*\/\/ last\n$/,
    );
    await writeFile(join(root, "src/door.js"), "something else\n");
    await expect(lease.sides.read("src/door.js", "new")).rejects.toMatchObject({ code: "not_found" });
    lease.release();
  });

  it("shows the images of jj's diff, not those of the working copy", async () => {
    const { folder, root, environment } = await standIn("jj");
    const [before, after] = [PNG, Buffer.concat([PNG, Buffer.from("after")])];
    await writeFile(
      join(folder, "now.patch"),
      `diff --git a/a.png b/a.png
index ${hashBlob(before).slice(0, 10)}..${hashBlob(after).slice(0, 10)} 100644
Binary files a/a.png and b/a.png differ
`,
    );
    const session = sessionOf(await createVcsOrigin({ kind: "jj", root }, [], environment));
    const bytesOf = async (side: "old" | "new") => {
      const lease = await session.current();
      lease.release();
      return (await lease.sides.image("a.png", side)).bytes;
    };
    await writeFile(join(root, "a.png"), after);
    await writeFile(join(folder, "shown"), before);
    expect(await bytesOf("old")).toEqual(before);
    expect(await bytesOf("new")).toEqual(after);
    await writeFile(join(root, "a.png"), Buffer.concat([PNG, Buffer.from("later")]));
    await expect(bytesOf("new")).rejects.toMatchObject({ code: "not_found" });
    await writeFile(join(folder, "shown"), after);
    expect(await bytesOf("new")).toEqual(after);
    const calls = (await readFile(join(folder, "calls"), "utf8")).trim().split("\n");
    const shows = calls.map((call) => JSON.parse(call) as string[]).filter((args) => args.includes("show"));
    expect(shows.map((args) => args.slice(-2))).toEqual([
      ["--revision=@-", 'root-file:"a.png"'],
      ["--revision=@", 'root-file:"a.png"'],
      ["--revision=@", 'root-file:"a.png"'],
    ]);
  });

  it("shows Sapling's diff with untracked files", async () => {
    const { root, environment } = await standIn("sl");
    await writeFile(join(root, "unknown.txt"), "new\n");
    const session = sessionOf(await createVcsOrigin({ kind: "sapling", root }, [], environment));
    const { snapshot, release } = await session.current();
    release();
    expect(
      snapshot.files.map(({ path, status, binary }) => `${binary ? "binary " : ""}${status} ${path}`),
    ).toEqual([
      "modified src/door.js",
      "renamed new name.txt",
      "copied copy.txt",
      "modified run.sh",
      "deleted gone.txt",
      "binary added key.bin",
      "added new.txt",
      "added unknown.txt",
    ]);
    expect(snapshot.files[1]).toMatchObject({
      oldPath: "old name.txt",
      oldMode: "100755",
      newMode: "100644",
      additions: 1,
    });
    expect(snapshot.files.map((file) => file.conflict)).toEqual(snapshot.files.map(() => undefined));
    const [commit] = await session.commits();
    expect(commit).toMatchObject({
      author: "Ada",
      at: "2026-01-02T04:04:05+01:00",
      title: "a title",
      body: "why",
    });
  });

  it("shows untracked links as links, and programs with their mode", async () => {
    const { root, environment } = await standIn("sl");
    const session = sessionOf(await createVcsOrigin({ kind: "sapling", root }, [], environment));
    await symlink("/etc/passwd", join(root, "unknown.txt"));
    expect(await patchText(session)).toMatch(/new file mode 120000\n[\s\S]*\+\/etc\/passwd\n/);
    await rm(join(root, "unknown.txt"));
    await writeFile(join(root, "unknown.txt"), "#!/bin/sh\n", { mode: 0o755 });
    (await session.switchTo("uncommitted")).release();
    expect(await patchText(session)).toContain("new file mode 100755\n");
  });

  it("resets the settings with which a repository could hide changes from Sapling", async () => {
    const { folder, root, environment } = await standIn("sl");
    await writeFile(join(root, ".sl", "config"), "[diff]\nignorews = true\n");
    await paths(sessionOf(await createVcsOrigin({ kind: "sapling", root }, [], environment)));
    const calls = (await readFile(join(folder, "calls"), "utf8"))
      .split("\n")
      .filter((call) => /"diff"/.test(call));
    expect(calls.length).toBeGreaterThan(0);
    for (const call of calls) expect(JSON.parse(call)).toContain("--config=diff.ignorews=false");
  });

  it("does not run Sapling in a repository whose configuration could run programs", async () => {
    const { root, environment } = await standIn("sl");
    const config = join(root, ".sl", "config");
    await writeFile(config, "%include builtin:git.rc\n[paths]\ndefault = https://example.test/x\n");
    await createVcsOrigin({ kind: "sapling", root }, [], environment);
    await writeFile(config, "[extensions]\nevil = ./evil.py\n");
    await expect(createVcsOrigin({ kind: "sapling", root }, [], environment)).rejects.toThrow(
      "extensions in /",
    );
    for (const include of ["%include\t../evil.rc", "%include  ../evil.rc", " %include ../evil.rc"]) {
      await writeFile(config, `${include}\n`);
      await expect(createVcsOrigin({ kind: "sapling", root }, [], environment)).rejects.toThrow(
        "%include in /",
      );
    }
  });

  it("does not run Sapling once its configuration has changed during the review", async () => {
    const { folder, root, environment } = await standIn("sl");
    const session = sessionOf(await createVcsOrigin({ kind: "sapling", root }, [], environment));
    (await session.current()).release();
    const before = await readFile(join(folder, "calls"), "utf8");
    await writeFile(join(root, ".sl", "config"), "[hooks]\npre-diff = ./evil.sh\n");
    await expect(session.switchTo("uncommitted")).rejects.toMatchObject({ code: "configuration" });
    expect(await readFile(join(folder, "calls"), "utf8")).toBe(before);
  });

  it("does not run a program of the repository, and reports a missing one", async () => {
    const { folder, root } = await standIn("jj");
    await writeFile(join(root, "jj"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    const environment = { PATH: [root, ".", ""].join(delimiter), HOME: folder };
    await expect(createVcsOrigin({ kind: "jj", root }, [], environment)).rejects.toMatchObject({
      code: "vcs_missing",
      exitCode: 4,
    });
  });
});

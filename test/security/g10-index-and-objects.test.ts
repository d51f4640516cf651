import { createHash } from "node:crypto";
import { chmod, mkdir, readFile, rm, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { deflateSync, inflateSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDiffSession } from "../../src/review/git/diff-session.ts";
import { snapshotOf, type TestRepository, testRepository } from "../support/test-repository.ts";

const EVIL = "evil();\n";

/** Adds a file so that the index has HEAD's content and the times of the file on disk. */
async function addAsUnchanged(repository: TestRepository, path: string): Promise<void> {
  const attributes = join(repository.outside, "attributes");
  await writeFile(attributes, `${path} filter=x\n`);
  const settings = [`filter.x.clean=git show HEAD:${path}`, `core.attributesFile=${attributes}`];
  await repository.git(...settings.flatMap((setting) => ["-c", setting]), "add", path);
}

/** Replaces bytes in the index, and updates its checksum. */
async function forgeIndex(repository: TestRepository, names: readonly (readonly [string, string])[]) {
  const file = join(repository.root, ".git/index");
  const bytes = await readFile(file);
  for (const [from, to] of names)
    Buffer.from(to, "hex").copy(bytes, bytes.lastIndexOf(Buffer.from(from, "hex")));
  const content = bytes.subarray(0, -20);
  createHash("sha1").update(content).digest().copy(bytes, content.length);
  await writeFile(file, bytes);
}

/** Writes other content under an object's name, in which the name of a blob is replaced. */
async function replaceObject(repository: TestRepository, object: string, from: string, to: string) {
  const type = (await repository.git("cat-file", "-t", object)).trim();
  const file = join(repository.root, ".git/objects", object.slice(0, 2), object.slice(2));
  const bytes = inflateSync(await readFile(file));
  if (type === "tree") Buffer.from(to, "hex").copy(bytes, bytes.indexOf(Buffer.from(from, "hex")));
  const content = type === "tree" ? bytes : Buffer.from(bytes.toString("latin1").replace(from, to), "latin1");
  await rm(file);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, deflateSync(content));
}

const nameOf = async (repository: TestRepository, name: string) =>
  (await repository.git("rev-parse", name)).trim();

describe("G10 unstaged changes", () => {
  it("are shown despite index times, index flags and settings", async () => {
    const repository = await testRepository({
      "times.js": "good();\n",
      "marked.js": "good();\n",
      "gone.js": "good();\n",
      "mode.js": "good();\n",
      "lines.txt": "one\n",
      "ident.sh": ': "$Id$"\n',
    });
    await repository.git("config", "core.fileMode", "false");
    await repository.git("config", "core.autocrlf", "input");
    await repository.git("update-index", "--assume-unchanged", "marked.js");
    await repository.git("update-index", "--skip-worktree", "gone.js");
    await repository.write({
      "times.js": EVIL,
      "marked.js": EVIL,
      "lines.txt": "one\r\n",
      "ident.sh": ': "$Id: `touch PWNED` $"\n',
      ".git/info/attributes": "*.sh ident\n",
    });
    await chmod(join(repository.root, "mode.js"), 0o755);
    await unlink(join(repository.root, "gone.js"));
    await addAsUnchanged(repository, "times.js");
    const { paths, patchOf } = await snapshotOf(repository, "unstaged");
    expect(paths).toEqual(["gone.js", "ident.sh", "lines.txt", "marked.js", "mode.js", "times.js"]);
    expect(await patchOf("times.js")).toContain(`-good();\n+${EVIL}`);
  });

  it("are compared with the index, not with HEAD, in a split index of version 4 too", async () => {
    const repository = await testRepository({ "a.js": "one\n", "b.js": "one\n", "c.js": "one\n" });
    await repository.git("update-index", "--split-index", "--index-version", "4");
    await repository.write({ "a.js": "two\n", "new.js": "new\n", "untracked.js": "x\n" });
    await repository.git("rm", "--quiet", "--cached", "c.js");
    await repository.git("add", "a.js");
    await repository.git("add", "--intent-to-add", "new.js");
    await repository.write({ "b.js": "two\n", "a.js": "three\n" });
    const { paths, patchOf } = await snapshotOf(repository, "unstaged");
    expect(paths).toEqual(["a.js", "b.js", "new.js"]);
    expect(await patchOf("a.js")).toContain("-two\n+three\n");
    expect(await patchOf("new.js")).toContain("new file mode");
  });

  it("make the diff stale even if the index shows no change", async () => {
    const repository = await testRepository({ "a.js": "good();\n", "b.js": "good();\n" });
    await repository.git("update-index", "--assume-unchanged", "a.js");
    const session = createDiffSession(await repository.open());
    onTestFinished(() => session.close());
    for (const diffType of ["uncommitted", "unstaged"]) {
      await repository.write({ "a.js": "good();\n", "b.js": "good();\n" });
      (await session.switchTo(diffType)).release();
      expect(await session.isOutdated()).toBe(false);
      await repository.write({ "a.js": EVIL });
      expect(await session.isOutdated()).toBe(true);
      await repository.write({ "a.js": "good();\n", "b.js": EVIL });
      await addAsUnchanged(repository, "b.js");
      expect(await session.isOutdated()).toBe(true);
    }
  });
});

describe("G10 staged changes", () => {
  it("are shown even if the index caches HEAD's tree for their folder", async () => {
    const repository = await testRepository({ "d/f.js": "good();\n" });
    const [good, goodRoot] = [await nameOf(repository, "HEAD:d"), await nameOf(repository, "HEAD^{tree}")];
    await repository.write({ "d/f.js": EVIL });
    await repository.git("add", "--all");
    const evilRoot = (await repository.git("write-tree")).trim();
    const evil = (await repository.git("write-tree", "--prefix=d/")).trim();
    await forgeIndex(repository, [
      [evil, good],
      [evilRoot, goodRoot],
    ]);
    expect(await repository.git("diff", "--cached", "--name-only")).toBe("");
    expect((await snapshotOf(repository, "staged")).paths).toEqual(["d/f.js"]);
  });

  it("omit files with intent-to-add and contain empty files", async () => {
    const repository = await testRepository({ "a.js": "one\n" });
    await repository.write({ "empty.js": "", "announced.js": "x\n" });
    await repository.git("add", "empty.js");
    await repository.git("add", "--intent-to-add", "announced.js");
    expect((await snapshotOf(repository, "staged")).paths).toEqual(["empty.js"]);
  });
});

describe("G10 a replaced object", () => {
  const damaged = (object: string) => ({
    code: "git_failed",
    message: expect.stringContaining(object),
    hint: expect.stringContaining("git fsck"),
  });

  it("fails every comparison that reads it: a tree", async () => {
    const repository = await testRepository({ "d/e/f.js": "good();\n" });
    await repository.write({ "d/e/f.js": EVIL });
    await repository.commit("evil");
    const [tree, good, evil] = [
      await nameOf(repository, "HEAD~1:d/e"),
      await nameOf(repository, "HEAD~1:d/e/f.js"),
      await nameOf(repository, "HEAD:d/e/f.js"),
    ];
    await replaceObject(repository, tree, good, evil);
    await expect(snapshotOf(repository, "last-commit")).rejects.toMatchObject(damaged(tree));
    await repository.git("reset", "--quiet", "--soft", "HEAD~1");
    for (const diffType of ["uncommitted", "staged"])
      await expect(snapshotOf(repository, diffType)).rejects.toMatchObject(damaged(tree));
  });

  it("fails every comparison that reads it: the file on the new side", async () => {
    const repository = await testRepository({ "a.js": "good();\n" });
    await repository.write({ "a.js": EVIL });
    await repository.git("add", "a.js");
    const evil = await nameOf(repository, ":a.js");
    await replaceObject(repository, evil, "evil", "good");
    await expect(snapshotOf(repository, "staged")).rejects.toMatchObject(damaged(evil));
    await repository.git("commit", "--quiet", "-m", "evil");
    await expect(snapshotOf(repository, "last-commit")).rejects.toMatchObject(damaged(evil));
  });
});

import { chmod, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  addSubmodule,
  snapshotOf,
  type TestRepository,
  testRepository,
} from "../../support/test-repository.ts";

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

/** Returns whether git converts HEAD's tree to the working tree's with this patch. */
async function leadsToWorkingTree(repository: TestRepository, patch: string): Promise<boolean> {
  await repository.git("add", "--all");
  const wanted = await repository.git("write-tree");
  await repository.git("read-tree", "HEAD");
  await writeFile(join(repository.outside, "patch"), patch);
  await repository.git("apply", "--cached", "--whitespace=nowarn", join(repository.outside, "patch"));
  return (await repository.git("write-tree")) === wanted;
}

describe("uncommitted changes", () => {
  it("are complete, tracked files first, with special names, and git can apply them", async () => {
    const repository = await testRepository({
      "a b.txt": "one\n",
      "größe.txt": "one\n",
      'quote".txt': "one\n",
      "gone.txt": "bye\n",
      "crlf.txt": "one\r\ntwo\r\n",
      "no-end.txt": "end",
      "run.sh": "echo\n",
      ".gitignore": "*.log\n",
    });
    await repository.write({
      "a b.txt": "two\n",
      "größe.txt": "zwei – 二\n",
      'quote".txt': "two\n",
      "crlf.txt": "one\r\n2\r\n",
      "no-end.txt": "still no end",
      "new folder/new – neu.txt": "new\n",
      "-dash": "dash\n",
      "tab\tand\nbreak": "x",
      empty: "",
      "ignored.log": "no\n",
      ":(exclude)magic": "magic\n",
    });
    await chmod(join(repository.root, "run.sh"), 0o755);
    await rm(join(repository.root, "gone.txt"));
    await symlink("../outside", join(repository.root, "link"));
    const { paths, patch, snapshot } = await snapshotOf(repository);
    expect(paths).toEqual([
      "a b.txt",
      "crlf.txt",
      "gone.txt",
      "größe.txt",
      "no-end.txt",
      'quote".txt',
      "run.sh",
      "-dash",
      ":(exclude)magic",
      "empty",
      "link",
      "new folder/new – neu.txt",
      "tab\tand\nbreak",
    ]);
    expect(snapshot.files.filter(({ status }) => status === "added")).toHaveLength(6);
    expect(await leadsToWorkingTree(repository, patch)).toBe(true);
  });

  it("show a file that is no longer tracked as deleted and added", async () => {
    const repository = await testRepository({ "a.txt": "a\n" });
    await repository.git("rm", "--quiet", "--cached", "a.txt");
    const { snapshot } = await snapshotOf(repository, "uncommitted");
    expect(snapshot.files).toMatchObject([
      { path: "a.txt", status: "deleted" },
      { path: "a.txt", status: "added" },
    ]);
  });

  it("contain a file's status, modes, counts and former name", async () => {
    const repository = await testRepository({
      "old name.txt": numbered(20),
      "mode.sh": "echo\n",
      "type.txt": "text\n",
      "bin.dat": Buffer.from([0, 1, 2]),
    });
    await rename(join(repository.root, "old name.txt"), join(repository.root, "new name.txt"));
    await repository.write({ "new name.txt": numbered(20).replace("line 3\n", "line three\n") });
    await chmod(join(repository.root, "mode.sh"), 0o755);
    await rm(join(repository.root, "type.txt"));
    await symlink("mode.sh", join(repository.root, "type.txt"));
    await repository.write({ "bin.dat": Buffer.from([0, 1, 3]) });
    await repository.git("add", "--all");
    const { snapshot } = await snapshotOf(repository, "staged");
    const of = (path: string) => snapshot.files.filter((file) => file.path === path);
    expect(of("new name.txt")).toMatchObject([
      { status: "renamed", oldPath: "old name.txt", additions: 1, deletions: 1, binary: false },
    ]);
    expect(of("mode.sh")).toMatchObject([
      { status: "modified", oldMode: "100644", newMode: "100755", additions: 0 },
    ]);
    expect(of("type.txt")).toMatchObject([
      { status: "type-changed", oldMode: "100644", deletions: 1 },
      { status: "type-changed", newMode: "120000", additions: 1 },
    ]);
    expect(of("bin.dat")).toMatchObject([{ status: "modified", binary: true, additions: 0 }]);
    expect(snapshot.files.map(({ index }) => index)).toEqual(snapshot.files.map((_, index) => index));
  });

  it("are compared with an empty tree before the first commit", async () => {
    const repository = await testRepository();
    await repository.write({ "staged.txt": "staged\n", "loose.txt": "loose\n" });
    await repository.git("add", "staged.txt");
    expect((await snapshotOf(repository)).paths).toEqual(["staged.txt", "loose.txt"]);
    expect((await snapshotOf(repository, "staged")).paths).toEqual(["staged.txt"]);
    expect((await snapshotOf(repository, "unstaged")).paths).toEqual([]);
    for (const diffType of ["last-commit", "branch", "merge-base"]) {
      expect((await snapshotOf(repository, diffType)).paths).toEqual([]);
    }
  });

  it("show a path in conflict as it is in the working tree, as one normal diff", async () => {
    const repository = await testRepository({ "a.txt": "1\n2\n3\n" });
    await repository.git("checkout", "--quiet", "-b", "other");
    await repository.write({ "a.txt": "1\nother\n3\n" });
    await repository.commit();
    await repository.git("checkout", "--quiet", "main");
    await repository.write({ "a.txt": "1\nmain\n3\n" });
    await repository.commit();
    await repository.git("merge", "other").catch(() => {});
    for (const diffType of ["uncommitted", "unstaged"]) {
      const { paths, patch } = await snapshotOf(repository, diffType);
      expect(paths).toEqual(["a.txt"]);
      expect(patch).toContain("\n+<<<<<<< HEAD\n");
      expect(patch).not.toContain("Unmerged");
    }
    expect((await snapshotOf(repository, "staged")).paths).toEqual([]);
  });

  it("can omit whitespace changes", async () => {
    const repository = await testRepository({ "space.txt": "a b\n", "word.txt": "a b\n" });
    await repository.write({ "space.txt": "a    b\n", "word.txt": "a   c\n" });
    expect((await snapshotOf(repository, "uncommitted", { ignoreSpace: true })).paths).toEqual(["word.txt"]);
  });

  it("can be limited to literal paths", async () => {
    const repository = await testRepository({ "src/a.txt": "a\n", "docs/a.txt": "a\n", "*.txt": "a\n" });
    await repository.write({
      "src/a.txt": "b\n",
      "docs/a.txt": "b\n",
      "*.txt": "b\n",
      "src/new.txt": "new\n",
    });
    const limited = async (...paths: string[]) =>
      (await snapshotOf(repository, "uncommitted", { paths })).paths;
    expect(await limited("src")).toEqual(["src/a.txt", "src/new.txt"]);
    expect(await limited("*.txt")).toEqual(["*.txt"]);
    expect(await limited("--output=x", "docs")).toEqual(["docs/a.txt"]);
  });

  it("mark generated files by name and .gitattributes, which can also unmark them", async () => {
    const repository = await testRepository({
      ".gitattributes": "made.txt linguist-generated\nyarn.lock -linguist-generated\n",
    });
    await repository.write({
      "made.txt": "x\n",
      "yarn.lock": "x\n",
      "sub/package-lock.json": "{}\n",
      "app.min.js": "x\n",
      "src/app.js": "x\n",
    });
    const { snapshot } = await snapshotOf(repository);
    expect(snapshot.files.filter(({ generated }) => generated).map(({ path }) => path)).toEqual([
      "app.min.js",
      "made.txt",
      "sub/package-lock.json",
    ]);
  });

  it("support repositories with SHA-256 objects", async () => {
    const repository = await testRepository({ "a.txt": "a\n" }, ["--object-format=sha256"]);
    await repository.write({ "a.txt": "b\n", "new.txt": "new\n" });
    const { snapshot, paths } = await snapshotOf(repository);
    expect(paths).toEqual(["a.txt", "new.txt"]);
    expect(snapshot.files[0]?.oldBlob).toHaveLength(64);
  });

  it("name a submodule's commits and a nested repository", async () => {
    const inner = await testRepository({ "inner.txt": "1\n" });
    const repository = await testRepository({ "a.txt": "a\n" });
    await addSubmodule(repository, inner);
    await repository.commit();
    await writeFile(join(repository.root, "module", "inner.txt"), "2\n");
    expect((await snapshotOf(repository)).paths).toEqual([]);
    await repository.git("-C", "module", "commit", "--quiet", "-am", "two");
    await repository.git("clone", "--quiet", inner.root, "nested");
    await mkdir(join(repository.root, "bare nest"));
    await repository.git("init", "--quiet", "bare nest");
    const { paths, patchOf } = await snapshotOf(repository);
    expect(paths).toEqual(["module", "nested"]);
    expect(await patchOf("module")).toMatch(
      /-Subproject commit [0-9a-f]{40}\n\+Subproject commit [0-9a-f]{40}\n/,
    );
    expect(await patchOf("nested")).toContain("new file mode 160000");
  });

  it("support many untracked files", async () => {
    const repository = await testRepository({ "a.txt": "a\n" });
    const files = Array.from({ length: 500 }, (_, index) => [`d${index % 20}/f${index}.txt`, `${index}\n`]);
    await repository.write(Object.fromEntries(files));
    const { snapshot } = await snapshotOf(repository);
    expect(snapshot.files).toHaveLength(500);
    expect(snapshot.files.every(({ status, additions }) => status === "added" && additions === 1)).toBe(true);
  });
});

describe("the id of a diff", () => {
  it("changes if and only if the diff's content changes", async () => {
    const repository = await testRepository({ "a.txt": numbered(9), "b.bin": Buffer.from([0, 1]) });
    const idNow = async () => (await snapshotOf(repository)).snapshot.diffId;
    await repository.write({ "a.txt": numbered(8) });
    const one = await idNow();
    expect(await idNow()).toBe(one);
    await repository.write({ "b.bin": Buffer.from([0, 2]) });
    const two = await idNow();
    await repository.write({ "b.bin": Buffer.from([0, 3]) });
    const three = await idNow();
    await chmod(join(repository.root, "a.txt"), 0o755);
    expect(new Set([one, two, three, await idNow()]).size).toBe(4);
  });
});

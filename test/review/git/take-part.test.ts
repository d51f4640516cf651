import { readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDiffSession } from "../../../src/review/git/diff-session.ts";
import { readPatch } from "../../../src/review/git/file-text.ts";
import { type ListedFile, listFiles } from "../../../src/review/git/listed-files.ts";
import { takePart } from "../../../src/review/git/take-part.ts";
import { withTree } from "../../../src/review/git/work-tree.ts";
import { openSnapshot, type TestRepository, testRepository } from "../../support/test-repository.ts";

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

/** A repository with every kind of change since its first commit. */
async function changedInEveryWay(): Promise<TestRepository> {
  const repository = await testRepository({
    "b/old name.txt": numbered(20),
    "b/größe.txt": "one\n",
    "b/gone.txt": "bye\n",
    "a.txt": "one\n",
    "hidden.txt": "one\n",
    "secret.bin": "one\n",
    "to-link.txt": "text\n",
    ".gitattributes": "*.bin binary\n",
  });
  await repository.git("mv", "b/old name.txt", "b/new\nname.txt");
  await repository.git("update-index", "--assume-unchanged", "hidden.txt");
  await repository.write({
    "b/größe.txt": "zwei\n",
    "a.txt": "two\n",
    "hidden.txt": "two\n",
    "secret.bin": "two\n",
    "new folder/fresh – neu.txt": "new\n",
    "fresh.bin": "new\n",
  });
  await rm(join(repository.root, "b/gone.txt"));
  await rm(join(repository.root, "to-link.txt"));
  await symlink("a.txt", join(repository.root, "to-link.txt"));
  return repository;
}

const named = (files: readonly Pick<ListedFile, "path" | "oldPath">[]) =>
  [...new Set(files.map(({ path, oldPath }) => `${oldPath ?? ""} ${path}`))].sort();

/** The repository with its whole diff and a function that takes parts of it. */
async function partsOf(tested: TestRepository, diffType = "uncommitted") {
  const { git, plan, snapshot } = await openSnapshot(tested, diffType);
  onTestFinished(() => snapshot.spool.close());
  const repository = await tested.open();
  const view = { ignoreSpace: false, paths: [] };
  return {
    snapshot,
    names: () => withTree(repository, git, plan, view, (tree) => listFiles(tree, git, plan, view)),
    part: (choose: (files: readonly ListedFile[]) => readonly ListedFile[]) =>
      takePart(repository, git, plan, { view, choose }),
  };
}

describe("listFiles", () => {
  it.each(["uncommitted", "staged", "unstaged", "last-commit"])(
    "names the files that the patch will have: %s",
    async (diffType) => {
      const repository = await changedInEveryWay();
      const { names, snapshot } = await partsOf(repository, diffType);
      expect(snapshot.files.length).toBeGreaterThan(0);
      expect(named(await names())).toEqual(named(snapshot.files));
    },
  );

  it("lists each file once with its number, also during a merge", async () => {
    const repository = await testRepository({ "a.txt": "one\n" });
    await repository.git("checkout", "--quiet", "-b", "side");
    await repository.write({ "a.txt": "side\n" });
    await repository.commit();
    await repository.git("checkout", "--quiet", "main");
    await repository.write({ "a.txt": "main\n" });
    await repository.commit();
    await expect(repository.git("merge", "side")).rejects.toThrow();
    for (const diffType of ["uncommitted", "unstaged"]) {
      const { names } = await partsOf(repository, diffType);
      expect(await names()).toEqual([{ index: 0, path: "a.txt" }]);
    }
  });

  it("works if the repository's configuration names an order file", async () => {
    const repository = await testRepository({ "a.txt": "one\n" });
    await repository.write({ "a.txt": "two\n" });
    await repository.git("config", "diff.orderFile", "/there/is/none");
    const { names } = await partsOf(repository);
    expect(named(await names())).toEqual([" a.txt"]);
  });
});

describe("takePart", () => {
  it("returns each file as in the whole diff", async () => {
    const { part, snapshot } = await partsOf(await changedInEveryWay());
    const paths = [...new Set(snapshot.files.map(({ path }) => path))];
    expect(paths).toHaveLength(9);
    for (const wanted of paths) {
      const taken = await part((files) => files.filter(({ path }) => path === wanted));
      if (!taken) throw new Error(`${wanted} was not taken`);
      const whole = snapshot.files.filter(({ path }) => path === wanted);
      const described = taken.files.map(({ section: _section, index: _index, ...file }) => file);
      expect(described).toEqual(whole.map(({ section: _section, index: _index, ...file }) => file));
      const patches = await Promise.all(taken.files.map((file) => readPatch(taken, file)));
      expect(patches).toEqual(await Promise.all(whole.map((file) => readPatch(snapshot, file))));
      await taken.spool.close();
    }
  });

  it("returns nothing if no file is chosen", async () => {
    const { part } = await partsOf(await changedInEveryWay());
    expect(await part(() => [])).toBeUndefined();
  });

  it("returns nothing if git cannot distinguish the file from others", async () => {
    const repository = await testRepository({ "name/inner.txt": "one\n", "other.txt": "one\n" });
    await rm(join(repository.root, "name"), { recursive: true });
    await repository.write({ name: "a file now\n" });
    const { part } = await partsOf(repository);
    expect(await part((files) => files.filter(({ path }) => path === "name"))).toBeUndefined();
  });

  it("returns nothing for a name that is not UTF-8", async () => {
    const repository = await testRepository({ "a.txt": "one\n" });
    await writeFile(Buffer.from(`${repository.root}/caf\xe9.txt`, "latin1"), "new\n");
    const { part } = await partsOf(repository);
    expect(await part((files) => files)).toBeUndefined();
  });
});

describe("part of a diff session's first diff", () => {
  it("is available before the whole diff, until the session is closed", async () => {
    const repository = await changedInEveryWay();
    const session = createDiffSession(await repository.open());
    const lease = await session.part((files) => files.filter(({ path }) => path === "a.txt"));
    expect(lease?.snapshot.files.map(({ path }) => path)).toEqual(["a.txt"]);
    expect(lease?.gitContext.currentBranch).toBe("main");
    lease?.release();
    expect(() => lease?.snapshot.spool.hold()).toThrow(/replaced/);
    await session.close();
  });

  it("is awaited when the session is closed, so that no file is left behind", async () => {
    const repository = await changedInEveryWay();
    const opened = await repository.open();
    const session = createDiffSession(opened);
    let closed: Promise<unknown> | undefined;
    const part = session.part((files) => {
      // Closed in the middle: the files are known, but git has not compared them yet.
      closed = session.close();
      return files.slice(0, 1);
    });
    part.catch(() => {});
    await expect.poll(() => closed !== undefined).toBe(true);
    await closed;
    const left = await readdir(opened.indexesDirectory);
    expect(left.filter((name) => name.startsWith("git-"))).toEqual([]);
    await expect(part).rejects.toThrow();
  });
});

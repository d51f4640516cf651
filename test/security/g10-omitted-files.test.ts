import { rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { addSubmodule, snapshotOf, type TestRepository, testRepository } from "../support/test-repository.ts";

const EVIL = "evil();\n";

async function omittedFrom(
  repository: TestRepository,
  diffType = "uncommitted",
  paths: readonly string[] = [],
) {
  return (await snapshotOf(repository, diffType, { paths })).snapshot.omitted;
}

/** The files that git itself reports as ignored. */
async function ignoredByGit(repository: TestRepository): Promise<string[]> {
  const status = await repository.git("status", "--porcelain", "--ignored", "-z");
  return status
    .split("\0")
    .filter((line) => line.startsWith("!! "))
    .map((line) => line.slice(3));
}

async function withSubmodule(): Promise<TestRepository> {
  const repository = await testRepository({ "a.js": "good();\n" });
  await addSubmodule(repository, await testRepository({ "lib.js": "lib();\n" }));
  await repository.commit("submodule");
  return repository;
}

describe("G10 ignored files", () => {
  it("are counted as git status --ignored counts them", async () => {
    const repository = await testRepository({
      ".gitignore": "dist/\n*.log\nmixed/*.o\n",
      "mixed/kept.c": "x\n",
      "forced.log": "tracked although ignored\n",
    });
    await repository.git("add", "--force", "forced.log");
    await repository.commit("forced");
    await repository.write({
      ".git/info/exclude": "payload.js\n",
      "payload.js": EVIL,
      "dist/one.js": EVIL,
      "dist/deep/two.js": EVIL,
      "logs/a.log": EVIL,
      "logs/b.log": EVIL,
      "partly/a.log": EVIL,
      "partly/shown.js": EVIL,
      "partly/deep/b.log": EVIL,
      "mixed/a.o": EVIL,
      "mixed/b.o": EVIL,
      "new/.gitignore": "*\n",
      "new/hidden.js": EVIL,
    });
    const expected = await ignoredByGit(repository);
    expect(expected).toContain("dist/");
    const omitted = await omittedFrom(repository);
    expect(omitted).toEqual({ ignored: { count: expected.length, paths: expect.anything() } });
    expect([...(omitted?.ignored?.paths ?? [])].sort()).toEqual(expected.sort());
  });

  it("are named up to the twentieth, within the paths of the review", async () => {
    const repository = await testRepository({
      ".gitignore": "*.log\n",
      "a/kept.txt": "x\n",
      "b/kept.txt": "x\n",
    });
    const logs = Array.from({ length: 2_000 }, (_, number) => [`a/${"x".repeat(100)}${number}.log`, ""]);
    await repository.write({ ...Object.fromEntries(logs), "b/one.log": "" });
    expect(await omittedFrom(repository)).toMatchObject({ ignored: { count: 2_001 } });
    const { ignored } = (await omittedFrom(repository, "uncommitted", ["a"])) ?? {};
    expect([ignored?.count, ignored?.paths.length]).toEqual([2_000, 20]);
    expect(await omittedFrom(repository, "uncommitted", ["b"])).toEqual({
      ignored: { count: 1, paths: ["b/one.log"] },
    });
  });

  it("are counted in a folder with a .git, no commit and its own ignore file", async () => {
    const repository = await testRepository({ "a.js": "good();\n" });
    await repository.git("init", "--quiet", "payload");
    await repository.write({ "payload/.gitignore": "*\n", "payload/x.js": EVIL });
    expect(await omittedFrom(repository)).toEqual({
      ignored: { count: 2, paths: ["payload/.gitignore", "payload/x.js"] },
    });
  });

  it("do not fail the diff if a folder's .git file has an invalid target", async () => {
    const repository = await testRepository({ "a.js": "good();\n" });
    await repository.write({ "payload/.git": "gitdir: /nowhere\n", "payload/x.js": EVIL });
    expect((await snapshotOf(repository)).paths).toEqual(["payload/x.js"]);
  });

  it("are not mentioned if there are none or two commits are compared", async () => {
    const repository = await testRepository({ ".gitignore": "*.log\n" });
    expect(await omittedFrom(repository)).toBeUndefined();
    await repository.write({ "a.log": EVIL });
    expect(await omittedFrom(repository, "last-commit")).toBeUndefined();
    expect(await omittedFrom(repository, "staged")).toBeUndefined();
  });
});

describe("G10 uncommitted files of nested repositories", () => {
  it("are named: changed, new and deleted files of a submodule, despite ignore settings", async () => {
    const repository = await withSubmodule();
    expect(await omittedFrom(repository)).toBeUndefined();
    await repository.git("config", "--file", ".gitmodules", "submodule.module.ignore", "all");
    await repository.git("config", "submodule.module.ignore", "all");
    await repository.git("config", "diff.ignoreSubmodules", "all");
    await repository.git("-C", "module", "update-index", "--assume-unchanged", "lib.js");
    await repository.git("-C", "module", "config", "core.worktree", repository.outside);
    await repository.write({ "module/lib.js": EVIL, "module/new.js": EVIL });
    for (const diffType of ["uncommitted", "unstaged"])
      expect(await omittedFrom(repository, diffType)).toMatchObject({
        nested: { count: 2, paths: ["module/lib.js", "module/new.js"] },
      });
    await rm(join(repository.root, "module/lib.js"));
    expect(await omittedFrom(repository)).toMatchObject({ nested: { count: 2 } });
  });

  it("are named in a nested repository with a commit, and in one nested in that", async () => {
    const repository = await testRepository({ "a.js": "good();\n" });
    for (const folder of ["inner", "inner/deep"]) {
      await repository.git("init", "--quiet", folder);
      await repository.write({ [`${folder}/x.js`]: "good();\n", [`${folder}/.gitignore`]: "*.log\ndeep/\n" });
      await repository.git("-C", folder, "add", "x.js", ".gitignore");
      await repository.git("-C", folder, "commit", "--quiet", "-m", "first");
    }
    await repository.git("-C", "inner", "rm", "--quiet", "--cached", ".gitignore");
    await repository.git("-C", "inner", "commit", "--quiet", "-m", "no rules");
    await rm(join(repository.root, "inner/.gitignore"));
    await repository.write({ "inner/y.js": EVIL, "inner/deep/x.js": EVIL, "inner/deep/a.log": EVIL });
    const { snapshot } = await snapshotOf(repository);
    expect(snapshot.files.map(({ path }) => path)).toEqual(["inner"]);
    expect(snapshot.omitted).toEqual({
      nested: { count: 3, paths: ["inner/deep", "inner/y.js", "inner/deep/x.js"] },
      ignored: { count: 1, paths: ["inner/deep/a.log"] },
    });
  });

  it("are reported as unknown if the nested repository cannot be compared", async () => {
    const repository = await withSubmodule();
    const tree = (await repository.git("-C", "module", "rev-parse", "HEAD^{tree}")).trim();
    await repository.write({ "module/lib.js": EVIL });
    await rm(join(repository.root, ".git/modules/module/objects", tree.slice(0, 2), tree.slice(2)));
    expect(await omittedFrom(repository)).toEqual({ unknown: { count: 1, paths: ["module"] } });
  });
});

describe("G10 content that is staged or not checked out", () => {
  it("is named if staged content is neither in the commit nor on disk", async () => {
    const repository = await testRepository({ "a.js": "good();\n", "b.js": "good();\n" });
    await repository.write({ "a.js": EVIL, "b.js": EVIL, "new.js": EVIL });
    await repository.git("add", "--all");
    await repository.write({ "a.js": "good();\n" });
    await unlink(join(repository.root, "new.js"));
    const { paths, snapshot } = await snapshotOf(repository);
    expect(paths).toEqual(["b.js"]);
    expect(snapshot.omitted).toEqual({ onlyStaged: { count: 2, paths: ["new.js", "a.js"] } });
  });

  it("is named if a sparse checkout omits it", async () => {
    const repository = await testRepository({
      "a.js": "good();\n",
      "far/b.js": "b();\n",
      "far/c.js": "c();\n",
    });
    await repository.git("sparse-checkout", "set", "--no-cone", "/*", "!/far/");
    expect(await omittedFrom(repository)).toEqual({
      notCheckedOut: { count: 2, paths: ["far/b.js", "far/c.js"] },
    });
  });
});

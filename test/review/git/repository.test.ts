import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findGit } from "../../../src/review/git/find-git.ts";
import { readHeads } from "../../../src/review/git/refs.ts";
import { openRepository } from "../../../src/review/git/repository.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { addSubmodule, repositoryIn, snapshotOf, testRepository } from "../../support/test-repository.ts";

const environment = { PATH: process.env["PATH"] };

describe("openRepository", () => {
  it("finds the root from a subfolder", async () => {
    const repository = await testRepository({ "a/b/c.txt": "c\n" });
    const opened = await repository.open(join(repository.root, "a", "b"));
    expect(opened).toMatchObject({ root: repository.root, name: "repo", objectFormat: "sha1" });
  });

  it("returns the current branch, also before its first commit, and none if detached", async () => {
    const repository = await testRepository({ "a.txt": "a\n" });
    const branch = async () => (await repository.open()).branch;
    expect(await branch()).toBe("refs/heads/main");
    await repository.git("checkout", "--quiet", "--orphan", "fresh/start");
    expect(await branch()).toBe("refs/heads/fresh/start");
    await repository.git("checkout", "--quiet", "--detach", "main");
    expect(await branch()).toBeUndefined();
  });

  it("opens a linked worktree, a submodule and its parent", async () => {
    const inner = await testRepository({ "inner.txt": "1\n" });
    const repository = await testRepository({ "a.txt": "a\n" });
    await addSubmodule(repository, inner);
    await repository.git("worktree", "add", "--quiet", "-b", "beside", join(repository.outside, "beside it"));
    const beside = repositoryIn(join(repository.outside, "beside it"), repository.outside);
    await beside.write({ "fresh.txt": "fresh\n" });
    expect((await snapshotOf(beside)).paths).toEqual(["fresh.txt"]);
    expect((await readHeads(await (await beside.open()).git())).currentBranch).toBe("beside");
    const module = repositoryIn(join(repository.root, "module"), repository.outside);
    await module.write({ "inner.txt": "2\n" });
    expect((await snapshotOf(module)).paths).toEqual(["inner.txt"]);
  });

  it("opens a folder with a line break in its name", async () => {
    const folder = await temporaryFolder();
    const repository = repositoryIn(join(folder, "line\nbreak"), folder);
    await mkdir(repository.root);
    await repository.git("init", "--quiet", "--template=");
    await repository.write({ "a.txt": "a\n" });
    expect((await snapshotOf(repository)).paths).toEqual(["a.txt"]);
  });

  it("states the remedy if there is no working tree", async () => {
    const folder = await temporaryFolder();
    const plain = { ...environment, HOME: folder, GIT_CEILING_DIRECTORIES: folder };
    await expect(openRepository(folder, plain)).rejects.toMatchObject({
      code: "not_a_repository",
      exitCode: 4,
    });
    await expect(openRepository(join(folder, "nowhere"), plain)).rejects.toMatchObject({
      code: "not_a_repository",
    });
    const bare = repositoryIn(folder, folder);
    await bare.git("init", "--quiet", "--bare", "bare.git");
    await expect(openRepository(join(folder, "bare.git"), plain)).rejects.toThrow(/no working tree/);
  });

  it("states how to trust a repository that another user owns", async () => {
    const repository = await testRepository({ "sub/a.txt": "a\n" });
    const programs = join(repository.outside, "bin");
    await mkdir(programs);
    const { binary } = findGit(repository.root, environment);
    // The real git, configured with git's own test variable to assume another owner.
    await writeFile(
      join(programs, "git"),
      `#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec '${binary}' "$@"\n`,
      { mode: 0o755 },
    );
    const opening = openRepository(join(repository.root, "sub"), {
      ...repository.environment,
      PATH: programs,
    });
    await expect(opening).rejects.toMatchObject({
      code: "not_a_repository",
      hint: expect.stringContaining(`safe.directory '${repository.root}'`),
    });
  });
});

describe("findGit", () => {
  it("rejects if there is none", async () => {
    const folder = await temporaryFolder();
    await symlink(process.execPath, join(folder, "node"));
    const look = () => findGit(folder, { PATH: folder });
    expect(look).toThrow(expect.objectContaining({ code: "git_missing", exitCode: 4 }));
  });
});

describe("readHeads", () => {
  const headsOf = async (repository: Awaited<ReturnType<typeof testRepository>>) =>
    readHeads(await (await repository.open()).git());

  it("prefers the local branch of origin/HEAD", async () => {
    const repository = await testRepository({ "a.txt": "a\n" });
    await repository.git("branch", "trunk");
    await repository.git("update-ref", "refs/remotes/origin/trunk", "HEAD");
    await repository.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk");
    expect((await headsOf(repository)).defaultBranch.name).toBe("trunk");
    await repository.git("branch", "-D", "trunk");
    expect((await headsOf(repository)).defaultBranch.name).toBe("origin/trunk");
  });

  it("falls back to main, then master, then the only branch", async () => {
    const repository = await testRepository({ "a.txt": "a\n" });
    await repository.git("checkout", "--quiet", "-b", "topic");
    expect((await headsOf(repository)).defaultBranch.name).toBe("main");
    await repository.git("branch", "-m", "main", "master");
    expect((await headsOf(repository)).defaultBranch.name).toBe("master");
    await repository.git("branch", "-D", "master");
    expect(await headsOf(repository)).toMatchObject({
      currentBranch: "topic",
      defaultBranch: { name: "topic" },
    });
  });

  it("detects a detached HEAD and one without a commit", async () => {
    const repository = await testRepository({ "a.txt": "a\n" });
    await repository.git("checkout", "--quiet", "--detach");
    expect((await headsOf(repository)).currentBranch).toMatch(/^detached at [0-9a-f]{7}$/);
    const empty = await testRepository();
    expect(await headsOf(empty)).toMatchObject({ currentBranch: "main", commit: undefined });
  });
});

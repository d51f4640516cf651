import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGitContext } from "../../../src/review/git/diff-types.ts";
import { readHeads } from "../../../src/review/git/refs.ts";
import { snapshotOf, type TestRepository, testRepository } from "../../support/test-repository.ts";

/**
 * `topic` left `main` after the first commit; both have later commits; the working tree has staged, changed and new
 * files.
 */
async function branched(folder: string): Promise<TestRepository> {
  const repository = await testRepository({ "base.txt": "base\n" }, [], folder);
  await repository.git("checkout", "--quiet", "-b", "topic");
  await repository.write({ "one.txt": "one\n" });
  await repository.commit("one");
  await repository.write({ "two.txt": "two\n" });
  await repository.commit("two");
  await repository.git("checkout", "--quiet", "main");
  await repository.write({ "main-only.txt": "main\n" });
  await repository.commit("main moves on");
  await repository.git("tag", "v1");
  await repository.git("checkout", "--quiet", "topic");
  await repository.write({ "staged.txt": "staged\n" });
  await repository.git("add", "--all");
  await repository.write({ "base.txt": "changed\n", "new.txt": "new\n" });
  return repository;
}

describe("diff types", () => {
  let repository: TestRepository;
  // All tests share one repository, because they do not write to it.
  beforeAll(async () => {
    repository = await branched(await realpath(await mkdtemp(join(tmpdir(), "sallyport-test-"))));
  });
  afterAll(() => rm(repository.outside, { recursive: true, force: true }));

  it.each([
    ["uncommitted", "HEAD", ["base.txt", "staged.txt", "new.txt"]],
    ["staged", "--staged", ["staged.txt"]],
    ["unstaged", "index", ["base.txt"]],
    ["last-commit", "HEAD~1..HEAD", ["two.txt"]],
    ["branch", "main..HEAD", ["main-only.txt", "one.txt", "two.txt"]],
    ["vs main", "main..HEAD", ["main-only.txt", "one.txt", "two.txt"]],
    ["merge-base", "main...HEAD", ["one.txt", "two.txt"]],
    ["all", "main...", ["base.txt", "one.txt", "staged.txt", "two.txt", "new.txt"]],
    ["commit:HEAD~1", "HEAD~1~1..HEAD~1", ["one.txt"]],
    ["base:v1", "v1..HEAD", ["main-only.txt", "one.txt", "two.txt"]],
    ["base:topic~1", "topic~1..HEAD", ["two.txt"]],
  ])("%s compares %s", async (diffType, gitRef, paths) => {
    const found = await snapshotOf(repository, diffType);
    expect(found.snapshot.plan).toMatchObject({ diffType, gitRef });
    expect(found.paths).toEqual(paths);
  });

  it.each([
    "Staged",
    "vs nowhere",
    "HEAD",
    "main..HEAD",
    " staged",
    "__proto__",
    "constructor",
    "commit:",
    "commit:nothing",
    "base:main..topic",
    "base:--all",
    "commit:a\0b",
  ])("%j is unknown", async (diffType) => {
    await expect(snapshotOf(repository, diffType)).rejects.toMatchObject({
      code: "validation",
      message: expect.stringContaining("Unknown diffType"),
    });
  });

  it("are listed: the specification's three, then the others, other branches and recent commits", async () => {
    const git = await (await repository.open()).git();
    const context = createGitContext(await readHeads(git));
    expect(context).toMatchObject({ currentBranch: "topic", defaultBranch: "main" });
    expect(context.diffOptions).toEqual([
      { id: "uncommitted", label: "Uncommitted changes" },
      { id: "last-commit", label: "Last commit" },
      { id: "branch", label: "vs main" },
    ]);
    const more = context.moreDiffOptions.map(({ id }) => id);
    expect(more.slice(0, 4)).toEqual(["staged", "unstaged", "merge-base", "all"]);
    const labels = context.moreDiffOptions.slice(4).map(({ label }) => label.replace(/^[0-9a-f]{7} /, ""));
    expect(labels).toEqual(["two", "one", "first"]);
    await snapshotOf(repository, more.at(-1));
  });
});

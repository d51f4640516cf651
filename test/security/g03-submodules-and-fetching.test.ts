import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readBranchCommits } from "../../src/review/git/commits.ts";
import { readHeads } from "../../src/review/git/refs.ts";
import { DIFF_TYPES, hostileRepository } from "../support/hostile-repository.ts";
import { addSubmodule, snapshotOf, testRepository } from "../support/test-repository.ts";

async function withSubmodule() {
  const repository = await hostileRepository({ "c.lens": "old\n" });
  const inner = await testRepository({ "inner.txt": "1\n" });
  await addSubmodule(repository, inner);
  return repository;
}

describe("G3 a submodule", () => {
  it("cannot hide a submodule's new commit in .gitmodules", async () => {
    const repository = await withSubmodule();
    await repository.git("config", "--file", ".gitmodules", "submodule.module.ignore", "all");
    await repository.commit();
    await repository.git("-C", "module", "commit", "--quiet", "--allow-empty", "-m", "two");
    expect((await snapshotOf(repository)).paths).toEqual(["module"]);
  });

  it("runs no program of its own configuration", async () => {
    const repository = await withSubmodule();
    await repository.commit();
    for (const [key, name] of [
      ["core.fsmonitor", "fsmonitor"],
      ["diff.external", "external"],
      ["filter.x.clean", "clean"],
    ] as const)
      await repository.git("-C", "module", "config", key, await repository.trap(name, "exec cat"));
    await writeFile(join(repository.root, "module", ".gitattributes"), "* filter=x\n");
    await writeFile(join(repository.root, "module", "inner.txt"), "2\n");
    for (const diffType of DIFF_TYPES) await snapshotOf(repository, diffType);
    expect(await repository.marks()).toEqual([]);
  });
});

describe("G3 a missing object", () => {
  it("is not fetched, whatever remote the repository configures", async () => {
    const repository = await hostileRepository({ "a.txt": "old\n" });
    const blob = (await repository.git("rev-parse", "HEAD:a.txt")).trim();
    await repository.write({ "a.txt": "new\n" });
    const uploadpack = await repository.trap("uploadpack", "exit 1");
    await repository.configure({
      "extensions.partialClone": "evil",
      "remote.evil.url": repository.root,
      "remote.evil.promisor": "true",
      "remote.evil.uploadpack": uploadpack,
      "protocol.allow": "always",
      "protocol.ext.allow": "always",
    });
    await rm(join(repository.root, ".git", "objects", blob.slice(0, 2)), { recursive: true });
    await repository.git("diff", "HEAD").catch(() => {});
    expect(await repository.marks()).toEqual(["uploadpack"]);
    await rm(join(repository.outside, "marks", "uploadpack"));
    await expect(snapshotOf(repository)).rejects.toMatchObject({ code: "git_failed" });
    await repository.configure({ "remote.evil.url": `ext::${uploadpack}` });
    await expect(snapshotOf(repository)).rejects.toMatchObject({ code: "git_failed" });
    expect(await repository.marks()).toEqual([]);
  });

  it("is not fetched for the list of commits", async () => {
    const repository = await hostileRepository({ "a.txt": "old\n" });
    await repository.git("checkout", "--quiet", "-b", "topic");
    await repository.commit("second");
    await repository.commit("third");
    const middle = (await repository.git("rev-parse", "HEAD^")).trim();
    await repository.configure({
      "extensions.partialClone": "evil",
      "remote.evil.url": `ext::${await repository.trap("helper", "exit 1")}`,
      "remote.evil.promisor": "true",
      "protocol.ext.allow": "always",
    });
    await rm(join(repository.root, ".git", "objects", middle.slice(0, 2), middle.slice(2)));
    // `git log` also fetches the commit with git 2.39, but not with git 2.47.
    await repository.git("cat-file", "commit", middle).catch(() => {});
    expect(await repository.marks()).toEqual(["helper"]);
    await rm(join(repository.outside, "marks", "helper"));
    const git = await (await repository.open()).git();
    expect(await readBranchCommits(git, await readHeads(git))).toEqual([]);
    expect(await repository.marks()).toEqual([]);
  });
});

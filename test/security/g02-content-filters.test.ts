import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { DIFF_TYPES, type HostileRepository, hostileRepository } from "../support/hostile-repository.ts";
import { snapshotOf } from "../support/test-repository.ts";

let repository: HostileRepository;

beforeEach(async () => {
  repository = await hostileRepository({
    ".gitattributes": "*.clean filter=blot\n*.pump filter=a=b\n*.odd filter=o.d-d\n*.tree filter=tree\n",
    "a.clean": "old\n",
    "b.pump": "old\n",
    "c.odd": "old\n",
    "d.tree": "old\n",
  });
  for (const path of ["a.clean", "b.pump", "c.odd", "d.tree", "new.clean"])
    await repository.write({ [path]: `new line of ${path}\n` });
  await repository.configure({
    "filter.blot.clean": await repository.trap("clean", "exec cat"),
    "filter.blot.smudge": await repository.trap("smudge", "exec cat"),
    "filter.blot.required": "true",
    "filter.a=b.process": await repository.trap("process", "exit 1"),
  });
  // Configured in a file that the repository's configuration includes, and in the worktree's configuration.
  await writeFile(
    join(repository.root, ".git", "more"),
    `[filter "o.d-d"]\n\tclean = ${await repository.trap("included", "exec cat")}\n`,
  );
  await repository.configure({ "include.path": "more", "extensions.worktreeConfig": "true" });
  await repository.git(
    "config",
    "--worktree",
    "filter.tree.clean",
    await repository.trap("worktree", "exec cat"),
  );
});

describe("G2 content filters of a repository", () => {
  it("run with plain git", async () => {
    for (const path of ["a.clean", "c.odd", "d.tree"])
      await repository.git("diff", "HEAD", "--", path).catch(() => {});
    expect(await repository.marks()).toEqual(expect.arrayContaining(["clean", "included", "worktree"]));
  });

  it("do not run and do not change the diff", async () => {
    for (const diffType of DIFF_TYPES) await snapshotOf(repository, diffType);
    const { patchOf, paths } = await snapshotOf(repository);
    expect(paths).toEqual(["a.clean", "b.pump", "c.odd", "d.tree", "new.clean"]);
    for (const path of paths) expect(await patchOf(path)).toContain(`+new line of ${path}\n`);
    expect(await repository.marks()).toEqual([]);
  });

  it("run if the user's own configuration names them, as Git LFS does", async () => {
    await writeFile(
      join(repository.outside, ".gitconfig"),
      '[filter "blot"]\n\tclean = sed s/new/filtered/\n',
    );
    const { patchOf } = await snapshotOf(repository);
    expect(await patchOf("a.clean")).toContain("+filtered line of a.clean\n");
    expect(await repository.marks()).toEqual([]);
  });
});

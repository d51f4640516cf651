import { mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createDiffSession } from "../../src/review/git/diff-session.ts";
import { readSide } from "../../src/review/git/file-text.ts";
import { DIFF_TYPES, type HostileRepository, hostileRepository } from "../support/hostile-repository.ts";
import { openSnapshot, snapshotOf } from "../support/test-repository.ts";

let repository: HostileRepository;

beforeEach(async () => {
  repository = await hostileRepository({
    ".gitattributes": "*.lens diff=lens\n*.engine diff=engine\n*.merge merge=evil\n",
    "c.lens": "old\n",
    "d.engine": "old\n",
    "e.merge": "old\n",
  });
  await repository.git("branch", "base");
  await repository.write({ "c.lens": "second\n" });
  await repository.commit("second");
  for (const path of ["c.lens", "d.engine", "new.lens"])
    await repository.write({ [path]: `new line of ${path}\n` });
  // Its mark is removed in a copy of the index, and writing an index calls a hook.
  await repository.git("update-index", "--assume-unchanged", "e.merge");
  const hooks = join(repository.outside, "hooks");
  await mkdir(hooks);
  for (const hook of ["post-index-change", "reference-transaction", "fsmonitor-watchman", "post-checkout"])
    await writeFile(join(hooks, hook), await readFile(await repository.trap(`hook-${hook}`)), {
      mode: 0o755,
    });
  await repository.configure({
    "core.fsmonitor": await repository.trap("fsmonitor"),
    "core.hooksPath": hooks,
    "core.pager": await repository.trap("pager", "exec cat"),
    "core.editor": await repository.trap("editor"),
    "core.sshCommand": await repository.trap("ssh"),
    "core.askPass": await repository.trap("askpass"),
    "core.gitProxy": await repository.trap("git-proxy"),
    "credential.helper": await repository.trap("credential"),
    "gpg.program": await repository.trap("gpg"),
    "log.showSignature": "true",
    "pager.diff": await repository.trap("pager-diff", "exec cat"),
    "interactive.diffFilter": await repository.trap("filter", "exec cat"),
    "sequence.editor": await repository.trap("sequence"),
    "diff.external": await repository.trap("external"),
    "diff.lens.textconv": await repository.trap("textconv", 'exec cat "$1"'),
    "diff.lens.cachetextconv": "true",
    "diff.engine.command": await repository.trap("driver"),
    "merge.evil.driver": await repository.trap("merge"),
    "alias.diff": `!${await repository.trap("alias")}`,
    "alias.rev-parse": `!${await repository.trap("alias-rev-parse")}`,
  });
  // A file time that differs from the index can make git write the index again, which calls a hook.
  await utimes(join(repository.root, "d.engine"), new Date(0), new Date(0));
});

describe("G1 a repository whose configuration names programs", () => {
  it("runs them with plain git", async () => {
    await repository.git("diff", "HEAD").catch(() => {});
    await repository.git("diff", "HEAD", "--no-ext-diff", "--", "c.lens").catch(() => {});
    expect(await repository.marks()).toEqual(expect.arrayContaining(["fsmonitor", "external", "textconv"]));
  });

  it("runs none of them for any diff and shows every change", async () => {
    for (const diffType of DIFF_TYPES) await snapshotOf(repository, diffType);
    const { git, snapshot } = await openSnapshot(repository);
    for (const file of snapshot.files)
      expect((await readSide(git, snapshot, file.path, "new")).toString()).toBe(`new line of ${file.path}\n`);
    expect(snapshot.files.map(({ path }) => path)).toEqual(["c.lens", "d.engine", "new.lens"]);
    await snapshot.spool.close();
    const session = createDiffSession(await repository.open());
    (await session.switchTo("staged")).release();
    await session.isOutdated();
    await session.close();
    expect(await repository.marks()).toEqual([]);
  });

  it("keeps index, refs and objects unchanged", async () => {
    const state = async () => [
      await readFile(join(repository.root, ".git", "index"), "hex"),
      (await readdir(join(repository.root, ".git"), { recursive: true })).sort(),
    ];
    const before = await state();
    for (const diffType of ["uncommitted", "staged", "last-commit"]) await snapshotOf(repository, diffType);
    expect(await state()).toEqual(before);
  });
});

import { stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { readCommit } from "../../src/review/git/commits.ts";
import { type HostileRepository, hostileRepository } from "../support/hostile-repository.ts";
import { openSnapshot, snapshotOf } from "../support/test-repository.ts";

let repository: HostileRepository;
beforeEach(async () => {
  repository = await hostileRepository({ "c.lens": "old\n", "d.engine": "old\n" });
});

describe("G5 a repository that tries to hide or alter changes", () => {
  it("cannot mark text as binary", async () => {
    await repository.write({ ".gitattributes": "*.ts -diff\n*.evil diff=evil\n*.png -diff\n" });
    await repository.git("config", "diff.evil.binary", "true");
    await repository.write({ "a.ts": "one\n", "b.evil": "one\n", "real.png": Buffer.from([0, 1]) });
    await repository.commit();
    await repository.write({
      "a.ts": "two\n",
      "b.evil": "two\n",
      "new.ts": "new\n",
      "real.png": Buffer.from([0, 2]),
      "new.png": Buffer.from([0, 3]),
    });
    const { snapshot, patchOf } = await snapshotOf(repository);
    expect(await patchOf("a.ts")).toContain("-one\n+two\n");
    expect(await patchOf("b.evil")).toContain("-one\n+two\n");
    expect(await patchOf("new.ts")).toContain("+new\n");
    expect(snapshot.files.filter(({ binary }) => binary).map(({ path }) => path)).toEqual([
      "real.png",
      "new.png",
    ]);
  });

  it.each([
    ["the repository", []],
    ["the user", ["--global"]],
  ])("cannot change a patch's format or omit files from it by settings of %s", async (_name, scope) => {
    await repository.write({ "c.lens": "changed\n", "é ü.txt": "new\n" });
    const plain = (await snapshotOf(repository)).patch;
    const settings = {
      "color.ui": "always",
      "color.diff": "always",
      "core.quotePath": "false",
      "core.bigFileThreshold": "1",
      "core.untrackedCache": "true",
      "diff.noprefix": "true",
      "diff.mnemonicPrefix": "true",
      "diff.relative": "true",
      "diff.orderFile": ".git/order",
      "diff.context": "0",
      "diff.interHunkContext": "9",
      "diff.algorithm": "patience",
      "diff.renames": "false",
      "diff.submodule": "log",
      "diff.ignoreSubmodules": "all",
      "diff.suppressBlankEmpty": "true",
      "diff.wsErrorHighlight": "all",
      "diff.colorMoved": "zebra",
      "diff.autoRefreshIndex": "false",
      "status.showUntrackedFiles": "no",
    };
    await writeFile(join(repository.root, ".git", "order"), "zzz\nd.engine\n");
    for (const [key, value] of Object.entries(settings)) await repository.git("config", ...scope, key, value);
    expect((await snapshotOf(repository)).patch).toBe(plain);
  });

  it("cannot replace objects", async () => {
    await repository.write({ "c.lens": "changed\n" });
    const honest = (await snapshotOf(repository)).patch;
    await writeFile(join(repository.outside, "lie"), "changed\n");
    const lie = (await repository.git("hash-object", "-w", join(repository.outside, "lie"))).trim();
    await repository.git("replace", (await repository.git("rev-parse", "HEAD:c.lens")).trim(), lie);
    expect((await snapshotOf(repository)).patch).toBe(honest);
  });

  it("cannot replace commits", async () => {
    await repository.write({ "c.lens": "changed\n" });
    const honest = await snapshotOf(repository);
    const head = (await repository.git("rev-parse", "HEAD")).trim();
    const lie = (await repository.git("commit-tree", "-m", "A lie", "HEAD^{tree}")).trim();
    await repository.git("replace", head, lie);
    expect((await snapshotOf(repository)).patch).toBe(honest.patch);
    const { git, snapshot } = await openSnapshot(repository);
    await snapshot.spool.close();
    expect((await readCommit(git, head))?.title).not.toBe("A lie");
  });

  it("cannot hide a file by a bit in the index", async () => {
    await repository.git("update-index", "--assume-unchanged", "c.lens");
    await repository.git("update-index", "--skip-worktree", "d.engine");
    await repository.write({ "c.lens": "hidden\n", "d.engine": "hidden\n" });
    expect((await snapshotOf(repository)).paths).toEqual(["c.lens", "d.engine"]);
  });

  it("cannot hide a file of the same size by resetting its time", async () => {
    const path = join(repository.root, "c.lens");
    const long = new Date("2001-02-03T04:05:06Z");
    await repository.write({ "c.lens": "new\n" });
    await utimes(path, long, long);
    await repository.commit();
    await repository.git("config", "core.trustctime", "false");
    await repository.git("config", "core.checkStat", "minimal");
    const committed = Math.floor((await stat(path)).ctimeMs / 1_000);
    // Git may compare only whole seconds, so a change within one second is visible only by the time that was reset.
    const changeLater = async () => {
      await repository.write({ "c.lens": "odd\n" });
      await utimes(path, long, long);
      return Math.floor((await stat(path)).ctimeMs / 1_000);
    };
    await expect.poll(changeLater, { timeout: 30_000 }).toBeGreaterThan(committed);
    expect((await snapshotOf(repository)).paths).toEqual(["c.lens"]);
  });

  it("cannot hide a file of the same size that changed at the same time as the index", async () => {
    const long = new Date("2001-02-03T04:05:06Z");
    const put = async (content: string) => {
      await repository.write({ "c.lens": content });
      await utimes(join(repository.root, "c.lens"), long, long);
    };
    await put("new\n");
    await repository.commit();
    await repository.git("update-index", "--assume-unchanged", "c.lens");
    await put("odd\n");
    await utimes(join(repository.root, ".git", "index"), long, long);
    expect((await snapshotOf(repository)).paths).toEqual(["c.lens"]);
  });
});

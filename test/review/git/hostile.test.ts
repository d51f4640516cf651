import { chmod, mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createDiffDesk } from "../../../src/review/git/diff-desk.ts";
import { readSide } from "../../../src/review/git/file-text.ts";
import {
  heldSnapshot,
  snapshotOf,
  type TestRepository,
  testRepository,
} from "../../support/test-repository.ts";

const DIFF_TYPES = ["uncommitted", "staged", "unstaged", "last-commit", "branch", "merge-base", "all"];

let repository: TestRepository;
let marks: string;

/** A program that leaves a mark when it runs. */
async function trap(name: string, then = "exit 0"): Promise<string> {
  const path = join(repository.outside, `${name}.sh`);
  await writeFile(path, `#!/bin/sh\n: > '${join(marks, name)}'\n${then}\n`);
  await chmod(path, 0o755);
  return path;
}

beforeEach(async () => {
  repository = await testRepository({
    ".gitattributes": "*.clean filter=blot\n*.pump filter=a=b\n*.lens diff=lens\n*.engine diff=engine\n",
    "a.clean": "old\n",
    "b.pump": "old\n",
    "c.lens": "old\n",
    "d.engine": "old\n",
  });
  marks = join(repository.outside, "marks");
  await mkdir(marks);
});

describe("a repository that names programs", () => {
  beforeEach(async () => {
    await repository.git("branch", "base");
    await repository.write({ "c.lens": "second\n" });
    await repository.commit("second");
    for (const path of ["a.clean", "b.pump", "c.lens", "d.engine", "new.clean"]) {
      await repository.write({ [path]: `new line of ${path}\n` });
    }
    const hooks = join(repository.outside, "hooks");
    await mkdir(hooks);
    for (const hook of ["post-index-change", "reference-transaction", "fsmonitor-watchman"]) {
      await writeFile(join(hooks, hook), await readFile(await trap(`hook-${hook}`)), { mode: 0o755 });
    }
    const settings = {
      "core.fsmonitor": await trap("fsmonitor"),
      "core.hooksPath": hooks,
      "core.pager": await trap("pager", "exec cat"),
      "diff.external": await trap("external"),
      "diff.lens.textconv": await trap("textconv", 'exec cat "$1"'),
      "diff.engine.command": await trap("driver"),
      "filter.blot.clean": await trap("clean", "exec cat"),
      "filter.blot.required": "true",
      "filter.a=b.process": await trap("process", "exit 1"),
      "alias.diff": `!${await trap("alias")}`,
    };
    for (const [key, value] of Object.entries(settings)) await repository.git("config", key, value);
    // A time that no longer fits the index tempts git to write the index anew, which calls a hook.
    await utimes(join(repository.root, "d.engine"), new Date(0), new Date(0));
  });

  it("would run them under plain git", async () => {
    await repository.git("diff", "HEAD").catch(() => {});
    await repository.git("-c", "filter.a=b.process=", "diff", "HEAD").catch(() => {});
    // A filter with an equals sign in its name cannot be named by -c; without its file, git gets further.
    await repository.git("diff", "HEAD", "--", "c.lens").catch(() => {});
    const ran = await readdir(marks);
    for (const name of ["fsmonitor", "external", "clean"]) expect(ran).toContain(name);
  });

  it("runs none of them, whatever is looked at, and shows every change", async () => {
    for (const diffType of DIFF_TYPES) await snapshotOf(repository, diffType);
    const { git, snapshot } = await heldSnapshot(repository);
    for (const file of snapshot.files) {
      const text = await readSide(git, snapshot, file.path, "new");
      expect(text.toString()).toBe(`new line of ${file.path}\n`);
    }
    expect(snapshot.files.map(({ path }) => path)).toEqual([
      "a.clean",
      "b.pump",
      "c.lens",
      "d.engine",
      "new.clean",
    ]);
    await snapshot.spool.close();
    const desk = createDiffDesk(await repository.open());
    (await desk.switchTo("staged")).release();
    await desk.isOutdated();
    await desk.close();
    expect(await readdir(marks)).toEqual([]);
  });

  it("leaves index, refs and objects as they were", async () => {
    const state = async () => [
      await readFile(join(repository.root, ".git", "index"), "hex"),
      (await readdir(join(repository.root, ".git"), { recursive: true })).sort(),
    ];
    const before = await state();
    for (const diffType of ["uncommitted", "staged", "last-commit"]) await snapshotOf(repository, diffType);
    expect(await state()).toEqual(before);
  });

  it("keeps filters that the user's own configuration names", async () => {
    await writeFile(
      join(repository.outside, ".gitconfig"),
      '[filter "blot"]\n\tclean = sed s/new/filtered/\n',
    );
    const { patchOf } = await snapshotOf(repository);
    expect(await patchOf("a.clean")).toContain("+filtered line of a.clean\n");
    expect(await readdir(marks)).toEqual([]);
  });
});

describe("a repository that would hide changes", () => {
  it("cannot call text binary", async () => {
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

  it("cannot change what a patch looks like, or leave files out of it", async () => {
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
    for (const [key, value] of Object.entries(settings)) await repository.git("config", key, value);
    expect((await snapshotOf(repository)).patch).toBe(plain);
  });

  it("cannot show other objects in place of the real ones", async () => {
    await repository.write({ "c.lens": "changed\n" });
    const honest = (await snapshotOf(repository)).patch;
    await writeFile(join(repository.outside, "lie"), "changed\n");
    const lie = (await repository.git("hash-object", "-w", join(repository.outside, "lie"))).trim();
    await repository.git("replace", (await repository.git("rev-parse", "HEAD:c.lens")).trim(), lie);
    expect((await snapshotOf(repository)).patch).toBe(honest);
  });

  it("cannot hide a submodule's new commit in .gitmodules", async () => {
    const inner = await testRepository({ "inner.txt": "1\n" });
    await repository.git(
      "-c",
      "protocol.file.allow=always",
      "submodule",
      "add",
      "--quiet",
      inner.root,
      "module",
    );
    await repository.git("config", "--file", ".gitmodules", "submodule.module.ignore", "all");
    await repository.commit();
    await repository.git("-C", "module", "commit", "--quiet", "--allow-empty", "-m", "two");
    expect((await snapshotOf(repository)).paths).toEqual(["module"]);
  });

  it("cannot hide a file by a bit in the index", async () => {
    await repository.git("update-index", "--assume-unchanged", "c.lens");
    await repository.git("update-index", "--skip-worktree", "d.engine");
    await repository.write({ "c.lens": "hidden\n", "d.engine": "hidden\n" });
    expect((await snapshotOf(repository)).paths).toEqual(["c.lens", "d.engine"]);
  });
});

describe("names that look like options", () => {
  it("write nothing, as branch, as default branch, as file and as diff type", async () => {
    const target = join(repository.outside, "owned");
    await repository.git("update-ref", `refs/remotes/origin/--output=${target}`, "HEAD");
    await repository.git(
      "symbolic-ref",
      "refs/remotes/origin/HEAD",
      `refs/remotes/origin/--output=${target}`,
    );
    await repository.git("update-ref", "refs/heads/--output=owned", "HEAD");
    await repository.git("symbolic-ref", "HEAD", "refs/heads/--output=owned");
    await repository.write({ "--output=owned.txt": "a\n", "--no-index": "b\n" });
    for (const diffType of ["uncommitted", "branch", "merge-base"]) await snapshotOf(repository, diffType);
    for (const name of [`--output=${target}`, "--output=owned", "HEAD --output=owned", "-h"]) {
      for (const kind of ["base", "commit"]) await snapshotOf(repository, `${kind}:${name}`).catch(() => {});
    }
    expect((await readdir(repository.outside)).filter((name) => name.includes("owned"))).toEqual([]);
    expect((await readdir(repository.root)).filter((name) => name.includes("owned"))).toEqual([
      "--output=owned.txt",
    ]);
  });
});

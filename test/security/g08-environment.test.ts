import { chmod, mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findGit } from "../../src/review/git/find-git.ts";
import { hostileRepository } from "../support/hostile-repository.ts";
import { snapshotOf } from "../support/test-repository.ts";

it("G8 git's environment variables change no diff and run no program", async () => {
  const repository = await hostileRepository({ "a.txt": "old\n" });
  await repository.write({ "a.txt": "new\n" });
  const plain = await snapshotOf(repository);
  const before = await stat(join(repository.root, ".git", "index"), { bigint: true });
  const trap = await repository.trap("environment");
  const elsewhere = await hostileRepository({ "other.txt": "x\n" });
  const inherited = {
    GIT_DIR: join(elsewhere.root, ".git"),
    GIT_WORK_TREE: elsewhere.root,
    GIT_INDEX_FILE: "/dev/null",
    GIT_OBJECT_DIRECTORY: "/nowhere",
    GIT_ALTERNATE_OBJECT_DIRECTORIES: "/nowhere",
    GIT_EXTERNAL_DIFF: trap,
    GIT_PAGER: trap,
    GIT_EDITOR: trap,
    GIT_ASKPASS: trap,
    GIT_SSH_COMMAND: trap,
    GIT_PROXY_COMMAND: trap,
    GIT_CONFIG_PARAMETERS: `'core.fsmonitor=${trap}'`,
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "core.fsmonitor",
    GIT_CONFIG_VALUE_0: trap,
    GIT_CONFIG_GLOBAL: "/nowhere",
    GIT_DIFF_OPTS: "--unified=0",
    GIT_NAMESPACE: "x",
    GIT_TRACE: "/dev/stderr",
    GIT_EXEC_PATH: "/nowhere",
    GIT_TEMPLATE_DIR: "/nowhere",
    LC_ALL: "de_DE.UTF-8",
    EDITOR: trap,
    PAGER: trap,
  };
  const { patch, paths } = await snapshotOf({
    ...repository,
    open: async () => {
      const { openRepository } = await import("../../src/review/git/repository.ts");
      return openRepository(repository.root, { ...repository.environment, ...inherited });
    },
  });
  expect(paths).toEqual(plain.paths);
  expect(patch).toBe(plain.patch);
  expect(await repository.marks()).toEqual([]);
  const after = await stat(join(repository.root, ".git", "index"), { bigint: true });
  expect(after.mtimeNs).toBe(before.mtimeNs);
});

it("G8 a git executable inside the repository is not run", async () => {
  const repository = await hostileRepository({ "a.txt": "a\n" });
  const planted = [join(repository.root, "node_modules", ".bin"), join(repository.root, "..bin")];
  for (const folder of planted) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "git"), "#!/bin/sh\nexit 1\n");
    await chmod(join(folder, "git"), 0o755);
  }
  const PATH = `.:node_modules/.bin:${planted.join(":")}:${repository.root}:${process.env["PATH"]}`;
  const found = findGit(repository.root, { PATH });
  expect(found.binary).not.toContain(repository.root);
  expect(
    found.path.split(":").filter((folder) => folder === "." || folder.includes(repository.root)),
  ).toEqual([]);
});

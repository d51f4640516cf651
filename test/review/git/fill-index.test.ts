import { access, chmod, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { planDiff } from "../../../src/review/git/diff-types.ts";
import { keptIndex } from "../../../src/review/git/fill-index.ts";
import { findGit } from "../../../src/review/git/find-git.ts";
import { formatIndex, isUnread, parseIndex } from "../../../src/review/git/index-entries.ts";
import { readHeads } from "../../../src/review/git/refs.ts";
import { openRepository } from "../../../src/review/git/repository.ts";
import { takeSnapshot } from "../../../src/review/git/snapshot.ts";
import { snapshotOf, testRepository } from "../../support/test-repository.ts";

const FILES = 4_100;

it("keeps the results of an aborted run, and the next run compares the rest", async () => {
  const files = Object.fromEntries(
    Array.from({ length: FILES }, (_, number) => [`f${number}.txt`, `${number}\n`]),
  );
  const tested = await testRepository(files);
  const { binary } = findGit(tested.root, tested.environment);
  const [gate, log] = [join(tested.outside, "gate"), join(tested.outside, "log")];
  const wrapper = join(tested.outside, "git");
  // The fifth slice blocks as long as the gate exists.
  await writeFile(
    wrapper,
    `#!/bin/sh\ncase "$GIT_INDEX_FILE$*" in */index.4*update-index*) echo reached > ${log}; if [ -e ${gate} ]; then exec sleep 600; fi;; esac\nexec ${binary} "$@"\n`,
  );
  await chmod(wrapper, 0o755);
  await writeFile(gate, "");
  const environment = { ...tested.environment, PATH: `${tested.outside}:${tested.environment["PATH"]}` };
  const repository = await openRepository(tested.root, environment);
  const controller = new AbortController();
  const git = await repository.git(controller.signal);
  const known = { git, heads: await readHeads(git), objectFormat: repository.objectFormat };
  const view = { ignoreSpace: false, paths: [] };
  const taking = takeSnapshot({ repository, git, plan: await planDiff("uncommitted", known), view });
  const ended = expect(taking).rejects.toThrow();
  await expect
    .poll(
      () =>
        access(log).then(
          () => true,
          () => false,
        ),
      { timeout: 60_000 },
    )
    .toBe(true);
  controller.abort();
  await ended;
  const unreadIn = async () =>
    (parseIndex(await readFile(keptIndex(repository)), "sha1") ?? []).filter((entry) =>
      isUnread(entry, "sha1"),
    ).length;
  const left = await unreadIn();
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(FILES);
  await tested.write({ "f7.txt": "seven\n" });
  expect((await snapshotOf(tested)).paths).toEqual(["f7.txt"]);
  expect(await unreadIn()).toBe(0);
});

it("compares a file of the same size and times by content, and one of another size as changed", async () => {
  const tested = await testRepository({ "same.txt": "old\n", "size.txt": "old\n", "equal.txt": "equal\n" });
  await tested.write({ "same.txt": "new\n", "size.txt": "newer\n" });
  const past = new Date("2020-01-01T00:00:00Z");
  for (const name of ["same.txt", "size.txt", "equal.txt"]) await utimes(join(tested.root, name), past, past);
  expect((await snapshotOf(tested)).paths).toEqual(["same.txt", "size.txt"]);
  await tested.write({ "size.txt": "old\n" });
  expect((await snapshotOf(tested)).paths).toEqual(["same.txt"]);
});

it.each(["sha1", "sha256"] as const)(
  "reads and writes the index of git, with names of %s",
  async (format) => {
    const names = { "a.txt": "a\n", "deep/b.txt": "b\n", [`${"long/".repeat(40)}c.txt`]: "c\n", "ä.txt": "" };
    const tested = await testRepository(names, [`--object-format=${format}`]);
    const path = join(tested.root, ".git", "index");
    const entries = parseIndex(await readFile(path), format) ?? [];
    expect(entries).toHaveLength(4);
    const before = await tested.git("ls-files", "--stage", "--debug");
    await writeFile(path, formatIndex(entries, format));
    expect(await tested.git("ls-files", "--stage", "--debug")).toBe(before);
    expect(parseIndex(Buffer.from("DIRC\0\0\0\x04\0\0\0\0", "latin1"), format)).toBeUndefined();
  },
);

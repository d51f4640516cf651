import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createDiffSession } from "../../../src/review/git/diff-session.ts";
import { findGit } from "../../../src/review/git/find-git.ts";
import { openRepository } from "../../../src/review/git/repository.ts";
import { testRepository } from "../../support/test-repository.ts";

it("prepares a working tree once for the first files of a review and for all of them", async () => {
  const tested = await testRepository({ "a.txt": "one\n", "b.txt": "one\n" });
  await tested.write({ "a.txt": "two\n", "b.txt": "two\n" });
  const { binary } = findGit(tested.root, tested.environment);
  const log = join(tested.outside, "log");
  const wrapper = join(tested.outside, "git");
  await writeFile(wrapper, `#!/bin/sh\necho "$2" >> ${log}\nexec ${binary} "$@"\n`);
  await chmod(wrapper, 0o755);
  const environment = { ...tested.environment, PATH: `${tested.outside}:${tested.environment["PATH"]}` };
  const session = createDiffSession(await openRepository(tested.root, environment));
  const [whole, part] = await Promise.all([session.current(), session.part((files) => files.slice(0, 1))]);
  expect(whole.snapshot.files.map(({ path }) => path)).toEqual(["a.txt", "b.txt"]);
  expect(part?.snapshot.files.map(({ path }) => path)).toEqual(["a.txt"]);
  whole.release();
  part?.release();
  await session.close();
  const commands = (await readFile(log, "utf8")).split("\n");
  expect(commands.filter((command) => command === "diff-files")).toHaveLength(1);
});

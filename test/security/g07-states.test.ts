import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openRepository } from "../../src/review/git/repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { repositoryIn, snapshotOf, testRepository } from "../support/test-repository.ts";

it("G7 before the first commit, with one, detached, without a main branch: every diff can be taken", async () => {
  const empty = await testRepository();
  await empty.write({ "staged.txt": "s\n", "loose.txt": "l\n" });
  await empty.git("add", "staged.txt");
  const one = await testRepository({ "a.txt": "a\n" });
  const detached = await testRepository({ "a.txt": "a\n" });
  await detached.git("checkout", "--quiet", "--detach");
  const nameless = await testRepository({ "a.txt": "a\n" });
  await nameless.git("branch", "-m", "main", "x y".replace(" ", "-"));
  for (const repository of [empty, one, detached, nameless])
    for (const diffType of ["uncommitted", "last-commit", "branch"])
      expect((await snapshotOf(repository, diffType)).snapshot.diffId).toMatch(/^[0-9a-f]{32}$/);
  expect((await snapshotOf(empty)).paths).toEqual(["staged.txt", "loose.txt"]);
});

it("G7 each place that is none is told apart, with what to do", async () => {
  const folder = await temporaryFolder();
  const environment = { PATH: process.env["PATH"], HOME: folder, GIT_CEILING_DIRECTORIES: folder };
  await mkdir(join(folder, "plain"));
  await repositoryIn(folder, folder).git("init", "--quiet", "--bare", "bare.git");
  const messages = new Set<string>();
  for (const [place, PATH] of [
    ["plain", environment.PATH],
    ["nowhere", environment.PATH],
    ["bare.git", environment.PATH],
    ["plain", folder],
  ] as const) {
    const error = await openRepository(join(folder, place), { ...environment, PATH }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ exitCode: 4, hint: expect.stringMatching(/./) });
    messages.add(String(error));
  }
  expect(messages.size).toBe(4);
  expect([...messages].join("\n")).toContain("bare.git has no working tree");
});

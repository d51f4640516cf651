import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readSide } from "../../src/review/git/file-text.ts";
import { openSnapshot, snapshotOf, testRepository } from "../support/test-repository.ts";

it("G6 files that are too large to compare are reported and not read, tracked or not", async () => {
  const repository = await testRepository({ "a.txt": "a\n", "grows.bin": "small\n" });
  await repository.write({ "new – groß.bin": "" });
  // Sparse files: a large size, but little space on disk.
  for (const name of ["new – groß.bin", "grows.bin"])
    await truncate(join(repository.root, name), 65 * 1024 * 1024);
  const { git, snapshot } = await openSnapshot(repository);
  expect(snapshot.files).toMatchObject([
    { path: "grows.bin", status: "modified", binary: true },
    { path: "new – groß.bin", status: "added", binary: true, additions: 0 },
  ]);
  expect(snapshot.spool.length).toBeLessThan(1_000);
  await expect(readSide(git, snapshot, "grows.bin", "new")).rejects.toMatchObject({ code: "validation" });
  await snapshot.spool.close();
});

it("G6 a patch of many megabytes is stored on disk, complete", async () => {
  const repository = await testRepository({ "a.txt": "a\n" });
  const line = `${"x".repeat(99)}\n`;
  await repository.write({ "large.txt": line.repeat(200_000) });
  const { snapshot } = await openSnapshot(repository);
  expect(snapshot.files).toMatchObject([{ path: "large.txt", additions: 200_000 }]);
  expect(snapshot.spool.length).toBeGreaterThan(200_000 * 101);
  await snapshot.spool.close();
});

it("G6 names and contents that are not text lose no byte and hide no other file", async () => {
  const repository = await testRepository({ "latin.txt": Buffer.from("caf\xe9\n", "latin1") });
  await repository.write({ "latin.txt": Buffer.from("th\xe9\n", "latin1") });
  const awkward = ["na\xefve", 'quo"te', "tab\there", "line\nbreak", "-dash", " b  a", "b\\s", "\x01ctl"];
  for (const name of awkward)
    await writeFile(
      Buffer.concat([Buffer.from(`${repository.root}/`), Buffer.from(name, "latin1")]),
      `${name.length}\n`,
    );
  const { snapshot } = await snapshotOf(repository);
  expect(snapshot.files.map(({ path }) => path).toSorted()).toEqual(
    ["latin.txt", "na\ufffdve", ...awkward.slice(1)].toSorted(),
  );
  for (const { status, additions, path } of snapshot.files)
    expect([path, status, additions]).toEqual([path, path === "latin.txt" ? "modified" : "added", 1]);
});

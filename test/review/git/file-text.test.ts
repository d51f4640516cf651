import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readPatch, readPatches, readSide } from "../../../src/review/git/file-text.ts";
import { openSnapshot, type TestRepository, testRepository } from "../../support/test-repository.ts";

async function sides(repository: TestRepository, diffType: string, path: string) {
  const { git, snapshot } = await openSnapshot(repository, diffType);
  const read = (side: "old" | "new") =>
    readSide(git, snapshot, path, side).then(String, (error: { code: string }) => error.code);
  const both = [await read("old"), await read("new")];
  await snapshot.spool.close();
  return both;
}

describe("readSide", () => {
  it("returns both sides of changed, new, removed, renamed and unchanged files", async () => {
    const repository = await testRepository({
      "changed.txt": "1\n2\n3\n",
      "gone.txt": "gone\n",
      "old.txt": "same\nsame\nsame\n",
      "untouched.txt": "still\n",
      "crlf.txt": "a\r\nb\r\n",
      "data.bin": Buffer.from([0, 1]),
    });
    await repository.git("rm", "--quiet", "gone.txt");
    await rename(join(repository.root, "old.txt"), join(repository.root, "new name.txt"));
    await repository.write({
      "changed.txt": "1\nzwei\n3",
      "crlf.txt": "a\r\nc\r\n",
      "data.bin": Buffer.from([0, 2]),
    });
    await repository.git("add", "--all");
    await repository.write({ "fresh.txt": "fresh\n" });
    const of = (path: string) => sides(repository, "uncommitted", path);
    expect(await of("changed.txt")).toEqual(["1\n2\n3\n", "1\nzwei\n3"]);
    expect(await of("gone.txt")).toEqual(["gone\n", "not_found"]);
    expect(await of("new name.txt")).toEqual(["same\nsame\nsame\n", "same\nsame\nsame\n"]);
    expect(await of("untouched.txt")).toEqual(["still\n", "still\n"]);
    expect(await of("crlf.txt")).toEqual(["a\r\nb\r\n", "a\r\nc\r\n"]);
    expect(await of("fresh.txt")).toEqual(["not_found", "fresh\n"]);
    expect(await of("data.bin")).toEqual(["validation", "validation"]);
  });

  it("returns the content at the time of the diff, whatever is written later", async () => {
    const repository = await testRepository({ "a.txt": "1\n" });
    await repository.write({ "a.txt": "2\n" });
    const { git, snapshot } = await openSnapshot(repository);
    await repository.write({ "a.txt": "3\n" });
    expect((await readSide(git, snapshot, "a.txt", "new")).toString()).toBe("2\n");
    await snapshot.spool.close();
  });

  it("reads the index if the index is compared", async () => {
    const repository = await testRepository({ "a.txt": "1\n", "b.txt": "b\n" });
    await repository.write({ "a.txt": "2\n" });
    await repository.git("add", "a.txt");
    await repository.write({ "a.txt": "3\n" });
    expect(await sides(repository, "staged", "a.txt")).toEqual(["1\n", "2\n"]);
    expect(await sides(repository, "unstaged", "a.txt")).toEqual(["2\n", "3\n"]);
    expect(await sides(repository, "unstaged", "b.txt")).toEqual(["b\n", "b\n"]);
  });

  it("never leaves the repository", async () => {
    const repository = await testRepository({ "a.txt": "a\n" });
    await writeFile(join(repository.outside, "secret.txt"), "secret\n");
    await repository.write({ "a.txt": "b\n" });
    for (const path of [
      "../secret.txt",
      join(repository.outside, "secret.txt"),
      "a.txt/../../secret.txt",
      ".git/config",
      "--textconv",
      "a\0b",
      "",
    ]) {
      expect(await sides(repository, "uncommitted", path)).toEqual(["not_found", "not_found"]);
    }
  });
});

describe("readPatches", () => {
  it("yields each file with its patch, of files that are read together and of those that are not", async () => {
    const repository = await testRepository({
      "a.txt": "a\n",
      "b.txt": "b\n",
      "c.txt": "c\n",
      "e.txt": "e\n",
    });
    const long = `${"a long line of a large file\n".repeat(50_000)}`;
    await repository.write({
      "a.txt": "aa\n",
      "b.txt": long,
      "c.txt": "cc\n",
      "d.txt": "new\n",
      "e.txt": "ee\n",
    });
    const { snapshot } = await openSnapshot(repository);
    for (const files of [snapshot.files, snapshot.files.filter(({ path }) => path !== "c.txt"), []]) {
      const expected = await Promise.all(
        files.map(async (file) => [file.path, String(await readPatch(snapshot, file))]),
      );
      const kept: (readonly [string, Buffer])[] = [];
      for await (const [{ path }, patch] of readPatches(snapshot, files)) kept.push([path, patch]);
      expect(kept.map(([path, patch]) => [path, patch.toString()])).toEqual(expected);
      const texts: (readonly [string, string])[] = [];
      for await (const [{ path }, patch] of readPatches(snapshot, files, { reuse: true }))
        texts.push([path, patch.toString()]);
      expect(texts).toEqual(expected);
    }
    await snapshot.spool.close();
  });
});

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openRepository } from "../../src/review/git/repository.ts";
import { codeServer } from "../support/code-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { repositoryIn, snapshotOf, testRepository } from "../support/test-repository.ts";

it("G7 every diff can be shown before the first commit, with one commit, detached and without a main branch", async () => {
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

it("G7 the error for a folder without a usable repository states its kind and the remedy", async () => {
  const folder = await temporaryFolder();
  const environment = { PATH: process.env["PATH"], HOME: folder, GIT_CEILING_DIRECTORIES: folder };
  await mkdir(join(folder, "plain"));
  await repositoryIn(folder, folder).git("init", "--quiet", "--bare", "bare.git");
  const messages = new Set<string>();
  for (const [directory, PATH] of [
    ["plain", environment.PATH],
    ["nowhere", environment.PATH],
    ["bare.git", environment.PATH],
    ["plain", folder],
  ] as const) {
    const error = await openRepository(join(folder, directory), { ...environment, PATH }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ exitCode: 4, hint: expect.stringMatching(/./) });
    messages.add(String(error));
  }
  expect(messages.size).toBe(4);
  expect([...messages].join("\n")).toContain("bare.git has no working tree");
});

it("G7 a tree with an entry named .. is shown, and the diff can be switched to and from it", async () => {
  const repository = await testRepository({ "a.txt": "a\n" });
  const blob = (await repository.git("rev-parse", "HEAD:a.txt")).trim();
  const treeOf = async (name: string, mode: string, object: string) => {
    const content = Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(object, "hex")]);
    await writeFile(join(repository.outside, "tree"), content);
    const file = join(repository.outside, "tree");
    return (await repository.git("hash-object", "-t", "tree", "-w", "--literally", file)).trim();
  };
  const tree = await treeOf("..", "40000", await treeOf("evil.sh", "100644", blob));
  const commit = (await repository.git("commit-tree", "-m", "odd", tree)).trim();
  const { get, post } = await codeServer(repository);
  const odd = await post("/api/diff/switch", { diffType: `commit:${commit}` });
  expect(odd.statusCode).toBe(200);
  expect(odd.json().rawPatch).toContain("../evil.sh");
  const index = (await get("/api/diff/index")).json();
  expect(index.files).toMatchObject([{ path: "../evil.sh", status: "added" }]);
  expect((await post("/api/diff/switch", { diffType: "uncommitted" })).statusCode).toBe(200);
});

it("G7 a repository whose core.worktree is another folder is reviewed there, and the page reports it", async () => {
  const repository = await testRepository({ "a.txt": "a\n" });
  const elsewhere = join(repository.outside, "elsewhere");
  await mkdir(elsewhere);
  await writeFile(join(elsewhere, "a.txt"), "b\n");
  await repository.git("config", "core.worktree", elsewhere);
  const { patch, snapshot } = await snapshotOf(repository);
  expect(patch).toContain("-a\n+b\n");
  expect(snapshot.omitted?.elsewhere?.paths).toEqual([repository.root]);
});

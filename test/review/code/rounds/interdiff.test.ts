import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DiffInterdiff } from "../../../../src/review/api-types.ts";
import { decompressDiff } from "../../../../src/review/code/rounds/sent-diff.ts";
import { createSentDiffs } from "../../../../src/review/code/rounds/sent-in-session.ts";
import { applyPatch } from "../../../../src/review/git/apply-patch.ts";
import { createDiffSession } from "../../../../src/review/git/diff-session.ts";
import { codeServer } from "../../../support/code-server.ts";
import { addSubmodule, type TestRepository, testRepository } from "../../../support/test-repository.ts";

const lines = (...changes: readonly (readonly [number, string])[]) => {
  const all = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
  for (const [number, text] of changes) all[number - 1] = text;
  return `${all.join("\n")}\n`;
};

async function sendFeedback(repository: TestRepository, diffType?: string): Promise<void> {
  const server = await codeServer(repository);
  if (diffType) await server.post("/api/diff/switch", { diffType, patch: false });
  expect((await server.post("/api/feedback", { feedback: "Please change this." })).statusCode).toBe(200);
}

async function interdiff(repository: TestRepository, query = "", diffType?: string): Promise<DiffInterdiff> {
  const server = await codeServer(repository);
  if (diffType) await server.post("/api/diff/switch", { diffType, patch: false });
  return (await server.get(`/api/diff/interdiff${query}`)).json();
}

/** The changed lines of a patch with their markers. */
const changedLines = (patch: string) => patch.split("\n").filter((line) => /^[+-](?![+-]{2} )/.test(line));

describe("GET /api/diff/interdiff", () => {
  it("shows what has changed since the last feedback, not the whole diff", async () => {
    const repository = await testRepository({
      "a.txt": lines(),
      "same.txt": "one\n",
      "reverted.txt": "one\n",
    });
    await repository.write({ "a.txt": lines([3, "mine"]), "same.txt": "two\n", "reverted.txt": "two\n" });
    await sendFeedback(repository);
    await repository.write({
      "a.txt": lines([3, "mine"], [20, "later"]),
      "reverted.txt": "one\n",
      "ä b.txt": "new\n",
    });
    const { round, files, rawPatch } = await interdiff(repository);
    expect(round).toBe(1);
    expect(
      files.map(({ path, status, additions, deletions }) => [path, status, additions, deletions]),
    ).toEqual([
      ["a.txt", "modified", 1, 1],
      ["ä b.txt", "added", 1, 0],
      ["reverted.txt", "modified", 1, 1],
    ]);
    expect(changedLines(rawPatch)).toEqual(["-line 20", "+later", "+new", "-two", "+one"]);
    expect(files.reduce((sum, { patchSize }) => sum + patchSize, 0)).toBe(Buffer.byteLength(rawPatch));
    const patch = Buffer.from(rawPatch).subarray(0, files[0]?.patchSize);
    expect(applyPatch(Buffer.from(lines([3, "mine"])), patch).toString()).toBe(
      lines([3, "mine"], [20, "later"]),
    );
  });

  it("leaves out changes by a rebase, in the same file and in others", async () => {
    const repository = await testRepository({ "a.txt": lines(), "other.txt": "one\n" });
    await repository.git("checkout", "--quiet", "-b", "topic");
    await repository.write({ "a.txt": lines([25, "mine"]) });
    await repository.commit("mine");
    await sendFeedback(repository, "merge-base");

    await repository.git("checkout", "--quiet", "main");
    await repository.write({ "a.txt": lines([2, "upstream\nand more"]), "other.txt": "two\n" });
    await repository.commit("upstream");
    await repository.git("checkout", "--quiet", "topic");
    await repository.git("rebase", "--quiet", "main");
    expect(await interdiff(repository, "", "merge-base")).toMatchObject({ files: [], rawPatch: "" });

    await repository.write({ "a.txt": lines([2, "upstream\nand more"], [25, "mine, as asked"]) });
    await repository.commit("as asked");
    const { files, rawPatch } = await interdiff(repository, "", "merge-base");
    expect(files.map(({ path }) => path)).toEqual(["a.txt"]);
    expect(changedLines(rawPatch)).toEqual(["-mine", "+mine, as asked"]);
  });

  it("shows only later changes after the reviewed ones were committed", async () => {
    const repository = await testRepository({ "a.txt": lines() });
    await repository.write({ "a.txt": lines([5, "mine"]) });
    await sendFeedback(repository);
    await repository.commit("as reviewed");
    expect((await interdiff(repository)).files).toEqual([]);
    await repository.write({ "a.txt": lines([5, "mine"], [6, "later"]) });
    expect(changedLines((await interdiff(repository)).rawPatch)).toEqual(["-line 6", "+later"]);
  });

  it("compares with the requested round, and returns 404 for one without feedback", async () => {
    const repository = await testRepository({ "a.txt": lines() });
    const server = await codeServer(repository);
    expect((await server.get("/api/diff/interdiff")).statusCode).toBe(404);
    expect((await server.get("/api/diff/interdiff?round=0")).statusCode).toBe(400);
    await repository.write({ "a.txt": lines([1, "first"]) });
    await sendFeedback(repository);
    await repository.write({ "a.txt": lines([1, "second"]) });
    await sendFeedback(repository);
    await repository.write({ "a.txt": lines([1, "third"]) });
    expect(changedLines((await interdiff(repository)).rawPatch)).toEqual(["-second", "+third"]);
    expect(changedLines((await interdiff(repository, "?round=1")).rawPatch)).toEqual(["-first", "+third"]);
    const fresh = await codeServer(repository);
    const missing = await fresh.get("/api/diff/interdiff?round=7");
    expect(missing.statusCode).toBe(404);
    expect(missing.json().error).toContain("round 7");
  });

  it("keeps bytes that are not UTF-8, carriage returns and missing line ends", async () => {
    const repository = await testRepository({ "a.txt": Buffer.from("caf\xe9\r\nx\n", "latin1") });
    await repository.write({ "a.txt": Buffer.from("caf\xe9\r\ny\n", "latin1") });
    await sendFeedback(repository);
    await repository.write({ "a.txt": Buffer.from("caf\xe9\r\ny\nz", "latin1") });
    expect(changedLines((await interdiff(repository)).rawPatch)).toEqual(["+z"]);
  });

  it("shows the whole change of a file whose earlier text is no longer in git, and compares the others", async () => {
    const repository = await testRepository({ "a.txt": lines(), "b.txt": "one\n" });
    await repository.write({ "a.txt": lines([4, "first"]), "b.txt": "two\n" });
    await sendFeedback(repository);
    await repository.write({ "a.txt": lines([9, "other base"]), "b.txt": "one\n" });
    await repository.git("commit", "--quiet", "--all", "--amend", "--message", "rewritten");
    await repository.git("reflog", "expire", "--expire=now", "--all");
    await repository.git("gc", "--quiet", "--prune=now");
    await repository.write({ "a.txt": lines([9, "other base"], [12, "second"]), "b.txt": "three\n" });
    const { files, rawPatch } = await interdiff(repository);
    expect(files.map(({ path, additions, deletions }) => [path, additions, deletions])).toEqual([
      ["a.txt", 1, 1],
      ["b.txt", 1, 1],
    ]);
    expect(changedLines(rawPatch)).toEqual(["-line 12", "+second", "-two", "+three"]);
  });

  it("shows the commit of a submodule that has changed since", async () => {
    const inner = await testRepository({ "in.txt": "one\n" });
    const repository = await testRepository({ "a.txt": "one\n" });
    await addSubmodule(repository, inner);
    await repository.commit("submodule");
    const module = join(repository.root, "module");
    const update = async (text: string) => {
      await inner.write({ "in.txt": text });
      await inner.commit(text.trim());
      await repository.git("-C", module, "-c", "protocol.file.allow=always", "pull", "--quiet");
      return (await repository.git("-C", module, "rev-parse", "HEAD")).trim();
    };
    await update("two\n");
    await sendFeedback(repository);
    const commit = await update("three\n");
    const { files, rawPatch } = await interdiff(repository);
    expect(files.map(({ path }) => path)).toEqual(["module"]);
    expect(changedLines(rawPatch)).toContain(`+Subproject commit ${commit}`);
  });
});

describe("the diffs sent in a live review", () => {
  it("are found by round, the last one by default", async () => {
    const repository = await testRepository({ "a.txt": "one\n" });
    const diffs = createDiffSession(await repository.open());
    const sent = createSentDiffs(diffs);
    expect(sent.find(undefined)).toBeUndefined();
    await repository.write({ "a.txt": "two\n" });
    await sent.keep(1);
    await repository.write({ "a.txt": "three\n", [join("sub", "b.txt")]: "new\n" });
    (await diffs.switchTo("uncommitted")).release();
    await sent.keep(4);
    expect(sent.find(undefined)?.round).toBe(4);
    expect(sent.find(2)).toBeUndefined();
    const first = await decompressDiff(sent.find(1)?.compressed ?? Buffer.alloc(0));
    expect(first?.files.map(({ path }) => path)).toEqual(["a.txt"]);
    expect(first?.files[0]?.patch).toContain("\n+two\n");
    expect(await decompressDiff(Buffer.from("damaged"))).toBeUndefined();
    await diffs.close();
  });
});

import { appendFile, rename, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { followLines, readLastLines } from "../../../../src/cli/proxy/control/follow-file.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

describe("the last lines of a file", () => {
  it.each([
    [0, []],
    [2, ["b", "c"]],
    [9, ["a", "b", "c"]],
  ])("are at most %i", async (count, lines) => {
    const path = join(await temporaryFolder(), "log");
    await writeFile(path, "a\nb\nc\n");
    expect(await readLastLines(path, count)).toEqual({ lines, end: 6 });
  });

  it("omit a line that is still being written", async () => {
    const path = join(await temporaryFolder(), "log");
    await writeFile(path, "a\nbeg");
    expect(await readLastLines(path, 5)).toEqual({ lines: ["a"], end: 2 });
  });

  it("are found behind more text than is read at once", async () => {
    const path = join(await temporaryFolder(), "log");
    const line = "x".repeat(150_000);
    await writeFile(path, `first\n${`${line}\n`.repeat(6)}`);
    expect((await readLastLines(path, 3)).lines).toEqual([line, line, line]);
  });

  it("of a missing file are none", async () => {
    expect(await readLastLines("/nowhere/log", 5)).toEqual({ lines: [], end: 0 });
  });
});

describe("following a file", () => {
  async function following(path: string, end: number) {
    const lines: string[] = [];
    const over = new AbortController();
    const ended = followLines(path, end, (line) => lines.push(line), over.signal);
    onTestFinished(async () => {
      over.abort();
      await ended;
    });
    return lines;
  }

  it("passes on whole lines only, also of a file that is created later", async () => {
    const path = join(await temporaryFolder(), "log");
    const lines = await following(path, 0);
    await writeFile(path, "one\ntw");
    await expect.poll(() => lines).toEqual(["one"]);
    await appendFile(path, "o\n");
    await expect.poll(() => lines).toEqual(["one", "two"]);
  });

  it("continues in the new file after a rotation", async () => {
    const path = join(await temporaryFolder(), "log");
    await writeFile(path, "old\n");
    const lines = await following(path, 4);
    await appendFile(path, "last\n");
    await rename(path, `${path}.1`);
    await writeFile(path, "new\n");
    await expect.poll(() => lines).toEqual(["last", "new"]);
  });

  it("begins again in a file that was emptied", async () => {
    const path = join(await temporaryFolder(), "log");
    await writeFile(path, "a long line\n");
    const lines = await following(path, 12);
    await appendFile(path, "x\n");
    await expect.poll(() => lines).toEqual(["x"]);
    await truncate(path);
    // The smaller size must be detected before the file grows again.
    await writeFile(path, "y\n");
    await expect.poll(() => lines).toEqual(["x", "y"]);
  });
});

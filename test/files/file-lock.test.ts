import { readdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withFileLock } from "../../src/files/file-lock.ts";
import { getProcessMark, mayStillRun } from "../../src/files/running-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("a file lock", () => {
  it("lets one task run at a time, and leaves nothing behind", async () => {
    const folder = await temporaryFolder();
    let running = 0;
    const task = async () => {
      running += 1;
      const atOnce = running;
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return atOnce;
    };
    const results = await Promise.all(
      Array.from({ length: 30 }, () => withFileLock(join(folder, "a.lock"), task)),
    );
    expect(new Set(results)).toEqual(new Set([1]));
    expect(await readdir(folder)).toEqual([]);
  });

  it("is released by a task that fails", async () => {
    const path = join(await temporaryFolder(), "a.lock");
    const failing = withFileLock(path, () => Promise.reject(new Error("no")));
    await expect(failing).rejects.toThrow("no");
    expect(await withFileLock(path, async () => "next")).toBe("next");
  });

  it("of a process that has ended is taken over", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "a.lock");
    await writeFile(path, JSON.stringify({ pid: 2 ** 22 + 1, host: hostname() }));
    expect(await withFileLock(path, async () => "mine")).toBe("mine");
    expect(await readdir(folder)).toEqual([]);
  });

  it("of a process that runs is respected", async () => {
    const path = join(await temporaryFolder(), "a.lock");
    await writeFile(path, JSON.stringify(getProcessMark()));
    await expect(withFileLock(path, async () => "mine")).rejects.toMatchObject({ code: "storage" });
  });
});

describe("the mark of a process", () => {
  it("tells a process from a later one with the same id", () => {
    const mark = getProcessMark();
    expect(mayStillRun(mark)).toBe(true);
    expect(mayStillRun({ ...mark, pid: 2 ** 22 + 1 })).toBe(false);
    expect(mayStillRun({ ...mark, host: "elsewhere" })).toBe(true);
    if (process.platform === "linux") expect(mayStillRun({ ...mark, started: "1" })).toBe(false);
  });
});

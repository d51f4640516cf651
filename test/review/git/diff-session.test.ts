import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { watchDiff } from "../../../src/review/code/watch-diff.ts";
import type { Adopt, DiffSession } from "../../../src/review/diff-session.ts";
import { createDiffSession } from "../../../src/review/git/diff-session.ts";
import { readPatch } from "../../../src/review/git/file-text.ts";
import { type TestRepository, testRepository } from "../../support/test-repository.ts";

async function openDiffSession(repository: TestRepository): Promise<DiffSession> {
  const session = createDiffSession(await repository.open());
  onTestFinished(() => session.close());
  return session;
}

describe("createDiffSession", () => {
  it("keeps a leased diff readable after another has replaced it", async () => {
    const repository = await testRepository({ "a.txt": "a\n" });
    await repository.write({ "a.txt": "b\n" });
    const session = await openDiffSession(repository);
    const lease = await session.current();
    (await session.switchTo("staged")).release();
    const [file] = lease.snapshot.files;
    if (!file) throw new Error("no file");
    expect((await readPatch(lease.snapshot, file)).toString()).toContain("+b\n");
    lease.release();
    expect(() => lease.snapshot.spool.hold()).toThrow(/replaced/);
  });

  it("is unchanged if a switch fails", async () => {
    const session = await openDiffSession(await testRepository({ "a.txt": "a\n" }));
    (await session.switchTo("last-commit")).release();
    await expect(session.switchTo("nonsense")).rejects.toThrow("Unknown diffType");
    const { snapshot, release } = await session.current();
    expect(snapshot.plan.diffType).toBe("last-commit");
    release();
  });

  it("runs switches one after another, each with the diff before it", async () => {
    const session = await openDiffSession(await testRepository({ "a.txt": "a\n" }));
    (await session.current()).release();
    const events: string[] = [];
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const adopt: Adopt = async ({ snapshot }, getPrevious) => {
      const previous = await getPrevious();
      const types = `${previous?.snapshot.plan.diffType} to ${snapshot.plan.diffType}`;
      previous?.release();
      events.push(`begin ${types}`);
      await gate;
      events.push(`end ${types}`);
    };
    const switching = ["last-commit", "staged"].map((type) => session.switchTo(type, adopt));
    await vi.waitFor(() => expect(events).toHaveLength(1));
    open();
    const leases = await Promise.all(switching);
    for (const { release } of leases) release();
    expect(events).toEqual([
      "begin uncommitted to last-commit",
      "end uncommitted to last-commit",
      "begin last-commit to staged",
      "end last-commit to staged",
    ]);
  });

  it("keeps the previous diff if the new one cannot be adopted", async () => {
    const session = await openDiffSession(await testRepository({ "a.txt": "a\n" }));
    const before = await session.current();
    const adopt = () => Promise.reject(new Error("no space"));
    await expect(session.switchTo("last-commit", adopt)).rejects.toThrow("no space");
    const { snapshot, release } = await session.current();
    expect(snapshot).toBe(before.snapshot);
    before.release();
    release();
  });

  it("ends git if it is closed during a diff", async () => {
    const repository = await testRepository({ "a.txt": "a\n" });
    const session = createDiffSession(await repository.open());
    const current = session.current();
    await session.close();
    await expect(current.then(({ snapshot }) => snapshot.spool.hold())).rejects.toThrow();
  });
});

describe("isOutdated", () => {
  it("compares content, not times, and detects new files, new commits and reverted changes", async () => {
    const repository = await testRepository({ "a.txt": "a\n" });
    await repository.write({ "a.txt": "b\n" });
    const session = await openDiffSession(repository);
    const path = join(repository.root, "a.txt");
    expect(await session.isOutdated()).toBe(false);
    await utimes(path, new Date(0), new Date(0));
    expect(await session.isOutdated()).toBe(false);
    await repository.write({ "a.txt": "c\n" });
    expect(await session.isOutdated()).toBe(true);
    await repository.write({ "a.txt": "b\n" });
    expect(await session.isOutdated()).toBe(false);
    await repository.write({ "new.txt": "new\n" });
    expect(await session.isOutdated()).toBe(true);
    (await session.switchTo("last-commit")).release();
    expect(await session.isOutdated()).toBe(false);
    await repository.commit();
    expect(await session.isOutdated()).toBe(true);
  });
});

describe("watchDiff", () => {
  it("checks only while a page listens, and again after a failed check", async () => {
    const looks: string[] = [];
    let isWanted = false;
    const outcomes = [() => Promise.reject(new Error("busy")), async () => false, async () => true];
    await new Promise<void>((resolve) => {
      const stop = watchDiff(
        {
          isOutdated() {
            looks.push("look");
            return (outcomes.shift() ?? (async () => true))();
          },
        },
        {
          pause: 1,
          isWanted() {
            if (looks.length === 0 && !isWanted) looks.push("not yet");
            else isWanted = true;
            return isWanted;
          },
          onOutdated() {
            looks.push("outdated");
            stop();
            resolve();
          },
        },
      );
    });
    expect(looks).toEqual(["not yet", "look", "look", "look", "outdated"]);
  });
});

import { describe, expect, it } from "vitest";
import { CurrentEntry, type DiffEntry } from "../../src/review/current-entry.ts";
import type { DiffLease } from "../../src/review/diff-session.ts";
import type { Snapshot } from "../../src/review/git/snapshot.ts";

interface Numbered extends DiffEntry<Snapshot> {
  readonly number: number;
}

/**
 * Creates numbered entries, each when the test calls its `finish` function, and records the entries that become current
 * or are closed.
 */
function createNumbered() {
  const closed: number[] = [];
  const current: number[] = [];
  const finish: (() => void)[] = [];
  const create = () => {
    const number = finish.length + 1;
    const spool = { close: async () => void closed.push(number) };
    const whole = { diffId: `whole ${number}`, spool } as unknown as Snapshot;
    return new Promise<Numbered>((resolve) => finish.push(() => resolve({ number, whole })));
  };
  const createSpaceless = async ({ number, whole }: Numbered) => ({
    ...whole,
    diffId: `spaceless ${number}`,
  });
  const lease = (_entry: Numbered, snapshot: Snapshot) => ({ snapshot, release: () => {} }) as DiffLease;
  const onCurrent = ({ number }: Numbered) => void current.push(number);
  const entry = new CurrentEntry<Snapshot, Numbered>({ create, createSpaceless, lease, onCurrent });
  return { entry, create, finish, closed, current };
}

describe("the current entry of a review that ends", () => {
  it("is closed, although it is created only afterwards", async () => {
    const { entry, finish, closed } = createNumbered();
    const taken = entry.get();
    const ended = entry.close();
    finish[0]?.();
    await expect(taken).rejects.toThrow("The review has ended.");
    await ended;
    expect(closed).toEqual([1]);
  });

  it("is closed together with the one that replaces it", async () => {
    const { entry, create, finish, closed } = createNumbered();
    const taken = entry.get();
    finish[0]?.();
    await taken;
    const replaced = entry.replace(create);
    await Promise.resolve();
    const ended = entry.close();
    finish[1]?.();
    await expect(replaced).rejects.toThrow("The review has ended.");
    await ended;
    expect(closed).toEqual([2, 1]);
  });

  it("is closed if a replacement fails to be adopted meanwhile", async () => {
    const { entry, create, finish, closed } = createNumbered();
    const taken = entry.get();
    finish[0]?.();
    await taken;
    let ended: Promise<void> | undefined;
    const replaced = entry.replace(create, async () => {
      ended = entry.close();
      throw new Error("cannot be adopted");
    });
    await Promise.resolve();
    finish[1]?.();
    await expect(replaced).rejects.toThrow("cannot be adopted");
    await ended;
    expect(closed).toEqual([2, 1]);
  });
});

describe("the whole diff of the current entry", () => {
  it("is found by the id of either variant, and by no other", async () => {
    const { entry, create, finish } = createNumbered();
    const first = entry.current(true);
    finish[0]?.();
    expect((await first).snapshot.diffId).toBe("spaceless 1");
    for (const id of [undefined, "whole 1", "spaceless 1"])
      expect((await entry.whole(id, true))?.snapshot.diffId).toBe("whole 1");
    for (const id of ["whole 2", "spaceless 2"]) expect(await entry.whole(id, true)).toBeUndefined();
    expect(await entry.whole("spaceless 1")).toBeUndefined();
    const replaced = entry.replace(create);
    await Promise.resolve();
    finish[1]?.();
    await replaced;
    // The variant of the new diff is created for its id.
    for (const id of ["whole 2", "spaceless 2"])
      expect((await entry.whole(id, true))?.snapshot.diffId).toBe("whole 2");
    for (const id of ["whole 1", "spaceless 1"]) expect(await entry.whole(id, true)).toBeUndefined();
  });
});

describe("onCurrent", () => {
  it("is called with the first entry, and with a replacement only after it is adopted", async () => {
    const { entry, create, finish, current } = createNumbered();
    const first = entry.get();
    finish[0]?.();
    await first;
    const failed = entry.replace(create, () => Promise.reject(new Error("cannot be adopted")));
    await Promise.resolve();
    finish[1]?.();
    await expect(failed).rejects.toThrow("cannot be adopted");
    const replaced = entry.replace(create, async () => expect(current).toEqual([1]));
    await Promise.resolve();
    finish[2]?.();
    await replaced;
    expect(current).toEqual([1, 3]);
  });
});

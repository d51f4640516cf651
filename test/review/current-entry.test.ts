import { describe, expect, it } from "vitest";
import { CurrentEntry } from "../../src/review/current-entry.ts";
import type { DiffLease } from "../../src/review/diff-session.ts";

/** Creates numbered entries, each when the test says so, and records the entries that are closed. */
function createNumbered() {
  const closed: number[] = [];
  const finish: (() => void)[] = [];
  const create = () => {
    const number = finish.length + 1;
    return new Promise<number>((resolve) => finish.push(() => resolve(number)));
  };
  const lease = () => ({ release: () => {} }) as DiffLease;
  const close = async (entry: number) => void closed.push(entry);
  return { current: new CurrentEntry<number>({ create, lease, close }), create, finish, closed };
}

describe("the current entry of a review that ends", () => {
  it("is closed, although it is created only afterwards", async () => {
    const { current, finish, closed } = createNumbered();
    const taken = current.get();
    const ended = current.close();
    finish[0]?.();
    await expect(taken).rejects.toThrow("The review has ended.");
    await ended;
    expect(closed).toEqual([1]);
  });

  it("is closed together with the one that replaces it", async () => {
    const { current, create, finish, closed } = createNumbered();
    const taken = current.get();
    finish[0]?.();
    await taken;
    const replaced = current.replace(create);
    await Promise.resolve();
    const ended = current.close();
    finish[1]?.();
    await expect(replaced).rejects.toThrow("The review has ended.");
    await ended;
    expect(closed).toEqual([2, 1]);
  });

  it("is closed if a replacement fails to be adopted meanwhile", async () => {
    const { current, create, finish, closed } = createNumbered();
    const taken = current.get();
    finish[0]?.();
    await taken;
    let ended: Promise<void> | undefined;
    const replaced = current.replace(create, async () => {
      ended = current.close();
      throw new Error("cannot be adopted");
    });
    await Promise.resolve();
    finish[1]?.();
    await expect(replaced).rejects.toThrow("cannot be adopted");
    await ended;
    expect(closed).toEqual([2, 1]);
  });
});

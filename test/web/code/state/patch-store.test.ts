import { describe, expect, it, vi } from "vitest";
import { lineText } from "../../../../src/render/diff/patch/parsed-patch.ts";
import type { DiffFile } from "../../../../src/review/api-types.ts";
import { type FetchPatches, PatchStore } from "../../../../web/code/state/patch-store.ts";

const patchOf = (index: number, size = 0) =>
  `diff --git a/${index} b/${index}\n@@ -0,0 +1 @@\n+é${index}${"x".repeat(size)}\n`;

function filesOf(texts: readonly string[]): DiffFile[] {
  return texts.map((text, index) => ({
    index,
    path: `${index}`,
    status: "added",
    additions: 1,
    deletions: 0,
    binary: false,
    generated: false,
    patchSize: Buffer.byteLength(text),
    fingerprint: `${index}`,
  }));
}

/** A store of the texts, with the requested files. */
function storeOf(texts: readonly string[], fetch?: FetchPatches) {
  const asked: string[] = [];
  const onChange = vi.fn<(indexes: readonly number[]) => void>();
  const response: FetchPatches = async (first, last) => {
    asked.push(`${first}-${last}`);
    return Buffer.from(texts.slice(first, last + 1).join(""));
  };
  return { store: new PatchStore(filesOf(texts), fetch ?? response, onChange), asked, onChange };
}

const small = Array.from({ length: 130 }, (_, index) => patchOf(index));

describe("PatchStore", () => {
  it("requests no patch that came with the index", async () => {
    const { store, asked } = storeOf(small);
    store.put(1, patchOf(1));
    store.want([0, 1, 2]);
    await expect.poll(() => store.get(2)).toBeDefined();
    expect(asked).toEqual(["0-0", "2-2"]);
    const patch = store.get(1);
    expect(patch && lineText(patch, 0)).toBe("é1");
  });

  it("requests neighbors together, the most urgent first, and limits the response's size", async () => {
    const { store, asked } = storeOf(small);
    store.want([70, 71, 72, 3, 4]);
    await expect.poll(() => store.get(4)).toBeDefined();
    expect(asked).toEqual(["70-72", "3-4"]);
    const patch = store.get(71);
    expect(patch && lineText(patch, 0)).toBe("é71");
    expect(store.get(5)).toBeUndefined();
  });

  it("requests at most 50 files, or half a megabyte, at once", async () => {
    const { store, asked } = storeOf(small);
    store.want(small.map((_, index) => index));
    await expect.poll(() => store.get(129)).toBeDefined();
    expect(asked).toEqual(["0-49", "50-99", "100-129"]);
    const large = storeOf(Array.from({ length: 3 }, (_, index) => patchOf(index, 300_000)));
    large.store.want([0, 1, 2]);
    await expect.poll(() => large.store.get(2)).toBeDefined();
    expect(large.asked).toEqual(["0-0", "1-1", "2-2"]);
  });

  it("drops patches that are no longer needed once there are too many", async () => {
    const texts = Array.from({ length: 6 }, (_, index) => patchOf(index, 4_000_000));
    const { store } = storeOf(texts);
    for (const index of [0, 1, 2, 3, 4]) {
      store.want([index]);
      await expect.poll(() => store.get(index)).toBeDefined();
    }
    expect([0, 1, 2, 3, 4].filter((index) => store.get(index))).toEqual([2, 3, 4]);
  });

  it("reports files that could not be loaded, and retries on request", async () => {
    let broken = true;
    const { store, onChange } = storeOf(small, async (first) => {
      if (broken) throw new Error("gone");
      return Buffer.from(small[first] ?? "");
    });
    store.want([5]);
    await expect.poll(() => store.hasFailed(5)).toBe(true);
    expect(onChange).toHaveBeenCalledWith([5]);
    broken = false;
    store.retry(5);
    await expect.poll(() => store.get(5)).toBeDefined();
    expect(store.hasFailed(5)).toBe(false);
  });

  it("requests a patch that could not be loaded once, until the connection is back", async () => {
    let broken = true;
    let requests = 0;
    const { store, onChange } = storeOf(small, async (first) => {
      requests += 1;
      if (broken) throw new Error("offline");
      return Buffer.from(small[first] ?? "");
    });
    for (let round = 0; round < 3; round += 1) await store.ensure(5);
    expect([requests, store.hasFailed(5)]).toEqual([1, true]);
    store.want([6]);
    await expect.poll(() => store.hasFailed(6)).toBe(true);
    broken = false;
    store.retryFailed();
    expect(store.hasFailed(5)).toBe(false);
    expect(onChange).toHaveBeenLastCalledWith([5, 6]);
    await expect.poll(() => store.get(6)).toBeDefined();
    await store.ensure(5);
    expect(store.get(5)).toBeDefined();
    expect(requests).toBe(4);
  });

  it("treats a response of another size as a failure, never as other files' text", async () => {
    const { store } = storeOf(small, async () => Buffer.from(patchOf(0)));
    store.want([0, 1]);
    await expect.poll(() => store.hasFailed(0) && store.hasFailed(1)).toBe(true);
  });

  it("reads for the search without caching, in batches that cover every file", async () => {
    const { store } = storeOf(small);
    expect(store.batches()).toEqual([
      [0, 49],
      [50, 99],
      [100, 129],
    ]);
    expect(await store.read(10, 12)).toHaveLength(3);
    expect(store.get(10)).toBeUndefined();
    await store.ensure(10);
    expect(store.get(10)).toBeDefined();
  });
});

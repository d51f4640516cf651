import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { createLineBatches } from "../../../src/proxy/observability/line-batches.ts";
import { createJournal } from "../../../src/proxy/observability/line-journal.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0).toReversed()) close();
});

/** Opens a journal that counts its writes, and a function that returns the lines in its files. */
function openJournal() {
  const folder = mkdtempSync(join(tmpdir(), "line-batches-"));
  const journal = createJournal(join(folder, "requests.ndjson"));
  closers.push(
    () => rmSync(folder, { recursive: true }),
    () => journal.close(),
  );
  let writes = 0;
  const counting = {
    ...journal,
    append(bytes: Uint8Array) {
      writes += 1;
      journal.append(bytes);
    },
  };
  const readLines = () =>
    readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n").slice(1, -1));
  return { journal: counting, readLines, writes: () => writes };
}

const lines = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => `${name} ${index}`);

describe("lines with a journal", () => {
  it("are written once per turn of the event loop, before what waits for them runs", async () => {
    const { journal, readLines, writes } = openJournal();
    const { write, afterWrite, close } = createLineBatches(async () => {}, journal);
    const seen: number[] = [];
    for (const line of lines(50, "first")) {
      write(line);
      afterWrite(() => seen.push(readLines().length));
    }
    expect([writes(), seen]).toEqual([0, []]);
    await nextTurn();
    expect([writes(), readLines()]).toEqual([1, lines(50, "first")]);
    expect(seen).toEqual(Array(50).fill(50));
    write("second");
    await nextTurn();
    expect([writes(), readLines().at(-1)]).toEqual([2, "second"]);
    // Nothing waits if there are no new lines.
    afterWrite(() => seen.push(-1));
    expect(seen.at(-1)).toBe(-1);
    await close();
  });

  it("are in the journal or in the log when what waits for them runs, also if a buffer fills up", async () => {
    const { journal, readLines } = openJournal();
    const logged: string[] = [];
    const { write, afterWrite, close } = createLineBatches(async (bytes) => {
      logged.push(...bytes.toString().split("\n").slice(0, -1));
    }, journal);
    const all = lines(40, "x".repeat(20_000));
    let known: Set<string> | undefined;
    for (const line of all) write(line);
    afterWrite(() => {
      known = new Set([...readLines(), ...logged]);
    });
    await expect.poll(() => known?.size).toBe(all.length);
    await close();
    expect(logged).toEqual(all);
  });
});

describe("the buffer of a batch", () => {
  it("is used again when the batch has been taken, and not before", async () => {
    const batches: { readonly memory: ArrayBufferLike; readonly text: string }[] = [];
    const { write, close } = createLineBatches(async (bytes) => {
      await nextTurn();
      batches.push({ memory: bytes.buffer, text: bytes.toString() });
    });
    const all = lines(40, "x".repeat(20_000));
    const text = () => batches.map((batch) => batch.text).join("");
    // Several batches wait at the same time.
    for (const line of all) write(line);
    await expect.poll(text).toBe(`${all.join("\n")}\n`);
    const count = () => new Set(batches.map(({ memory }) => memory)).size;
    expect(count()).toBe(batches.length);
    write("later");
    await expect.poll(text).toBe(`${[...all, "later"].join("\n")}\n`);
    expect(count()).toBe(batches.length - 1);
    await close();
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Block, createMoveSearch } from "../../../../src/review/code/moves/find-moves.ts";
import {
  addPatch,
  type ChangedLines,
  createChangedLines,
} from "../../../../src/review/code/moves/line-table.ts";
import { applyPatch } from "../../../../src/review/git/apply-patch.ts";
import { createPatchSplitter } from "../../../../src/review/git/patch-splitter.ts";
import { gitMadePatch } from "../../../support/git-made-patch.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

/** The result of a generator that yields nothing. */
function resultOf<Result>(work: Generator<void, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

function movesIn(patches: readonly Buffer[]): {
  readonly lines: ChangedLines;
  readonly blocks: readonly Block[];
} {
  const lines = createChangedLines();
  for (const [file, patch] of patches.entries()) addPatch(lines, file, patch);
  const search = createMoveSearch(lines);
  resultOf(search.findBlocks());
  return { lines, blocks: resultOf(search.extendBlocks(new Map(patches.entries()))) };
}

/** Moves as text: `file:first-last > file:first-last`, files by position. */
function describeMoves(patches: readonly string[]): string[] {
  const { lines, blocks } = movesIn(patches.map((patch) => Buffer.from(patch)));
  const { removed, added } = lines;
  return blocks.map(
    ({ from, to, length }) =>
      `${removed.file[from]}:${removed.number[from]}-${removed.number[from + length - 1]} > ` +
      `${added.file[to]}:${added.number[to]}-${added.number[to + length - 1]}`,
  );
}

const patch = (start: string, ...lines: readonly string[]) => `@@ ${start} @@\n${lines.join("\n")}\n`;
const FUNCTION = ["function totalOf(items) {", "  return items.reduce(add, 0);", "}"];
const marked = (marker: string, lines: readonly string[]) => lines.map((line) => marker + line);

describe("the search for moved lines", () => {
  it("finds a block in another file, including a brace that occurs everywhere", () => {
    expect(
      describeMoves([
        patch("-4,3 +3,0", ...marked("-", FUNCTION)),
        patch("-0,0 +1,3", ...marked("+", FUNCTION)),
      ]),
    ).toEqual(["0:4-6 > 1:1-3"]);
  });

  it("finds a block that was indented on its way", () => {
    const deeper = FUNCTION.map((line) => `\t${line}`);
    expect(
      describeMoves([
        patch("-1,3 +0,0", ...marked("-", FUNCTION)),
        patch("-0,0 +9,3", ...marked("+", deeper)),
      ]),
    ).toEqual(["0:1-3 > 1:9-11"]);
  });

  it("finds no move where lines were only indented in place", () => {
    const deeper = FUNCTION.map((line) => `  ${line}`);
    expect(describeMoves([patch("-1,3 +1,3", ...marked("-", FUNCTION), ...marked("+", deeper))])).toEqual([]);
  });

  it("includes edited lines within a block and at its ends", () => {
    const long = [
      "export function sum(items) {",
      ...FUNCTION.slice(1, 2),
      "  log(items.length, total);",
      "  done(items);",
    ];
    const edited = [
      "function sum(items) {",
      FUNCTION[1] ?? "",
      "  log(items.length, sum);",
      "  done(items);",
    ];
    expect(
      describeMoves([patch("-1,4 +0,0", ...marked("-", long)), patch("-0,0 +1,4", ...marked("+", edited))]),
    ).toEqual(["0:1-4 > 1:1-4"]);
  });

  it("ignores blocks of fewer than 20 letters and digits", () => {
    const short = ["  return items;", "}"];
    expect(
      describeMoves([patch("-1,2 +0,0", ...marked("-", short)), patch("-0,0 +1,2", ...marked("+", short))]),
    ).toEqual([]);
  });

  it("prefers the longest of several blocks with the same first line", () => {
    const other = [FUNCTION[0] ?? "", "  return 0;"];
    expect(
      describeMoves([
        patch("-1,2 +0,0", ...marked("-", other)),
        patch("-1,3 +0,0", ...marked("-", FUNCTION)),
        patch("-0,0 +1,3", ...marked("+", FUNCTION)),
      ]),
    ).toEqual(["1:1-3 > 2:1-3"]);
  });

  it("finds a reordered line within one change", () => {
    const [one, two] = ["const first = createFirstStore();", "const second = createSecondStore();"];
    expect(describeMoves([patch("-1,2 +1,2", `-${one}`, ` ${two}`, `+${one}`)])).toEqual(["0:1-1 > 0:2-2"]);
  });

  it("finds a line that occurs everywhere as part of the block around it", () => {
    const everywhere = "  throw new TypeError(message);";
    const others = Array.from({ length: 50 }, () => patch("-1,2 +0,0", `-${everywhere}`, "-  other();"));
    const block = [everywhere, "  const unusual = 12345;"];
    expect(
      describeMoves([
        ...others,
        patch("-7,2 +0,0", ...marked("-", block)),
        patch("-0,0 +1,2", ...marked("+", block)),
      ]),
    ).toEqual(["50:7-8 > 51:1-2"]);
  });

  it("moves every line at most once, from a removed to an added one, and leaves the diff applicable", async () => {
    const folder = await temporaryFolder();
    const line = fc.oneof(
      fc.constantFrom(
        "}",
        "",
        "\r",
        "  return await fetchEverything(url);",
        "const shared = createStore(options);",
      ),
      fc.integer({ min: 0, max: 30 }).map((number) => `  const value${number} = compute(${number});`),
      fc.string({ unit: "binary", maxLength: 30 }).map((text) => text.replace(/[\n\0]/g, "")),
    );
    const text = fc.array(line, { maxLength: 40 }).map((lines) => Buffer.from(`${lines.join("\n")}\n`));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 6 }), async (files) => {
        const whole = await gitMadePatch(folder, files);
        const splitter = createPatchSplitter();
        splitter.write(whole);
        const changed = files.filter(([old, next]) => !old.equals(next));
        const patches = splitter
          .end()
          .map(({ offset, length }) => Buffer.from(whole.subarray(offset, offset + length)));
        const { lines, blocks } = movesIn(patches);

        const seen = new Set<string>();
        const textAt = (side: "old" | "new", file: number, number: number) =>
          changed[file]?.[side === "old" ? 0 : 1].toString("latin1").split("\n")[number - 1] ?? "";
        for (const { from, to, length } of blocks) {
          for (let step = 0; step < length; step++) {
            const [away, here] = [from + step, to + step];
            const removedKey = `- ${lines.removed.file[away]} ${lines.removed.number[away]}`;
            const addedKey = `+ ${lines.added.file[here]} ${lines.added.number[here]}`;
            expect(seen.has(removedKey) || seen.has(addedKey)).toBe(false);
            seen.add(removedKey).add(addedKey);
            if (lines.removed.hash[away] !== lines.added.hash[here]) continue;
            const before = textAt("old", lines.removed.file[away] ?? 0, lines.removed.number[away] ?? 0);
            const after = textAt("new", lines.added.file[here] ?? 0, lines.added.number[here] ?? 0);
            expect(before.replace(/^[ \t\r]+|[ \t\r]+$/g, "")).toBe(
              after.replace(/^[ \t\r]+|[ \t\r]+$/g, ""),
            );
          }
        }
        changed.forEach(([old, next], index) => {
          expect(applyPatch(old, patches[index] ?? Buffer.alloc(0))).toEqual(next);
        });
      }),
      { numRuns: 40 },
    );
  });
});

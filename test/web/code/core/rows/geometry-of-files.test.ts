import { describe, expect, it } from "vitest";
import { scanPatch } from "../../../../../src/render/diff/patch/scan-patch.ts";
import { ROW_CONTEXT } from "../../../../../src/render/diff/row-model.ts";
import type { DiffFile } from "../../../../../src/review/api-types.ts";
import {
  type BodyOptions,
  buildBody,
  type FileBody,
  lineHeightKey,
  type MeasuredHeights,
  NOTICE_KEY,
} from "../../../../../web/code/core/rows/file-body.ts";
import { Geometry } from "../../../../../web/code/core/rows/geometry.ts";
import {
  displayWidth,
  FILE_HEADER_HEIGHT,
  FILE_MARGIN,
  LINE_HEIGHT,
  WIDGET_HEIGHT,
} from "../../../../../web/code/core/rows/line-heights.ts";
import {
  findRow,
  getRow,
  type LineRef,
  nextHunk,
  nextLine,
  numberAt,
} from "../../../../../web/code/core/rows/navigate.ts";

const file = (path: string): DiffFile => ({
  index: 0,
  path,
  status: "added",
  additions: 3,
  deletions: 0,
  binary: false,
  generated: false,
  patchSize: 100,
  fingerprint: path,
});

const added = scanPatch("@@ -0,0 +1,3 @@\n+one\n+two\n+three\n");

const options = (path: string, members: Partial<BodyOptions> = {}): BodyOptions => ({
  file: file(path),
  patch: added,
  failed: false,
  folded: false,
  layout: "unified",
  columns: undefined,
  tabWidth: 4,
  widgets: [],
  expansions: undefined,
  text: undefined,
  measured: { widgets: new Map(), lines: new Map() },
  lastHeight: undefined,
  ...members,
});

const bodyOf = (path: string, members: Partial<BodyOptions> = {}) => buildBody(options(path, members));

const heights = ({ rows, offsets }: FileBody) =>
  Array.from({ length: rows?.count ?? 0 }, (_, row) => (offsets?.[row + 1] ?? 0) - (offsets?.[row] ?? 0));

function measuredAt(body: FileBody, row: number, height: number): MeasuredHeights {
  const key = body.rows && lineHeightKey(body.rows, row);
  return { widgets: new Map(), lines: new Map(key === undefined ? [] : [[key, height]]) };
}

describe("buildBody", () => {
  it("reuses all rows for a comment, and lays out all for another layout", () => {
    const before = options("a", { columns: 4 });
    const known = { options: before, body: buildBody(before) };
    const widgets = [{ key: "comment", side: "new", line: 2 }] as const;
    const rebuilt = (members: Partial<BodyOptions>) => buildBody({ ...before, ...members }, known);
    const commented = rebuilt({ widgets });
    expect(commented.plain).toBe(known.body.plain);
    expect(commented).toEqual(buildBody({ ...before, widgets }));
    const taller = { widgets: new Map([["comment", 300]]), lines: before.measured.lines };
    expect(rebuilt({ widgets, measured: taller }).plain).toBe(known.body.plain);
    expect(rebuilt({ widgets, measured: taller }).height).toBe(commented.height + 300 - WIDGET_HEIGHT);
    for (const members of [
      { columns: 2 },
      { layout: "split" as const },
      { expansions: new Map() },
      { text: ["one"] },
      { patch: scanPatch("@@ -0,0 +1,1 @@\n+one\n") },
      { measured: measuredAt(known.body, 0, 100) },
      { measured: { widgets: new Map([[NOTICE_KEY, 99]]), lines: before.measured.lines } },
    ]) {
      expect(rebuilt(members).plain).not.toBe(known.body.plain);
      expect(rebuilt(members)).toEqual(buildBody({ ...before, ...members }));
    }
    expect(rebuilt({ columns: 2 }).plain?.rows).toBe(known.body.plain?.rows);
  });

  it("lays out wrapped lines again for another tab width", () => {
    const before = options("a", { columns: 6, patch: scanPatch("@@ -0,0 +1,1 @@\n+\t\t12\n") });
    const known = { options: before, body: buildBody(before) };
    const wider = buildBody({ ...before, tabWidth: 8 }, known);
    expect([known.body.height, wider.height]).toEqual([2 * LINE_HEIGHT, 3 * LINE_HEIGHT]);
    expect(wider.plain?.rows).toBe(known.body.plain?.rows);
  });

  it("keeps a file's height while its patch is not loaded", () => {
    expect(bodyOf("a", { patch: undefined, lastHeight: 777 })).toMatchObject({
      state: "waiting",
      height: 777,
    });
    expect(bodyOf("a", { patch: undefined }).height).toBe(3 * LINE_HEIGHT);
    expect(bodyOf("a", { folded: true })).toMatchObject({ state: "folded", height: 0 });
  });

  it("wraps by columns, and prefers measured heights", () => {
    expect(bodyOf("a", { columns: 4 }).height).toBe(4 * LINE_HEIGHT);
    expect(heights(bodyOf("a", { columns: 4, measured: measuredAt(bodyOf("a"), 0, 100) }))).toEqual([
      100,
      LINE_HEIGHT,
      2 * LINE_HEIGHT,
    ]);
  });

  it("keeps measured heights of lines between hunks separate from those of hunks", () => {
    const expanded = {
      file: { ...file("a"), status: "modified" },
      patch: scanPatch("@@ -3,2 +3,2 @@\n-a\n+b\n c\n"),
      text: ["one", "two", "b", "c"],
      columns: 80,
      expansions: new Map([[0, { above: 9, below: 0 }]]),
    } as const;
    const body = bodyOf("a", expanded);
    expect(body.rows?.kind[0]).toBe(ROW_CONTEXT);
    const measured = measuredAt(body, 0, 60);
    expect(heights(bodyOf("a", { ...expanded, measured }))).toEqual([60, 20, 20, 20, 20]);
  });

  it("gives a truncated long line the height of its visible part, in hunks and between them", () => {
    const long = "x".repeat(500_000);
    const body = bodyOf("a", {
      file: { ...file("a"), status: "modified" },
      patch: scanPatch(`@@ -2,2 +2,2 @@\n-a\n+b\n ${long}\r\n`),
      text: [long, "b", long],
      columns: 100,
      expansions: new Map([[0, { above: 9, below: 0 }]]),
    });
    expect(heights(body)).toEqual([20 * LINE_HEIGHT, LINE_HEIGHT, LINE_HEIGHT, 20 * LINE_HEIGHT]);
  });

  it("counts the columns of a patch once, however often heights change", () => {
    const scanned = scanPatch(`@@ -0,0 +1,900 @@\n${"+漢字\n".repeat(900)}`);
    let reads = 0;
    const patch: typeof scanned = {
      ...scanned,
      get text() {
        reads += 1;
        return scanned.text;
      },
    };
    const first = bodyOf("a", { patch, columns: 4 });
    const before = reads;
    const again = bodyOf("a", { patch, columns: 4, measured: measuredAt(first, 7, 40) });
    expect(again.height).toBe(first.height + LINE_HEIGHT);
    expect(before).toBeGreaterThan(900);
    expect(reads - before).toBeLessThan(10);
  });

  it("counts no column for a carriage return at the end of a line", () => {
    const patch = scanPatch("@@ -0,0 +1,1 @@\n+1234\r\n");
    expect(bodyOf("a", { patch, columns: 4 }).height).toBe(LINE_HEIGHT);
  });

  it("counts tabs up to the next stop and wide characters twice", () => {
    expect(["\tx", "ab\tx", "漢字"].map((text) => displayWidth(text, 4))).toEqual([5, 5, 4]);
    const patch = scanPatch("@@ -0,0 +1,1 @@\n+\t\t12\n");
    const linesAt = (tabWidth: number) => bodyOf("a", { patch, columns: 6, tabWidth }).height / LINE_HEIGHT;
    expect([linesAt(2), linesAt(4), linesAt(8), linesAt(2)]).toEqual([1, 2, 3, 1]);
  });
});

describe("Geometry", () => {
  const geometry = new Geometry([bodyOf("a"), bodyOf("b", { folded: true }), bodyOf("c")]);
  const fileHeight = FILE_HEADER_HEIGHT + 3 * LINE_HEIGHT + FILE_MARGIN;

  it("stacks files with their headers", () => {
    expect(geometry.getTop(1)).toBe(fileHeight);
    expect(geometry.getTop(2)).toBe(fileHeight + FILE_HEADER_HEIGHT + FILE_MARGIN);
    expect(geometry.total).toBe(2 * fileHeight + FILE_HEADER_HEIGHT + FILE_MARGIN);
    expect(geometry.visible(0, 100).map(({ order }) => order)).toEqual([0]);
    expect(geometry.visible(0, 10_000)).toEqual([
      { order: 0, from: 0, to: 3 },
      { order: 1, from: 0, to: 0 },
      { order: 2, from: 0, to: 3 },
    ]);
  });

  it("keeps the top row in position when files above grow or the layout changes", () => {
    const position = geometry.rowTop(2, 1) + 7;
    const anchor = geometry.anchorAt(position);
    const grown = new Geometry([bodyOf("a", { columns: 1 }), bodyOf("b"), bodyOf("c", { layout: "split" })]);
    expect(anchor && grown.getPosition(anchor)).toBe(grown.rowTop(2, 1) + 7);
    expect(anchor && new Geometry([bodyOf("a")]).getPosition(anchor)).toBeUndefined();
  });

  it("keeps a file in position when it folds", () => {
    const anchor = geometry.anchorAt(geometry.rowTop(2, 2));
    const folded = new Geometry([bodyOf("a"), bodyOf("b"), bodyOf("c", { folded: true })]);
    const position = (anchor && folded.getPosition(anchor)) ?? -1;
    expect(folded.fileAt(position)).toBe(2);
  });
});

describe("moving the cursor", () => {
  const changed = scanPatch("@@ -1,5 +1,5 @@\n a\n-b\n+B\n c\n-d\n+D\n e\n");
  const geometry = new Geometry([
    bodyOf("a", { patch: changed }),
    bodyOf("x", { folded: true }),
    bodyOf("c"),
  ]);

  const start = { order: 0, row: -1 };
  const at = (line: LineRef | undefined) => (line && findRow(geometry, line)) ?? start;

  it("moves from line to line on the current side, and over folded files", () => {
    const first = nextLine(geometry, start, 1, "new");
    expect(first).toEqual({ path: "a", side: "new", number: 1 });
    expect(nextLine(geometry, at(first), 1, "new")).toEqual({ path: "a", side: "old", number: 2 });
    const last: LineRef = { path: "a", side: "new", number: 5 };
    const next: LineRef = { path: "c", side: "new", number: 1 };
    expect(nextLine(geometry, at(last), 1, "new")).toEqual(next);
    expect(nextLine(geometry, at(next), -1, "new")).toEqual(last);
    expect(nextLine(geometry, at({ ...next, number: 3 }), 1, "new")).toBeUndefined();
  });

  it("returns to the current side after a line that only the other side has", () => {
    const removed: LineRef = { path: "a", side: "old", number: 4 };
    const added = nextLine(geometry, at(removed), 1, "new");
    expect(added).toEqual({ path: "a", side: "new", number: 4 });
    expect(nextLine(geometry, at(added), 1, "new")).toEqual({ path: "a", side: "new", number: 5 });
    expect(nextLine(geometry, at(added), 1, "old")).toEqual({ path: "a", side: "old", number: 5 });
  });

  it("moves from change to change", () => {
    const first = nextHunk(geometry, start, 1, "new");
    expect(first).toEqual({ path: "a", side: "old", number: 2 });
    const second = nextHunk(geometry, at(first), 1, "new");
    expect(second).toEqual({ path: "a", side: "old", number: 4 });
    expect(nextHunk(geometry, at(second), 1, "new")).toEqual({ path: "c", side: "new", number: 1 });
    expect(nextHunk(geometry, at(second), -1, "new")).toEqual(first);
  });

  it("starts from the first row that is completely visible", () => {
    const top = geometry.getTop(2);
    expect(geometry.rowAt(top)).toEqual({ order: 2, row: -1 });
    expect(geometry.rowAt(top + LINE_HEIGHT)).toEqual({ order: 2, row: 0 });
    expect(geometry.rowAt(top + LINE_HEIGHT + 1)).toEqual({ order: 2, row: 1 });
    expect(geometry.rowAt(geometry.getTop(1) + 5)).toEqual({ order: 1, row: -1 });
  });

  it("finds the row of a line, and the lines of a row", () => {
    const [body] = geometry.bodies;
    if (!body) throw new Error("no body");
    const row = getRow(body, "new", 2);
    expect([numberAt(body, row, "old"), numberAt(body, row, "new")]).toEqual([0, 2]);
    expect(getRow(body, "new", 99)).toBe(-1);
  });
});

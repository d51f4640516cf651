import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineNumber, lineText } from "../../../../src/render/diff/patch/parsed-patch.ts";
import { type Layout, ROW_BLOCK, ROW_LINE, ROW_WIDGET } from "../../../../src/render/diff/row-model.ts";
import { describeCellPosition } from "../../../../src/render/notebook/describe-cell-position.ts";
import type { DiffFile } from "../../../../src/review/api-types.ts";
import { compareNotebooks } from "../../../../src/review/notebook/compare-notebooks.ts";
import { parseNotebook } from "../../../../src/review/notebook/parse-notebook.ts";
import { createNotebookText, type NotebookText } from "../../../../web/code/core/notebook/notebook-text.ts";
import { createNotebookView, type NotebookView } from "../../../../web/code/core/notebook/notebook-view.ts";
import { relocate } from "../../../../web/code/core/relocate.ts";
import { buildBody } from "../../../../web/code/core/rows/file-body.ts";
import { notebookText, stream, type TestCell } from "../../../support/notebooks.ts";

function textOf(before: readonly TestCell[], after: readonly TestCell[], options = {}): NotebookText {
  const [old, now] = [before, after].map((cells) => parseNotebook(notebookText(cells, options)));
  if (!old || !now || "problem" in old || "problem" in now) throw new Error("not a notebook");
  return createNotebookText(compareNotebooks(old.notebook, now.notebook));
}

/** Writes the rows as text: blocks by their keys, lines with their numbers on both sides. */
function written({ text: { patch }, blocks, rows }: NotebookView, layout: Layout = "unified"): string[] {
  const { count, kind, left, right } = rows[layout];
  return Array.from({ length: count }, (_, row) => {
    const [old = -1, now = -1] = [left[row], right[row]];
    if (kind[row] === ROW_BLOCK) return `[${blocks[old]?.key}]`;
    const line = Math.max(old, now);
    const number = (at: number, side: "old" | "new") => (at < 0 ? "-" : lineNumber(patch, at, side));
    return `${number(old, "old")} ${number(now, "new")} ${lineText(patch, line)}`;
  });
}

const ORDERS: DiffFile = {
  index: 0,
  path: "orders.ipynb",
  status: "modified",
  additions: 1,
  deletions: 1,
  binary: false,
  generated: false,
  patchSize: 100,
  fingerprint: "1",
};

const before: TestCell[] = [
  { id: "a", source: "import os", count: 1 },
  { id: "b", source: "x = 1\ny = 2", count: 2, outputs: [stream("3\n")], metadata: { tags: [1] } },
  { id: "c", kind: "markdown", source: "# End" },
];
const after: TestCell[] = [
  { id: "a", source: "import os", count: 5 },
  { id: "b", source: "x = 1\ny = 3", count: 6, outputs: [stream("4\n")], metadata: { tags: [2] } },
  { id: "c", kind: "markdown", source: "# End" },
];

describe("the rows of a notebook", () => {
  it("fold unchanged cells and metadata, and keep the numbers of the file's lines", () => {
    const text = textOf(before, after);
    const closed = createNotebookView(text, new Set());
    expect(written(closed)).toEqual([
      "[summary]",
      "[folded cell 1]",
      "[cell 2]",
      "32 32 x = 1",
      "33 - y = 2",
      "- 33 y = 3",
      "[cell 2 output 1]",
      "27 - 3",
      "- 27 4",
      "[metadata cell 2]",
      "[folded cell 3]",
    ]);
    expect(closed.blocks[0]).toMatchObject({
      summary: { cells: 3, changed: 1, added: 0, removed: 0, moved: 0, counts: 2, ids: 0, values: 1 },
    });
    expect(closed.blocks[1]).toMatchObject({ cells: 1, details: 1 });
    const opened = createNotebookView(text, new Set(["folded cell 1", "metadata cell 2"]));
    expect(written(opened)).toEqual(
      expect.arrayContaining(["[cell 1]", "10 10 import os", "18 - tags: [1]", "- 18 tags: [2]"]),
    );
    expect(written(opened, "split")).toContain("33 33 y = 3");
  });

  it("keep comments on folded cells in view, at the top, and others below their lines", () => {
    const view = createNotebookView(textOf(before, after), new Set());
    const widgets = [
      { key: "shown", side: "new" as const, line: 32 },
      { key: "hidden", side: "new" as const, line: 10 },
    ];
    const body = buildBody({
      file: ORDERS,
      patch: view.text.patch,
      failed: false,
      folded: false,
      layout: "unified",
      columns: undefined,
      tabWidth: 4,
      widgets,
      expansions: undefined,
      text: undefined,
      notebook: view,
      measured: { widgets: new Map([["cell 2", 50]]), lines: new Map() },
      lastHeight: undefined,
    });
    const { rows, offsets } = body;
    const kinds = [...(rows?.kind ?? [])];
    const positions = kinds.flatMap((kind, row) => (kind === ROW_WIDGET ? [row] : []));
    expect(positions.map((row) => rows?.widgets[rows.left[row] ?? 0]?.key)).toEqual(["hidden", "shown"]);
    expect(positions).toEqual([0, 5]);
    // A measured header has its measured height; the others have the default height.
    const header = kinds.findIndex((kind, row) => kind === ROW_BLOCK && rows?.left[row] === 2);
    expect((offsets?.[header + 1] ?? 0) - (offsets?.[header] ?? 0)).toBe(50);
    expect((offsets?.[header] ?? 0) - (offsets?.[header - 1] ?? 0)).toBe(32);
  });

  const sources = fc
    .array(fc.constantFrom("a", "b = 1", "", "c"), { maxLength: 5 })
    .map((lines) => lines.join("\n"));
  const cells = fc.array(fc.record({ id: fc.constantFrom("a", "b", "c", "d", "e", "f"), source: sources }), {
    maxLength: 6,
  });

  it("show every line once when all is open, in both layouts, and number no line of the file twice", () => {
    fc.assert(
      fc.property(cells, cells, fc.constantFrom(0, 1), fc.boolean(), (old, now, indent, joined) => {
        const text = textOf(old, now, { indent, joined });
        const folded = createNotebookView(text, new Set());
        const keys = new Set(folded.blocks.map(({ key }) => key));
        const view = createNotebookView(text, keys);
        for (const layout of ["split", "unified"] as const) {
          const { count, kind, left, right } = view.rows[layout];
          const shown = new Set<number>();
          for (let row = 0; row < count; row++) {
            if (kind[row] === ROW_LINE) for (const at of [left[row], right[row]]) shown.add(at ?? -1);
          }
          shown.delete(-1);
          expect(shown.size).toBe(text.patch.lineCount);
        }
        for (const numbers of [text.patch.oldLine, text.patch.newLine]) {
          const used = [...numbers].filter((number) => number > 0);
          expect(new Set(used).size).toBe(used.length);
        }
      }),
    );
  });

  it("lead from a line to an anchor, from there back to the line, and to its cell", () => {
    fc.assert(
      fc.property(cells, cells, (old, now) => {
        const text = textOf(old, now);
        const { patch } = text;
        for (let line = 0; line < patch.lineCount; line++) {
          for (const side of ["old", "new"] as const) {
            const number = lineNumber(patch, line, side);
            if (number === 0) continue;
            const anchor = text.anchorAt(side, number, number);
            expect(anchor.lines).toEqual([lineText(patch, line)]);
            if (anchor.cell?.part !== "source") continue;
            const { cell, lineStart = 0 } = anchor.cell;
            const source = (side === "old" ? old : now)[cell - 1]?.source.split("\n") ?? [];
            expect(source[lineStart - 1]).toBe(lineText(patch, line));
            if (lineText(patch, line).trim() !== "") expect(relocate(anchor, patch)?.start).toBe(number);
          }
        }
      }),
    );
  });
});

describe("the position in a cell", () => {
  it("of a range over several cells ends with the first of them", () => {
    const text = textOf(before, after);
    const anchor = text.anchorAt("new", 32, 60);
    expect(anchor).toMatchObject({ start: 32, end: 33, lines: ["x = 1", "y = 3"] });
    expect(anchor.cell && describeCellPosition(anchor.cell)).toBe(
      "lines 1-2 of the source of cell 2 (code, id `b`)",
    );
  });

  it("is that of the first line if the file holds several in one", () => {
    const text = textOf([{ source: "a\nb\nc" }], [{ source: "a\nb\nd" }], { joined: true });
    const start = text.patch.newLine.find((number) => number > 0) ?? 0;
    expect(text.describe("new", start, start)).toBe("line 1 of the source of cell 1 (code)");
  });
});

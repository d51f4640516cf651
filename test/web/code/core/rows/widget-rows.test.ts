import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scanPatch } from "../../../../../src/render/diff/patch/scan-patch.ts";
import {
  buildRows,
  ROW_WIDGET,
  type RowOptions,
  shownNumber,
  type Widget,
} from "../../../../../src/render/diff/row-model.ts";
import { computeOffsets } from "../../../../../web/code/core/rows/offsets.ts";
import {
  widgetPositions,
  withWidgetHeights,
  withWidgets,
} from "../../../../../web/code/core/rows/widget-rows.ts";

const patch = scanPatch(
  "@@ -10,4 +10,5 @@\n ten\n-eleven\n-twelve\n+ELEVEN\n+TWELVE\n+AND A HALF\n thirteen\n@@ -30,3 +31,2 @@\n thirty\n-thirty-one\n thirty-two\n",
);
const sides = ["old", "new"] as const;
const layouts = ["split", "unified"] as const;
const expansions = new Map([[1, { above: 2, below: 3 }]]);
const optionsFor = (layout: RowOptions["layout"]): RowOptions => ({ layout, expansions, complete: false });

/** A slow reference implementation: every widget below the row with its line, the old side's first. */
function expected(layout: RowOptions["layout"], widgets: readonly Widget[]): string[] {
  const rows = buildRows(patch, optionsFor(layout));
  const keysOn = (numberOn: (side: "old" | "new") => number) =>
    sides.flatMap((side) =>
      widgets.filter((each) => each.side === side && each.line === numberOn(side)).map(({ key }) => key),
    );
  const under = (row: number) => keysOn((side) => shownNumber(rows, patch, row, side) || -1);
  return [...keysOn(() => 0), ...Array.from(rows.kind).flatMap((_, row) => [`row ${row}`, ...under(row)])];
}

function shown(layout: RowOptions["layout"], widgets: readonly Widget[]): string[] {
  const plain = buildRows(patch, optionsFor(layout));
  const rows = withWidgets(plain, widgetPositions(plain, patch, widgets), widgets);
  let next = 0;
  return Array.from(rows.kind, (kind, row) => {
    if (kind === ROW_WIDGET) return rows.widgets[rows.left[row] ?? -1]?.key ?? "none";
    const before = next++;
    expect([kind, rows.left[row], rows.right[row]]).toEqual([
      plain.kind[before],
      plain.left[before],
      plain.right[before],
    ]);
    return `row ${before}`;
  });
}

const someWidgets = fc
  .array(fc.record({ side: fc.constantFrom(...sides), line: fc.integer({ min: 0, max: 40 }) }), {
    maxLength: 12,
  })
  .map((widgets) => widgets.map((widget, index): Widget => ({ ...widget, key: `widget ${index}` })));

describe("rows with widgets", () => {
  it("have them below the line of their side, and those of line 0 on top", () => {
    const widgets: Widget[] = [
      { key: "new", side: "new", line: 12 },
      { key: "file", side: "new", line: 0 },
      { key: "old", side: "old", line: 12 },
      { key: "not shown", side: "old", line: 500 },
    ];
    expect(shown("split", widgets).slice(0, 8)).toEqual([
      "file",
      "row 0",
      "row 1",
      "row 2",
      "row 3",
      "old",
      "new",
      "row 4",
    ]);
  });

  it.each(layouts)("contain each widget that has a line, and every other row unchanged: %s", (layout) => {
    fc.assert(
      fc.property(someWidgets, (widgets) => {
        expect(shown(layout, widgets)).toEqual(expected(layout, widgets));
      }),
    );
  });

  it.each(layouts)("are positioned by the sum of the heights above: %s", (layout) => {
    fc.assert(
      fc.property(someWidgets, (widgets) => {
        const plain = buildRows(patch, optionsFor(layout));
        const positions = widgetPositions(plain, patch, widgets);
        const rows = withWidgets(plain, positions, widgets);
        const heightOf = (widget: number) => 100 + widget;
        const offsets = computeOffsets(plain.count, (row) => 20 + row);
        let next = 0;
        const wanted = computeOffsets(rows.count, (row) =>
          rows.kind[row] === ROW_WIDGET ? heightOf(rows.left[row] ?? -1) : 20 + next++,
        );
        expect(withWidgetHeights(offsets, positions, heightOf)).toEqual(wanted);
      }),
    );
  });
});

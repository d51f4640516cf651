import { describe, expect, it } from "vitest";
import { lineText, type ParsedPatch } from "../../../src/render/diff/patch/parsed-patch.ts";
import { scanPatch } from "../../../src/render/diff/patch/scan-patch.ts";
import {
  buildRows,
  computeGaps,
  ROW_CONTEXT,
  ROW_GAP,
  ROW_LINE,
  type RowModel,
  type RowOptions,
} from "../../../src/render/diff/row-model.ts";

const patch = scanPatch(
  [
    "@@ -10,4 +10,4 @@ function a()",
    " ten",
    "-eleven",
    "-twelve",
    "+ELEVEN",
    "+TWELVE",
    "+AND A HALF",
    " thirteen",
    "@@ -30,3 +31,2 @@",
    " thirty",
    "-thirty-one",
    " thirty-two",
    "",
  ]
    .join("\n")
    .replace("-10,4 +10,4", "-10,4 +10,5"),
);

const plain: RowOptions = { layout: "split", expansions: new Map(), complete: false };

/** Rows as text: `left|right`; rows that are not lines by their name. */
function shown(rows: RowModel, source: ParsedPatch): string[] {
  return Array.from(rows.kind, (kind, index) => {
    const left = rows.left[index] ?? -1;
    const right = rows.right[index] ?? -1;
    if (kind === ROW_GAP) return `gap ${left}`;
    if (kind === ROW_CONTEXT) return `context ${left}/${right}`;
    expect(kind).toBe(ROW_LINE);
    return [left, right].map((line) => (line < 0 ? "" : lineText(source, line))).join("|");
  });
}

describe("buildRows", () => {
  it("shows changes side by side", () => {
    expect(shown(buildRows(patch, plain), patch)).toEqual([
      "gap 0",
      "ten|ten",
      "eleven|ELEVEN",
      "twelve|TWELVE",
      "|AND A HALF",
      "thirteen|thirteen",
      "gap 1",
      "thirty|thirty",
      "thirty-one|",
      "thirty-two|thirty-two",
    ]);
  });

  it("shows changes one below the other", () => {
    expect(shown(buildRows(patch, { ...plain, layout: "unified" }), patch).slice(1, 7)).toEqual([
      "ten|ten",
      "eleven|",
      "twelve|",
      "|ELEVEN",
      "|TWELVE",
      "|AND A HALF",
    ]);
  });

  it("shows lines of a gap from both ends, numbered on both sides", () => {
    const rows = buildRows(patch, { ...plain, expansions: new Map([[1, { above: 1, below: 2 }]]) });
    expect(shown(rows, patch).slice(6, 10)).toEqual([
      "context 14/15",
      "gap 1",
      "context 28/29",
      "context 29/30",
    ]);
  });

  it("drops the bar once the whole gap is shown", () => {
    const rows = buildRows(patch, { ...plain, expansions: new Map([[0, { above: 0, below: 500 }]]) });
    expect(shown(rows, patch).slice(0, 10)).toEqual([
      ...Array.from({ length: 9 }, (_, index) => `context ${index + 1}/${index + 1}`),
      "ten|ten",
    ]);
  });

  it("shows the end of the file once its length is known", () => {
    const options = { ...plain, newLineCount: 34, expansions: new Map([[2, { above: 1, below: 0 }]]) };
    expect(shown(buildRows(patch, options), patch).slice(-2)).toEqual(["context 33/33", "gap 2"]);
  });
});

describe("gapsOf", () => {
  it("returns none for a file that is completely in the patch", () => {
    expect(computeGaps(scanPatch("@@ -0,0 +1,2 @@\n+a\n+b\n"), undefined, true)).toEqual([]);
  });

  it("leaves the end open after three lines of context, and closed after fewer", () => {
    const three = scanPatch("@@ -1,4 +1,4 @@\n-a\n+b\n c\n d\n e\n");
    expect(computeGaps(three, undefined, false)).toEqual([
      undefined,
      { oldStart: 5, newStart: 5, newEnd: undefined },
    ]);
    expect(computeGaps(three, 4, false)).toEqual([undefined, undefined]);
    expect(computeGaps(scanPatch("@@ -1,3 +1,3 @@\n-a\n+b\n c\n d\n"), undefined, false)).toEqual([
      undefined,
      undefined,
    ]);
  });
});

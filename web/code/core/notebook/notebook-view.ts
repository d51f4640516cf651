import { findHunk, type ParsedPatch } from "../../../../src/render/diff/patch/parsed-patch.ts";
import {
  buildRows,
  type Layout,
  ROW_BLOCK,
  type RowModel,
  shownNumber,
  type Widget,
} from "../../../../src/render/diff/row-model.ts";
import type { CellDiff, CellPart } from "../../../../src/review/api-types.ts";
import type { NotebookText } from "./notebook-text.ts";

/** A row of a notebook that is not a line. `key` does not change when other blocks appear or disappear. */
export type NotebookBlock =
  | { readonly kind: "summary"; readonly key: string; readonly summary: NotebookSummary }
  | { readonly kind: "cell"; readonly key: string; readonly cell: CellDiff; readonly isRendered: boolean }
  /** A rendered Markdown cell. */
  | { readonly kind: "rendered"; readonly key: string; readonly source: CellPart }
  | { readonly kind: "images"; readonly key: string; readonly cell: CellDiff; readonly part: CellPart }
  | { readonly kind: "output"; readonly key: string; readonly part: CellPart }
  | { readonly kind: "metadata"; readonly key: string; readonly values: number; readonly isOpen: boolean }
  /** Cells that are not shown: `details` of them differ in execution counts, ids or metadata. */
  | { readonly kind: "folded"; readonly key: string; readonly cells: number; readonly details: number };

/**
 * Numbers of cells: all after the change (`cells`), by change, and with another execution count (`counts`) or id
 * (`ids`). `values` is the number of changed metadata values.
 */
export interface NotebookSummary {
  readonly cells: number;
  readonly changed: number;
  readonly added: number;
  readonly removed: number;
  readonly moved: number;
  readonly counts: number;
  readonly ids: number;
  readonly values: number;
}

/** A notebook with its shown cells, metadata and rendered Markdown. Every change creates a new object. */
export interface NotebookView {
  readonly text: NotebookText;
  readonly blocks: readonly NotebookBlock[];
  readonly rows: Readonly<Record<Layout, RowModel>>;
  /** Moves widgets to the top of the file if their line is not shown. */
  raiseHidden(widgets: readonly Widget[], layout: Layout): readonly Widget[];
}

/** An item of the notebook's sequence: a block, or the lines of a part. */
type Item = NotebookBlock | CellPart;

/**
 * Arranges the cells of a notebook. `opened` has the keys of the folded cells, metadata and rendered Markdown that are
 * shown.
 */
export function createNotebookView(text: NotebookText, opened: ReadonlySet<string>): NotebookView {
  const items = listItems(text, opened);
  const blocks = items.filter((item) => "key" in item);
  const hunks = new Map(text.parts.map(({ part }, hunk) => [part, hunk]));
  const rowsIn = (layout: Layout) => arrange(items, hunks, text.patch, layout);
  let [split, unified]: (RowModel | undefined)[] = [];
  const view: NotebookView = {
    text,
    blocks,
    rows: {
      get split() {
        split ??= rowsIn("split");
        return split;
      },
      get unified() {
        unified ??= rowsIn("unified");
        return unified;
      },
    },
    raiseHidden: (widgets, layout) =>
      widgets.length === 0 ? widgets : raiseHidden(widgets, view.rows[layout], text.patch),
  };
  return view;
}

function raiseHidden(widgets: readonly Widget[], rows: RowModel, patch: ParsedPatch): readonly Widget[] {
  const shown = { old: new Set<number>(), new: new Set<number>() };
  for (let row = 0; row < rows.count; row++) {
    for (const side of ["old", "new"] as const) shown[side].add(shownNumber(rows, patch, row, side));
  }
  return widgets.map((widget) => (shown[widget.side].has(widget.line) ? widget : { ...widget, line: 0 }));
}

function listItems({ compared: { cells, metadata } }: NotebookText, opened: ReadonlySet<string>): Item[] {
  const items: Item[] = [{ kind: "summary", key: "summary", summary: summarize(cells, metadata) }];
  items.push(...metadataItems("notebook", metadata, opened));
  for (let at = 0; at < cells.length; ) {
    const end = findEndOfFolded(cells, at);
    const key = `folded ${keyOf(cells[at])}`;
    if (end > at && !opened.has(key)) {
      const details = cells.slice(at, end).filter(({ change }) => change === "details").length;
      items.push({ kind: "folded", key, cells: end - at, details });
      at = end;
      continue;
    }
    for (const last = Math.max(end, at + 1); at < last; at++) {
      const cell = cells[at];
      if (cell) items.push(...cellItems(cell, opened));
    }
  }
  return items;
}

/** Returns the index after the run of cells from `at` on that did not move and have the same content. */
function findEndOfFolded(cells: readonly CellDiff[], at: number): number {
  let end = at;
  for (let cell = cells[end]; cell && isSame(cell); cell = cells[end]) end++;
  return end;
}

function isSame({ change, moved }: CellDiff): boolean {
  return !moved && (change === "same" || change === "details");
}

function keyOf(cell: CellDiff | undefined): string {
  return cell?.new ? `cell ${cell.new.number}` : `old cell ${cell?.old?.number}`;
}

/** Returns the key that opens the rendered Markdown of a cell. */
export function renderedKey(cellKey: string): string {
  return `rendered ${cellKey}`;
}

function cellItems(cell: CellDiff, opened: ReadonlySet<string>): Item[] {
  const key = keyOf(cell);
  const isRendered = opened.has(renderedKey(key));
  const items: Item[] = [{ kind: "cell", key, cell, isRendered }];
  for (const [index, part] of cell.parts.entries()) {
    if (part.part === "metadata") items.push(...metadataItems(key, part, opened));
    else if (part.part === "source") {
      if (isRendered) items.push({ kind: "rendered", key: renderedKey(key), source: part });
      items.push(part);
    } else {
      items.push({ kind: "output", key: `${key} output ${index}`, part }, part);
      if (part.images) items.push({ kind: "images", key: `${key} images ${index}`, cell, part });
    }
  }
  return items;
}

function metadataItems(of: string, part: CellPart, opened: ReadonlySet<string>): Item[] {
  if (part.lines.length === 0) return [];
  const key = `metadata ${of}`;
  const isOpen = opened.has(key);
  const block: Item = { kind: "metadata", key, values: countValues(part), isOpen };
  return isOpen ? [block, part] : [block];
}

/** Returns the number of values in a part. The removed and the added line of a changed value count as one. */
function countValues({ lines }: CellPart): number {
  return new Set(lines.map(([, text]) => text.slice(0, text.indexOf(":")))).size;
}

function summarize(cells: readonly CellDiff[], metadata: CellPart): NotebookSummary {
  const count = (isCounted: (cell: CellDiff) => boolean) => cells.filter(isCounted).length;
  const both = (differs: (old: NonNullable<CellDiff["old"]>, now: NonNullable<CellDiff["new"]>) => boolean) =>
    count(({ old, new: now }) => old !== undefined && now !== undefined && differs(old, now));
  const values = cells.flatMap(({ parts }) => parts.filter(({ part }) => part === "metadata"));
  return {
    cells: count(({ new: now }) => now !== undefined),
    changed: count(({ change }) => change === "changed"),
    added: count(({ change }) => change === "added"),
    removed: count(({ change }) => change === "removed"),
    moved: count(({ moved }) => moved),
    counts: both((old, now) => old.executionCount !== now.executionCount),
    ids: both((old, now) => old.id !== now.id),
    values: [metadata, ...values].reduce((sum, part) => sum + countValues(part), 0),
  };
}

/** Copies the rows of the shown parts between the rows of the blocks. */
function arrange(
  items: readonly Item[],
  hunks: ReadonlyMap<CellPart, number>,
  patch: ParsedPatch,
  layout: Layout,
): RowModel {
  const all = buildRows(patch, { layout, expansions: new Map(), complete: true });
  const starts = startsOfHunks(all, patch);
  const rangeOf = (part: CellPart): readonly [number, number] => {
    const hunk = hunks.get(part);
    return hunk === undefined ? [0, 0] : [starts[hunk] ?? 0, starts[hunk + 1] ?? all.count];
  };
  const count = items.reduce((sum, item) => {
    if ("key" in item) return sum + 1;
    const [from, to] = rangeOf(item);
    return sum + to - from;
  }, 0);
  const kind = new Uint8Array(count);
  const left = new Int32Array(count);
  const right = new Int32Array(count);
  let [row, block] = [0, 0];
  for (const item of items) {
    if ("key" in item) {
      kind[row] = ROW_BLOCK;
      left[row] = block++;
      right[row++] = -1;
      continue;
    }
    const [from, to] = rangeOf(item);
    kind.set(all.kind.subarray(from, to), row);
    left.set(all.left.subarray(from, to), row);
    right.set(all.right.subarray(from, to), row);
    row += to - from;
  }
  return { count, kind, left, right, widgets: [] };
}

/** Returns the first row of each hunk. */
function startsOfHunks({ count, left, right }: RowModel, patch: ParsedPatch): number[] {
  const starts: number[] = [];
  for (let row = 0; row < count; row++) {
    const hunk = findHunk(patch, Math.max(left[row] ?? -1, right[row] ?? -1));
    if (starts.length <= hunk) starts[hunk] = row;
  }
  return starts;
}

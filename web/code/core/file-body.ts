import type { DiffFile } from "../../../src/review/api-types.ts";
import { estimatedRows } from "./estimate.ts";
import {
  displayWidth,
  GAP_HEIGHT,
  LINE_HEIGHT,
  NOTICE_HEIGHT,
  WIDGET_HEIGHT,
  wrapCounter,
} from "./line-heights.ts";
import { offsetsOf } from "./offsets.ts";
import type { ParsedPatch } from "./parsed-patch.ts";
import {
  buildRows,
  type Expansion,
  type Layout,
  ROW_CONTEXT,
  ROW_GAP,
  ROW_LINE,
  ROW_NOTICE,
  type RowModel,
  type Widget,
} from "./row-model.ts";

/** What stands under a file's header. A new object whenever anything in it changed. */
export interface FileBody {
  readonly file: DiffFile;
  /** `waiting`: the patch is not here yet and the height is an estimate. */
  readonly state: "folded" | "waiting" | "failed" | "rows";
  readonly height: number;
  readonly patch?: ParsedPatch;
  readonly rows?: RowModel;
  /** Top of each row, from the top of the body, and the height last. */
  readonly offsets?: Float64Array;
  /** Lines of the whole new side, once it was needed. */
  readonly text?: readonly string[];
}

export interface BodyOptions {
  readonly file: DiffFile;
  readonly patch: ParsedPatch | undefined;
  readonly failed: boolean;
  readonly folded: boolean;
  readonly layout: Layout;
  /** Columns of code in one side; undefined when lines are not wrapped. */
  readonly columns: number | undefined;
  readonly widgets: readonly Widget[];
  readonly expansions: ReadonlyMap<number, Expansion> | undefined;
  readonly text: readonly string[] | undefined;
  /** Heights seen on screen, by `widgetHeightKey` and `lineHeightKey`. */
  readonly measured: ReadonlyMap<string, number>;
  /** The body's height when its patch was last here. */
  readonly lastHeight: number | undefined;
}

const NO_EXPANSIONS: ReadonlyMap<number, Expansion> = new Map();

export const widgetHeightKey = (key: string): string => `widget ${key}`;
export const noticeHeightKey = (path: string): string => `notice ${path}`;
export const lineHeightKey = (path: string, left: number, right: number): string =>
  `${path} ${left} ${right}`;

export function buildBody(options: BodyOptions): FileBody {
  const { file, patch } = options;
  if (options.folded) return { file, state: "folded", height: 0, ...(patch && { patch }) };
  if (options.failed) return { file, state: "failed", height: NOTICE_HEIGHT };
  if (!patch) {
    const height = options.lastHeight ?? estimatedRows(file, options.layout) * LINE_HEIGHT;
    return { file, state: "waiting", height };
  }
  const rows = buildRows(patch, {
    layout: options.layout,
    expansions: options.expansions ?? NO_EXPANSIONS,
    widgets: options.widgets,
    newLineCount: options.text?.length,
    complete: file.status === "added" || file.status === "deleted",
    notice: patch.hunks.length === 0 || patch.broken,
  });
  const offsets = offsetsOf(rows.count, rowHeights(rows, patch, options));
  const height = offsets[rows.count] ?? 0;
  return { file, state: "rows", height, patch, rows, offsets, ...(options.text && { text: options.text }) };
}

/** The height of each row, measured where it was seen, else computed. */
function rowHeights(rows: RowModel, patch: ParsedPatch, options: BodyOptions): (row: number) => number {
  const { columns, measured, file, text } = options;
  const linesOf = columns === undefined ? () => 1 : wrapCounter(patch, columns);
  const contextLines = (line: number) =>
    columns === undefined ? 1 : Math.max(1, Math.ceil(displayWidth(text?.[line - 1] ?? "") / columns));
  return (row) => {
    const left = rows.left[row] ?? -1;
    const right = rows.right[row] ?? -1;
    switch (rows.kind[row]) {
      case ROW_LINE:
      case ROW_CONTEXT: {
        const lines =
          rows.kind[row] === ROW_CONTEXT
            ? contextLines(right)
            : Math.max(left < 0 ? 1 : linesOf(left), right < 0 || right === left ? 1 : linesOf(right));
        if (columns === undefined || measured.size === 0) return lines * LINE_HEIGHT;
        return measured.get(lineHeightKey(file.path, left, right)) ?? lines * LINE_HEIGHT;
      }
      case ROW_GAP:
        return GAP_HEIGHT;
      case ROW_NOTICE:
        return measured.get(noticeHeightKey(file.path)) ?? NOTICE_HEIGHT;
      default:
        return measured.get(widgetHeightKey(rows.widgets[left]?.key ?? "")) ?? WIDGET_HEIGHT;
    }
  };
}

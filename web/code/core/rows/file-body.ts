import type { ParsedPatch } from "../../../../src/render/diff/patch/parsed-patch.ts";
import {
  buildRows,
  type Expansion,
  type Layout,
  ROW_BLOCK,
  ROW_CONTEXT,
  ROW_GAP,
  ROW_LINE,
  type RowModel,
  type RowOptions,
  type Widget,
} from "../../../../src/render/diff/row-model.ts";
import type { DiffFile } from "../../../../src/review/api-types.ts";
import type { NotebookView } from "../notebook/notebook-view.ts";
import {
  BLOCK_HEIGHT,
  GAP_HEIGHT,
  LINE_HEIGHT,
  NOTICE_HEIGHT,
  textWrapCounter,
  WIDGET_HEIGHT,
  wrapCounter,
} from "./line-heights.ts";
import { computeOffsets } from "./offsets.ts";
import { widgetPositions, withWidgetHeights, withWidgets } from "./widget-rows.ts";

/** The content below a file's header. Every change creates a new object. */
export interface FileBody {
  readonly file: DiffFile;
  /** `waiting`: the patch or the notebook is not loaded, and the height is the last one or an estimate. */
  readonly state: "folded" | "waiting" | "failed" | "rows";
  readonly height: number;
  readonly patch?: ParsedPatch;
  readonly rows?: RowModel;
  /** The top of each row, in pixels from the top of the body; the last item is the total height. */
  readonly offsets?: Float64Array;
  /** The rows without widgets, which do not change when comments are added or removed. */
  readonly plain?: PlainRows;
  /** All lines of the new side, if they were loaded. */
  readonly text?: readonly string[];
  /** The notebook, if the file is shown by cells. */
  readonly notebook?: NotebookView | undefined;
}

export interface PlainRows {
  readonly rows: RowModel;
  readonly offsets: Float64Array;
}

/** Heights measured on screen, which replace the computed ones. */
export interface MeasuredHeights {
  /** Heights by the key of a widget or of a notebook's block, or by `NOTICE_KEY`. */
  readonly widgets: ReadonlyMap<string, number>;
  /** By `lineHeightKey`. */
  readonly lines: ReadonlyMap<number, number>;
}

export interface BodyOptions {
  readonly file: DiffFile;
  readonly patch: ParsedPatch | undefined;
  readonly failed: boolean;
  readonly folded: boolean;
  readonly layout: Layout;
  /** Columns of code on one side; undefined if lines do not wrap. */
  readonly columns: number | undefined;
  readonly tabWidth: number;
  readonly widgets: readonly Widget[];
  readonly expansions: ReadonlyMap<number, Expansion> | undefined;
  readonly text: readonly string[] | undefined;
  /** Set for a notebook that is shown by cells. */
  readonly notebook?: NotebookView | undefined;
  readonly measured: MeasuredHeights;
  /** The height of the body when its patch was last loaded. */
  readonly lastHeight: number | undefined;
}

const NO_EXPANSIONS: ReadonlyMap<number, Expansion> = new Map();

/** The key of a file's notice in the measured heights. */
export const NOTICE_KEY = "notice";

/** Returns a key for a row of code, by its line of the new side if it has one; undefined for other rows. */
export function lineHeightKey(rows: RowModel, row: number): number | undefined {
  const left = rows.left[row] ?? -1;
  const right = rows.right[row] ?? -1;
  if (rows.kind[row] === ROW_CONTEXT) return -right;
  return rows.kind[row] === ROW_LINE ? (right >= 0 ? right * 2 + 1 : left * 2) : undefined;
}

export interface KnownBody {
  readonly options: BodyOptions;
  readonly body: FileBody;
}

/** Builds the body of a file. Reuses the unchanged parts of `known`, the previous body. */
export function buildBody(options: BodyOptions, known?: KnownBody): FileBody {
  const { file, patch, notebook } = options;
  if (options.folded) return { file, state: "folded", height: 0, patch };
  if (options.failed) return { file, state: "failed", height: NOTICE_HEIGHT };
  if (!patch) {
    const height = options.lastHeight ?? estimatedRows(file, options.layout) * LINE_HEIGHT;
    return { file, state: "waiting", height };
  }
  const plain = plainRows(options, patch, known);
  const widgets = notebook?.raiseHidden(options.widgets, options.layout) ?? options.widgets;
  const positions = widgetPositions(plain.rows, patch, widgets);
  const rows = withWidgets(plain.rows, positions, widgets);
  const offsets = withWidgetHeights(plain.offsets, positions, (widget) => {
    return options.measured.widgets.get(widgets[widget]?.key ?? "") ?? WIDGET_HEIGHT;
  });
  const height = offsets[rows.count] ?? 0;
  const { text } = options;
  return { file, state: "rows", height, patch, rows, offsets, plain, text, notebook };
}

/**
 * Returns rows and offsets without widgets. Reuses unchanged ones, because a layout of thousands of lines would delay
 * the opening of a comment.
 */
function plainRows(options: BodyOptions, patch: ParsedPatch, known: KnownBody | undefined): PlainRows {
  const { plain } = known?.body ?? {};
  const keepsRows = plain && known && hasSameRows(known.options, options);
  if (keepsRows && hasSameHeights(known.options, options)) return plain;
  const rows = keepsRows
    ? plain.rows
    : (options.notebook?.rows[options.layout] ?? buildRows(patch, rowOptions(options, patch)));
  return { rows, offsets: computeOffsets(rows.count, rowHeights(rows, patch, options)) };
}

function hasSameRows(a: BodyOptions, b: BodyOptions): boolean {
  return (
    a.file === b.file &&
    a.patch === b.patch &&
    a.layout === b.layout &&
    a.expansions === b.expansions &&
    a.text === b.text &&
    a.notebook === b.notebook
  );
}

function hasSameHeights(a: BodyOptions, b: BodyOptions): boolean {
  return (
    a.columns === b.columns &&
    a.tabWidth === b.tabWidth &&
    a.measured.lines === b.measured.lines &&
    (a.notebook
      ? a.measured.widgets === b.measured.widgets
      : a.measured.widgets.get(NOTICE_KEY) === b.measured.widgets.get(NOTICE_KEY))
  );
}

function rowOptions({ file, ...options }: BodyOptions, patch: ParsedPatch): RowOptions {
  return {
    layout: options.layout,
    expansions: options.expansions ?? NO_EXPANSIONS,
    newLineCount: options.text?.length,
    complete: file.status === "added" || file.status === "deleted",
    notice: patch.hunks.length === 0 || patch.broken,
  };
}

/** Returns a function for the height of a row: the measured height if there is one, otherwise the computed one. */
function rowHeights(rows: RowModel, patch: ParsedPatch, options: BodyOptions): (row: number) => number {
  const { widgets, lines } = options.measured;
  const lineHeight = options.columns === undefined ? () => LINE_HEIGHT : wrappedHeights(rows, patch, options);
  const isMeasured = options.columns !== undefined && lines.size > 0;
  return (row) => {
    switch (rows.kind[row]) {
      case ROW_LINE:
      case ROW_CONTEXT: {
        const key = isMeasured ? lineHeightKey(rows, row) : undefined;
        return (key === undefined ? undefined : lines.get(key)) ?? lineHeight(row);
      }
      case ROW_GAP:
        return GAP_HEIGHT;
      case ROW_BLOCK:
        return widgets.get(options.notebook?.blocks[rows.left[row] ?? 0]?.key ?? "") ?? BLOCK_HEIGHT;
      default:
        return widgets.get(NOTICE_KEY) ?? NOTICE_HEIGHT;
    }
  };
}

/** Returns a function for the height of a wrapped row: the height of its taller side. */
function wrappedHeights(rows: RowModel, patch: ParsedPatch, options: BodyOptions): (row: number) => number {
  const space = { columns: options.columns ?? 1, tabWidth: options.tabWidth };
  const countLines = wrapCounter(patch, space);
  const countContextLines = options.text ? textWrapCounter(options.text, space) : () => 1;
  return (row) => {
    const left = rows.left[row] ?? -1;
    const right = rows.right[row] ?? -1;
    if (rows.kind[row] === ROW_CONTEXT) return countContextLines(right - 1) * LINE_HEIGHT;
    const above = left < 0 ? 1 : countLines(left);
    return (right < 0 || right === left ? above : Math.max(above, countLines(right))) * LINE_HEIGHT;
  };
}

/** Average bytes of a patch line, with marker and newline. */
const LINE_BYTES = 36;

/**
 * Estimates the number of rows of a file whose patch is not loaded. When the patch arrives, the scroller keeps the
 * position of the visible rows.
 */
export function estimatedRows(file: DiffFile, layout: Layout): number {
  if (file.binary) return 1;
  const changed = file.additions + file.deletions;
  if (changed === 0) return 1;
  const lines = Math.max(changed + 1, Math.round(file.patchSize / LINE_BYTES));
  const isWhole = file.status === "added" || file.status === "deleted";
  const context = isWhole ? 0 : lines - changed;
  return layout === "unified" ? changed + context : Math.max(file.additions, file.deletions) + context;
}

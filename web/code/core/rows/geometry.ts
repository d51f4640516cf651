import type { RowModel } from "../../../../src/render/diff/row-model.ts";
import type { FileBody } from "./file-body.ts";
import { FILE_HEADER_HEIGHT, FILE_MARGIN } from "./line-heights.ts";
import { computeOffsets, indexAt } from "./offsets.ts";

/** A file that is at least partly visible: its index in the page order and its visible rows, `to` exclusive. */
export interface VisibleFile {
  readonly order: number;
  readonly from: number;
  readonly to: number;
}

/** The row or the file header that does not move while heights change. A row is identified by its content. */
export interface Anchor {
  readonly path: string;
  readonly row: { readonly kind: number; readonly left: number; readonly right: number } | undefined;
  /** Pixels from the anchor's top to the top of the window. */
  readonly delta: number;
}

/** The vertical layout of the diff, in pixels from the top of the diff. */
export class Geometry {
  readonly bodies: readonly FileBody[];
  private readonly tops: Float64Array;

  constructor(bodies: readonly FileBody[]) {
    this.bodies = bodies;
    this.tops = computeOffsets(bodies.length, (order) => getFileHeight(bodies[order]));
  }

  get total(): number {
    return this.tops[this.bodies.length] ?? 0;
  }

  getTop(order: number): number {
    return this.tops[order] ?? 0;
  }

  rowTop(order: number, row: number): number {
    return this.getTop(order) + FILE_HEADER_HEIGHT + (this.bodies[order]?.offsets?.[row] ?? 0);
  }

  fileAt(position: number): number {
    return indexAt(this.tops, position);
  }

  /** Returns the row before the first row that is completely below the header at a scroll position. */
  rowAt(position: number): { readonly order: number; readonly row: number } {
    const order = this.fileAt(position);
    const offsets = this.bodies[order]?.offsets;
    const inside = position - this.getTop(order);
    if (!offsets || inside <= 0) return { order, row: -1 };
    const row = indexAt(offsets, inside);
    return { order, row: (offsets[row] ?? 0) < inside ? row : row - 1 };
  }

  /** Returns the files and rows between two positions. */
  visible(from: number, to: number): VisibleFile[] {
    const files: VisibleFile[] = [];
    for (let order = this.fileAt(from); order < this.bodies.length && this.getTop(order) < to; order++) {
      const offsets = this.bodies[order]?.offsets;
      const start = this.getTop(order) + FILE_HEADER_HEIGHT;
      const count = offsets ? offsets.length - 1 : 0;
      if (!offsets || count === 0 || start >= to) files.push({ order, from: 0, to: 0 });
      else
        files.push({
          order,
          ...stepped(indexAt(offsets, from - start), indexAt(offsets, to - start), count),
        });
    }
    return files;
  }

  anchorAt(position: number): Anchor | undefined {
    const order = this.fileAt(position);
    const body = this.bodies[order];
    if (!body) return undefined;
    const inside = position - this.getTop(order) - FILE_HEADER_HEIGHT;
    if (!body.rows || !body.offsets || inside < 0 || body.rows.count === 0) {
      return { path: body.file.path, row: undefined, delta: position - this.getTop(order) };
    }
    const row = indexAt(body.offsets, inside);
    const { kind, left, right } = body.rows;
    return {
      path: body.file.path,
      row: { kind: kind[row] ?? 0, left: left[row] ?? -1, right: right[row] ?? -1 },
      delta: inside - (body.offsets[row] ?? 0),
    };
  }

  /** Returns the scroll position that keeps an anchor in place; undefined if its file is not in the diff. */
  getPosition(anchor: Anchor): number | undefined {
    const order = this.bodies.findIndex(({ file }) => file.path === anchor.path);
    const body = this.bodies[order];
    if (!body) return undefined;
    if (!anchor.row || !body.rows) {
      return this.getTop(order) + Math.min(anchor.delta, FILE_HEADER_HEIGHT + body.height);
    }
    const row = rowLike(body.rows, anchor.row);
    if (row >= 0) return this.rowTop(order, row) + anchor.delta;
    return this.getTop(order);
  }
}

/** The visible range is rounded to this number of rows, so that most scroll events cause no rendering. */
const STEP = 8;

function stepped(first: number, last: number, count: number): { from: number; to: number } {
  return { from: first - (first % STEP), to: Math.min(count, last + STEP - (last % STEP)) };
}

function getFileHeight(body: FileBody | undefined): number {
  return FILE_HEADER_HEIGHT + (body?.height ?? 0) + FILE_MARGIN;
}

/** Returns the row with the same content, in either layout; -1 if there is no such row. */
function rowLike(rows: RowModel, wanted: { kind: number; left: number; right: number }): number {
  for (let row = 0; row < rows.count; row++) {
    if (rows.kind[row] !== wanted.kind) continue;
    if (wanted.right >= 0 ? rows.right[row] === wanted.right : rows.left[row] === wanted.left) return row;
  }
  return -1;
}

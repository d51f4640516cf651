import { LINE_CONTEXT, type Side } from "../../../../src/render/diff/patch/parsed-patch.ts";
import { ROW_LINE, shownNumber } from "../../../../src/render/diff/row-model.ts";
import type { FileBody } from "./file-body.ts";
import type { Geometry } from "./geometry.ts";

/** Identifies a line of the diff, independent of its row. */
export interface LineRef {
  readonly path: string;
  readonly side: Side;
  readonly number: number;
}

/** Returns the line number of a row on a side; 0 if it has none. */
export function numberAt({ rows, patch }: FileBody, row: number, side: Side): number {
  return rows && patch ? shownNumber(rows, patch, row, side) : 0;
}

/** Returns the row of a line; -1 if it is not shown. */
export function getRow(body: FileBody, side: Side, number: number): number {
  for (let row = 0; row < (body.rows?.count ?? 0); row++) {
    if (numberAt(body, row, side) === number) return row;
  }
  return -1;
}

/** Returns the line of a row: on the preferred side if possible, or otherwise on the other side; undefined if none. */
function lineAt(body: FileBody, row: number, preferred: Side): LineRef | undefined {
  const other: Side = preferred === "old" ? "new" : "old";
  for (const side of [preferred, other]) {
    const number = numberAt(body, row, side);
    if (number > 0) return { path: body.file.path, side, number };
  }
  return undefined;
}

/** A row of the diff; row -1 is before the first row of a file. */
export interface RowPosition {
  readonly order: number;
  readonly row: number;
}

/** Returns the row of a line, with row -1 if the line is not shown; undefined if its file is not in the diff. */
export function findRow(geometry: Geometry, line: LineRef): RowPosition | undefined {
  const order = geometry.bodies.findIndex(({ file }) => file.path === line.path);
  const body = geometry.bodies[order];
  return body && { order, row: getRow(body, line.side, line.number) };
}

/**
 * Returns the next line in the direction of `step`, across files. The line is on the given side if the row
 * has a line there.
 */
export function nextLine(
  geometry: Geometry,
  from: RowPosition,
  step: 1 | -1,
  side: Side,
): LineRef | undefined {
  return walk(geometry, from, step, side, () => true);
}

/**
 * Returns the first line of the next block of changes in the direction of `step`, across files. Backward from inside a
 * block, this is the start of the same block.
 */
export function nextHunk(
  geometry: Geometry,
  from: RowPosition,
  step: 1 | -1,
  side: Side,
): LineRef | undefined {
  return walk(geometry, from, step, side, (body, row) => isChanged(body, row) && !isChanged(body, row - 1));
}

function isChanged(body: FileBody, row: number): boolean {
  if (row < 0 || body.rows?.kind[row] !== ROW_LINE || !body.patch) return false;
  const left = body.rows.left[row] ?? -1;
  const right = body.rows.right[row] ?? -1;
  return left < 0 || right < 0 || body.patch.kind[left] !== LINE_CONTEXT;
}

function walk(
  geometry: Geometry,
  from: RowPosition,
  step: 1 | -1,
  side: Side,
  accepts: (body: FileBody, row: number) => boolean,
): LineRef | undefined {
  let { order, row } = from;
  let body = geometry.bodies[order];
  while (body) {
    for (row += step; row >= 0 && row < (body.rows?.count ?? 0); row += step) {
      const line = accepts(body, row) ? lineAt(body, row, side) : undefined;
      if (line) return line;
    }
    order += step;
    body = geometry.bodies[order];
    row = step > 0 ? -1 : (body?.rows?.count ?? 0);
  }
  return undefined;
}

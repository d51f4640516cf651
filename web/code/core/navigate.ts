import type { FileBody } from "./file-body.ts";
import type { Geometry } from "./geometry.ts";
import { LINE_CONTEXT, lineNumber, type Side } from "./parsed-patch.ts";
import { ROW_CONTEXT, ROW_LINE } from "./row-model.ts";

/** A line of the diff, by what it is and not by where it stands. */
export interface LineRef {
  readonly path: string;
  readonly side: Side;
  readonly number: number;
}

/** The line number a row shows on a side; 0 when it shows none. */
export function numberAt(body: FileBody, row: number, side: Side): number {
  const index = (side === "old" ? body.rows?.left[row] : body.rows?.right[row]) ?? -1;
  if (index < 0 || !body.patch) return 0;
  if (body.rows?.kind[row] === ROW_CONTEXT) return index;
  return body.rows?.kind[row] === ROW_LINE ? lineNumber(body.patch, index, side) : 0;
}

/** The row that shows a line; -1 when none does. */
export function rowOf(body: FileBody, side: Side, number: number): number {
  for (let row = 0; row < (body.rows?.count ?? 0); row++) {
    if (numberAt(body, row, side) === number) return row;
  }
  return -1;
}

/** The line a row stands for: on the side asked for when it has one there, else on the other. */
export function lineAt(body: FileBody, row: number, preferred: Side): LineRef | undefined {
  const other: Side = preferred === "old" ? "new" : "old";
  for (const side of [preferred, other]) {
    const number = numberAt(body, row, side);
    if (number > 0) return { path: body.file.path, side, number };
  }
  return undefined;
}

/** The next row with a line, in the direction of `step`, across files. */
export function nextLine(geometry: Geometry, from: LineRef | undefined, step: 1 | -1): LineRef | undefined {
  return walk(geometry, from, step, () => true);
}

/** The first line of the next (or this and then the previous) stretch of changed lines, across files. */
export function nextHunk(geometry: Geometry, from: LineRef | undefined, step: 1 | -1): LineRef | undefined {
  return walk(geometry, from, step, (body, row) => isChanged(body, row) && !isChanged(body, row - 1));
}

function isChanged(body: FileBody, row: number): boolean {
  if (row < 0 || body.rows?.kind[row] !== ROW_LINE || !body.patch) return false;
  const left = body.rows.left[row] ?? -1;
  const right = body.rows.right[row] ?? -1;
  return left < 0 || right < 0 || body.patch.kind[left] !== LINE_CONTEXT;
}

function walk(
  geometry: Geometry,
  from: LineRef | undefined,
  step: 1 | -1,
  accepts: (body: FileBody, row: number) => boolean,
): LineRef | undefined {
  const side = from?.side ?? "new";
  let order = from ? geometry.bodies.findIndex(({ file }) => file.path === from.path) : 0;
  let body = geometry.bodies[order];
  let row = from && body ? rowOf(body, from.side, from.number) : -1;
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

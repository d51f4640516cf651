import type { Side } from "../../../src/render/diff/patch/parsed-patch.ts";
import type { DiffMove } from "../../../src/review/api-types.ts";
import type { LineRef } from "./rows/navigate.ts";

/** The moves that begin or end in a file, each list ordered by line. */
export type FileMoves = Readonly<Record<Side, readonly DiffMove[]>>;

/** Groups moves by the files at both ends. */
export function byFile(moves: readonly DiffMove[]): ReadonlyMap<string, FileMoves> {
  const files = new Map<string, { old: DiffMove[]; new: DiffMove[] }>();
  const entry = (path: string) => {
    const known = files.get(path) ?? { old: [], new: [] };
    files.set(path, known);
    return known;
  };
  for (const move of moves) {
    entry(move.from.path).old.push(move);
    entry(move.to.path).new.push(move);
  }
  for (const file of files.values()) {
    file.old.sort((one, other) => one.from.lineStart - other.from.lineStart);
    file.new.sort((one, other) => one.to.lineStart - other.to.lineStart);
  }
  return files;
}

/** Returns the range of a move on a side. */
export function rangeOn(move: DiffMove, side: Side): DiffMove["from"] {
  return side === "old" ? move.from : move.to;
}

/** Returns the move that contains a line. */
export function moveAt(moves: FileMoves | undefined, side: Side, number: number): DiffMove | undefined {
  const list = moves?.[side] ?? [];
  let low = 0;
  let high = list.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const move = list[middle];
    if (!move) return undefined;
    const { lineStart, lineEnd } = rangeOn(move, side);
    if (number < lineStart) high = middle - 1;
    else if (number > lineEnd) low = middle + 1;
    else return move;
  }
  return undefined;
}

/** Returns the line at the other end of a move that corresponds to line `number` on `side`. */
export function otherEnd(move: DiffMove, side: Side, number: number): LineRef {
  const here = rangeOn(move, side);
  const there = side === "old" ? move.to : move.from;
  return {
    path: there.path,
    side: side === "old" ? "new" : "old",
    number: there.lineStart + number - here.lineStart,
  };
}

import {
  findHunk,
  findLine,
  type Hunk,
  LINE_ADDED,
  LINE_REMOVED,
  lineNumber,
  lineText,
  type ParsedPatch,
  type Side,
} from "../../../../src/render/diff/patch/parsed-patch.ts";
import { scanPatch } from "../../../../src/render/diff/patch/scan-patch.ts";
import { describeCellPosition } from "../../../../src/render/notebook/describe-cell-position.ts";
import type { CellDiff, CellPart, CellPosition, ComparedNotebook } from "../../../../src/review/api-types.ts";
import type { LineAnchor } from "../comment.ts";
import { anchorLines } from "../relocate.ts";

/** Lines of one part of a cell, or of the notebook's metadata. */
interface PartLines {
  readonly cell: CellDiff | undefined;
  readonly part: CellPart;
}

/**
 * The texts of the notebook's metadata and of all cells as a patch, one hunk for each part that has lines. The lines of
 * the patch have the line numbers of the file, so that comments, threads and the cursor are at the same lines as in the
 * raw diff. If one line of the file contains several lines of a cell, the first has the file's number and the others
 * have none.
 */
export interface NotebookText {
  readonly compared: ComparedNotebook;
  readonly patch: ParsedPatch;
  /** The part of each hunk. */
  readonly parts: readonly PartLines[];
  /**
   * Creates an anchor for lines that the notebook shows. A range over several parts is cut at the end of the
   * first part.
   */
  anchorAt(side: Side, start: number, end: number): LineAnchor;
  /**
   * Describes the position of lines in their cell for the agent; undefined if the first line is not in a
   * cell.
   */
  describe(side: Side, start: number, end: number): string | undefined;
}

const MARKERS = [" ", "+", "-"] as const;

/** Lays out the lines of a compared notebook. */
export function createNotebookText(compared: ComparedNotebook): NotebookText {
  const parts: PartLines[] = [
    { cell: undefined, part: compared.metadata },
    ...compared.cells.flatMap((cell) => cell.parts.map((part) => ({ cell, part }))),
  ].filter(({ part }) => part.lines.length > 0);
  const text = parts
    .map(({ part: { lines } }) => {
      const old = lines.filter(([kind]) => kind !== LINE_ADDED).length;
      const now = lines.filter(([kind]) => kind !== LINE_REMOVED).length;
      const body = lines.map(([kind, line]) => `${MARKERS[kind]}${line}\n`).join("");
      return `@@ -1,${old} +1,${now} @@\n${body}`;
    })
    .join("");
  const scanned = scanPatch(text);
  const lines = parts.flatMap(({ part }) => part.lines);
  const oldLine = withoutRepeats(lines.map(([, , old]) => old));
  const newLine = withoutRepeats(lines.map(([, , , now]) => now));
  const hunks = scanned.hunks.map((hunk, at): Hunk => {
    const [old, now] = [rangeOf(oldLine, hunk), rangeOf(newLine, hunk)];
    return {
      ...hunk,
      oldStart: old.start,
      oldCount: old.count,
      newStart: now.start,
      newCount: now.count,
      language: parts[at]?.part.language,
    };
  });
  const patch = { ...scanned, oldLine, newLine, hunks };
  return {
    compared,
    patch,
    parts,
    anchorAt(side, start, end) {
      const last = clampToPart(patch, side, start, end);
      const anchor = anchorLines(side, start, last, (number) => {
        const line = findLine(patch, side, number);
        return line < 0 ? undefined : lineText(patch, line);
      });
      return { ...anchor, cell: findPosition(patch, parts, side, start, last) ?? null };
    },
    describe(side, start, end) {
      const position = findPosition(patch, parts, side, start, end);
      return position && describeCellPosition(position);
    },
  };
}

/** Replaces all but the first of equal numbers by 0. */
function withoutRepeats(numbers: readonly number[]): Uint32Array {
  const seen = new Set<number>();
  return Uint32Array.from(numbers, (number) => {
    if (seen.has(number)) return 0;
    seen.add(number);
    return number;
  });
}

function rangeOf(numbers: Uint32Array, { first, end }: Hunk): { start: number; count: number } {
  const here = numbers.subarray(first, end).filter((number) => number > 0);
  const start = here[0] ?? 0;
  return { start, count: here.length === 0 ? 0 : (here.at(-1) ?? start) - start + 1 };
}

/** Returns the last line of a range that is in the same part of a cell as the first line. */
function clampToPart(patch: ParsedPatch, side: Side, start: number, end: number): number {
  const line = findLine(patch, side, start);
  const hunk = line < 0 ? undefined : patch.hunks[findHunk(patch, line)];
  if (!hunk) return start;
  const last = side === "old" ? hunk.oldStart + hunk.oldCount : hunk.newStart + hunk.newCount;
  return Math.min(last - 1, end);
}

function findPosition(
  patch: ParsedPatch,
  parts: readonly PartLines[],
  side: Side,
  start: number,
  end: number,
): CellPosition | undefined {
  const line = findLine(patch, side, start);
  if (line < 0) return undefined;
  const at = findHunk(patch, line);
  const { cell, part } = parts[at] ?? {};
  const ref = side === "old" ? cell?.old : cell?.new;
  const hunk = patch.hunks[at];
  if (!ref || !part || !hunk) return undefined;
  const { number, id, kind } = ref;
  const named = { cell: number, ...(id === undefined ? {} : { id }), kind, part: part.part };
  if (part.part === "metadata") return named;
  const other = side === "old" ? LINE_ADDED : LINE_REMOVED;
  let [count, lineStart, lineEnd] = [0, 0, 0];
  for (let each = hunk.first; each < hunk.end; each++) {
    if (patch.kind[each] === other) continue;
    count++;
    if (each === line) lineStart = count;
    const shown = lineNumber(patch, each, side);
    if (lineStart > 0 && shown > 0 && shown <= end) lineEnd = count;
  }
  return { ...named, lineStart, lineEnd };
}

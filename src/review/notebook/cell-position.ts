import type { CellPosition, NotebookCell, NotebookLine } from "../notebook-api-types.ts";

/**
 * Returns the cell, and its lines, that a range of lines of a notebook's file contains. Both ends are inclusive. A
 * range over several cells belongs to the first. Returns undefined outside of all cells.
 */
export function findCellPosition(
  cells: readonly NotebookCell[],
  lineStart: number,
  lineEnd: number,
): CellPosition | undefined {
  const [cell, second] = cells.filter(({ line, endLine }) => line <= lineEnd && endLine >= lineStart);
  // One line of the file may hold several cells.
  if (!cell || (second && lineStart === lineEnd)) return undefined;
  const { number, id, kind, source, outputs, metadata } = cell;
  const named = { cell: number, ...(id === undefined ? {} : { id }), kind };
  const texts = [
    { part: "source" as const, lines: source },
    ...outputs.map(({ lines }) => ({ part: "output" as const, lines })),
    { part: "metadata" as const, lines: metadata },
  ];
  for (const { part, lines } of texts) {
    const range = findRange(lines, lineStart, lineEnd);
    if (range) return part === "metadata" ? { ...named, part } : { ...named, part, ...range };
  }
  return { ...named, part: "metadata" };
}

function findRange(lines: readonly NotebookLine[], lineStart: number, lineEnd: number) {
  const isIn = ({ line }: NotebookLine) => line >= lineStart && line <= lineEnd;
  const first = lines.findIndex(isIn);
  return first < 0 ? undefined : { lineStart: first + 1, lineEnd: lines.findLastIndex(isIn) + 1 };
}

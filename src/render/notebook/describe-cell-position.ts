import type { CellPosition } from "../../review/api-types.ts";
import { codeSpan } from "../markdown/fences.ts";

/** Describes a position for an agent: "lines 2-4 of the source of cell 3 (code, id `a1b2`)". */
export function describeCellPosition(position: CellPosition): string {
  const { cell, id, kind, part, lineStart, lineEnd } = position;
  const lines =
    lineStart === undefined || lineEnd === undefined
      ? ""
      : `${lineStart === lineEnd ? `line ${lineStart}` : `lines ${lineStart}-${lineEnd}`} of `;
  const named = id === undefined ? kind : `${kind}, id ${codeSpan(id)}`;
  return `${lines}the ${part} of cell ${cell} (${named})`;
}

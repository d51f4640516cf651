import type { ForgeAnchor, Side } from "./forge.ts";

/**
 * Returns the anchor of a comment on lines. Forges can report 0, or a start after the end, for lines that are outdated.
 */
export function toLineAnchor(path: string, side: Side, start: number, end: number): ForgeAnchor {
  return {
    kind: "lines",
    path,
    side,
    lineStart: Math.max(1, Math.min(start, end)),
    lineEnd: Math.max(1, end),
  };
}

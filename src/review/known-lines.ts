import { AppError } from "../errors.ts";
import { LINE_ADDED, LINE_CONTEXT, LINE_REMOVED, lineText } from "../render/diff/patch/parsed-patch.ts";
import { scanPatch } from "../render/diff/patch/scan-patch.ts";
import type { DiffLease } from "./diff-session.ts";
import { findFile, hasSide, readPatch } from "./git/file-text.ts";

/** The lines of one side of a file; undefined for a line between hunks whose text is unknown. */
export type KnownLines = readonly (string | undefined)[];

/**
 * Returns the lines of one side of a file: all of them, or those of its hunks if the complete file is not available.
 * Returns no lines for an empty file. Throws as `DiffSides.read` does.
 */
export async function readKnownLines(
  { snapshot, sides }: Pick<DiffLease, "snapshot" | "sides">,
  path: string,
  side: "old" | "new",
): Promise<KnownLines> {
  try {
    const text = (await sides.read(path, side)).toString();
    return text === "" ? [] : text.replace(/\n$/, "").split(/\r?\n/);
  } catch (error) {
    const file = findFile(snapshot, path, side);
    const isMissing = error instanceof AppError && error.code === "not_found";
    if (!isMissing || !file || file.binary || !hasSide(file, side)) throw error;
    return hunkLines((await readPatch(snapshot, file)).toString(), side);
  }
}

/** Returns the lines that the hunks of a patch contain, at their positions. */
export function hunkLines(patch: string, side: "old" | "new"): KnownLines {
  const parsed = scanPatch(patch);
  const numbers = side === "old" ? parsed.oldLine : parsed.newLine;
  const changed = side === "old" ? LINE_REMOVED : LINE_ADDED;
  const lines: (string | undefined)[] = [];
  for (let line = 0; line < parsed.lineCount; line += 1) {
    if (parsed.kind[line] !== LINE_CONTEXT && parsed.kind[line] !== changed) continue;
    const at = (numbers[line] ?? 0) - 1;
    while (lines.length < at) lines.push(undefined);
    lines[at] = lineText(parsed, line).replace(/\r$/, "");
  }
  return lines;
}

import {
  findLine,
  lineText,
  type ParsedPatch,
  shiftAt,
} from "../../../src/render/diff/patch/parsed-patch.ts";
import type { Widget } from "../../../src/render/diff/row-model.ts";
import type { DiffFile } from "../../../src/review/api-types.ts";
import type { LineAnchor, ReviewComment } from "../core/comment.ts";
import { anchorLines, relocate } from "../core/relocate.ts";
import type { LineRange } from "./cursor.ts";
import { getLastLine, getStart } from "./cursor.ts";
import { loadedNotebook } from "./notebooks.ts";
import { useSession } from "./session.ts";
import { useView } from "./view.ts";

/** The position of a comment's lines in the current diff. */
export type CurrentPosition =
  | { readonly state: "here"; readonly start: number; readonly end: number; readonly moved: boolean }
  /** The lines are in the file, but between the hunks. */
  | { readonly state: "context"; readonly start: number; readonly end: number; readonly moved: boolean }
  /** The file is in this diff, but the lines are not, or the comment is on the whole file. */
  | { readonly state: "lost" }
  /** The file is not in this diff, or the comment is on the whole change. */
  | { readonly state: "elsewhere" };

const byPath = new WeakMap<readonly DiffFile[], ReadonlyMap<string, DiffFile>>();

/**
 * Returns the file of a path. The files are indexed once, because this is called for every comment and a diff
 * may have thousands of files.
 */
export function fileAt(files: readonly DiffFile[], path: string | undefined): DiffFile | undefined {
  const known = byPath.get(files) ?? new Map(files.toReversed().map((file) => [file.path, file]));
  byPath.set(files, known);
  return known.get(path ?? "");
}

const known = new WeakMap<ParsedPatch, Map<string, CurrentPosition>>();

/** Finds a comment's lines by their text. Returns the stored numbers if the patch or the notebook is not loaded. */
export function currentPosition(comment: ReviewComment): CurrentPosition {
  const { patches, files } = useSession.getState();
  const file = fileAt(files, comment.path);
  if (!file || !comment.place) return { state: file ? "lost" : "elsewhere" };
  const { start, end } = comment.place;
  const patch =
    comment.place.cell !== undefined ? loadedNotebook(file)?.view?.text.patch : patches?.get(file.index);
  if (!patch) return { state: "here", start, end, moved: false };
  const text = useView.getState().texts.get(file.path);
  const memory = known.get(patch) ?? new Map<string, CurrentPosition>();
  known.set(patch, memory);
  const key = `${comment.id} ${start} ${text === undefined}`;
  const found = memory.get(key) ?? find(comment, patch, text);
  memory.set(key, found);
  return found;
}

function find(comment: ReviewComment, patch: ParsedPatch, text: string | undefined): CurrentPosition {
  const anchor = comment.place;
  if (!anchor) return { state: "lost" };
  const here = relocate(anchor, patch);
  if (here) return { state: "here", ...here, moved: here.start !== anchor.start };
  if (text === undefined || anchor.cell !== undefined) return { state: "lost" };
  const start = lineBetweenHunks(text.split("\n"), anchor, patch);
  if (start === undefined) return { state: "lost" };
  return { state: "context", start, end: start + anchor.lines.length - 1, moved: start !== anchor.start };
}

/**
 * Returns the line number, on the anchor's side, of the nearest position outside of the hunks at which all
 * lines of the anchor match.
 */
function lineBetweenHunks(
  text: readonly string[],
  anchor: LineAnchor,
  patch: ParsedPatch,
): number | undefined {
  const { side, lines, start } = anchor;
  let best: number | undefined;
  for (let at = 0; at + lines.length <= text.length; at++) {
    if (!lines.every((line, index) => text[at + index]?.replace(/\r$/, "") === line)) continue;
    if (findLine(patch, "new", at + 1) >= 0) continue;
    const number = side === "new" ? at + 1 : at + 1 - shiftAt(patch, "new", at + 1);
    if (best === undefined || Math.abs(number - start) < Math.abs(best - start)) best = number;
  }
  return best;
}

/**
 * Returns the widget of a comment; undefined if the diff does not have the comment's file. Comments at the same line
 * share a widget. The widget's key ends in the line number, which is 0 for the top of the file.
 */
export function widgetFor(comment: ReviewComment): Widget | undefined {
  if (comment.path === undefined) return undefined;
  const position = currentPosition(comment);
  if (position.state === "elsewhere") return undefined;
  const side = comment.place?.side ?? "new";
  const line = position.state === "lost" ? 0 : position.end;
  return {
    key: `${comment.path}:${line === 0 ? "new" : side}:${line}`,
    side: line === 0 ? "new" : side,
    line,
  };
}

/** Creates an anchor for selected lines, from the patch or the whole file. */
export function describeLines(range: LineRange, patch: ParsedPatch) {
  const text = useView.getState().texts.get(range.path)?.split("\n");
  return anchorLines(range.side, getStart(range), getLastLine(range), (number) => {
    const line = findLine(patch, range.side, number);
    if (line >= 0) return lineText(patch, line);
    // Between the hunks, both sides have the same text.
    const shift = range.side === "new" ? 0 : shiftAt(patch, "old", number);
    return text?.[number + shift - 1]?.replace(/\r$/, "");
  });
}

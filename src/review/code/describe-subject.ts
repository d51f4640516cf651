import { AppError } from "../../errors.ts";
import {
  LINE_ADDED,
  LINE_REMOVED,
  lineNumber,
  lineText,
  type ParsedPatch,
} from "../../render/diff/patch/parsed-patch.ts";
import { scanPatch } from "../../render/diff/patch/scan-patch.ts";
import { fenced } from "../../render/markdown/fences.ts";
import type { AskSubject } from "../ask/compose-prompt.ts";
import type { DiffSession } from "../diff-session.ts";
import { findFile, readPatch } from "../git/file-text.ts";
import type { Snapshot } from "../git/snapshot.ts";
import type { SentAnchor } from "../live/thread-bodies.ts";

/** Lines of context before and after the selected lines, within their hunk, or within the file if no hunk has them. */
const AROUND = 60;
/** Maximum bytes of a patch that is read for a question. */
const MAX_PATCH = 4 * 1024 * 1024;

/**
 * Describes the subject of a question about a diff: the lines with their context, the file's patch, or the list of
 * files.
 */
export async function describeSubject(diffs: DiffSession, anchor: SentAnchor): Promise<AskSubject> {
  const diff = await diffs.current();
  try {
    const { snapshot, sides } = diff;
    if (anchor.kind === "plan")
      throw new AppError("validation", 'anchor: a diff has no anchors of the kind "plan"');
    if (anchor.kind === "review") return { title: "The files of the change", text: listFiles(snapshot) };
    const side = anchor.kind === "lines" ? anchor.side : "new";
    const file = findFile(snapshot, anchor.path, side);
    const patch =
      file && file.patchSize <= MAX_PATCH
        ? scanPatch((await readPatch(snapshot, file)).toString())
        : undefined;
    if (anchor.kind === "file") {
      const text = patch ? hunkLines(patch, 0, patch.lineCount).join("\n") : "";
      return { title: `The change of ${anchor.path}`, text: fenced(text, "diff") };
    }
    const { path, lineStart, lineEnd } = anchor;
    const title = `${path}, ${side} side, ${lineStart === lineEnd ? `line ${lineStart}` : `lines ${lineStart}–${lineEnd}`}`;
    const hunk = patch && linesAround(patch, side, lineStart, lineEnd);
    if (hunk) return { title, text: fenced(hunk.join("\n"), "diff") };
    const lines = (await sides.read(path, side)).toString().split(/\r?\n/);
    const first = Math.max(0, lineStart - 1 - AROUND);
    const shown = lines.slice(first, lineEnd + AROUND).map((line, index) => `${first + index + 1} ${line}`);
    return { title, text: fenced(shown.join("\n"), "") };
  } finally {
    diff.release();
  }
}

function listFiles({ files }: Snapshot): string {
  return files
    .map(({ status, path, additions, deletions }) => `- ${path} (${status}, +${additions} −${deletions})`)
    .join("\n");
}

/**
 * Returns the lines of a range, with their numbers and up to `AROUND` lines before and after, from the first hunk that
 * contains part of the range; undefined if no hunk does.
 */
function linesAround(
  patch: ParsedPatch,
  side: "old" | "new",
  lineStart: number,
  lineEnd: number,
): readonly string[] | undefined {
  const isIn = (line: number) => {
    const number = lineNumber(patch, line, side);
    return number >= lineStart && number <= lineEnd;
  };
  for (const { first, end } of patch.hunks) {
    let [from, to] = [-1, -1];
    for (let line = first; line < end; line++) {
      if (!isIn(line)) continue;
      if (from < 0) from = line;
      to = line;
    }
    if (from >= 0) return hunkLines(patch, Math.max(first, from - AROUND), Math.min(end, to + 1 + AROUND));
  }
  return undefined;
}

function hunkLines(patch: ParsedPatch, from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, step) => {
    const line = from + step;
    const kind = patch.kind[line];
    const marker = kind === LINE_ADDED ? "+" : kind === LINE_REMOVED ? "-" : " ";
    const number = lineNumber(patch, line, kind === LINE_REMOVED ? "old" : "new");
    return `${marker}${String(number).padStart(5)} ${lineText(patch, line)}`;
  });
}

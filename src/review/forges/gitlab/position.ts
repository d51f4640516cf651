import { createHash } from "node:crypto";
import {
  findLine,
  LINE_ADDED,
  LINE_REMOVED,
  type ParsedPatch,
} from "../../../render/diff/patch/parsed-patch.ts";
import { scanPatch } from "../../../render/diff/patch/scan-patch.ts";
import type { ChangedFile, OutgoingText } from "../forge.ts";
import type { MergeRequest } from "./read-merge-request.ts";

type Comment = Extract<OutgoingText, { kind: "comment" }>;

/**
 * Returns the position of a comment as GitLab expects it: an added line by its new number, a removed one by its old
 * number, and an unchanged one by both (https://docs.gitlab.com/api/discussions/).
 */
export function gitlabPosition(comment: Comment, file: ChangedFile, pull: MergeRequest): object {
  const patch = scanPatch(file.patch);
  const last = findLine(patch, comment.side, comment.lineEnd);
  const range =
    comment.lineStart < comment.lineEnd
      ? {
          line_range: {
            start: rangeEnd(patch, findLine(patch, comment.side, comment.lineStart), file.path),
            end: rangeEnd(patch, last, file.path),
          },
        }
      : {};
  return { ...shas(pull), position_type: "text", ...paths(file), ...numbers(patch, last), ...range };
}

/** Returns the position of a comment on a whole file. */
export function gitlabFilePosition(file: ChangedFile, pull: MergeRequest): object {
  return { ...shas(pull), position_type: "file", ...paths(file) };
}

function shas({ base, head, startSha }: MergeRequest) {
  return { base_sha: base.sha, start_sha: startSha, head_sha: head.sha };
}

function paths({ path, oldPath }: ChangedFile) {
  return { old_path: oldPath, new_path: path };
}

function numbers(patch: ParsedPatch, line: number) {
  const kind = patch.kind[line];
  return {
    ...(kind === LINE_ADDED ? {} : { old_line: patch.oldLine[line] }),
    ...(kind === LINE_REMOVED ? {} : { new_line: patch.newLine[line] }),
  };
}

/** Returns one end of a range of lines. A line code contains the old and the new number of the line. */
function rangeEnd(patch: ParsedPatch, line: number, path: string) {
  const kind = patch.kind[line];
  const [oldLine, newLine] = bothNumbers(patch, line);
  const hash = createHash("sha1").update(path).digest("hex");
  const type = kind === LINE_ADDED ? "new" : kind === LINE_REMOVED ? "old" : null;
  return { line_code: `${hash}_${oldLine}_${newLine}`, type, ...numbers(patch, line) };
}

/** Returns the old and the new number of a line; for a side without the line, the number of that side's next line. */
function bothNumbers(patch: ParsedPatch, line: number): readonly [number, number] {
  const hunk = patch.hunks.find(({ first, end }) => first <= line && line < end);
  let [oldLine, newLine] = [hunk?.oldStart ?? 1, hunk?.newStart ?? 1];
  for (let at = hunk?.first ?? line; at < line; at += 1) {
    if (patch.kind[at] !== LINE_ADDED) oldLine += 1;
    if (patch.kind[at] !== LINE_REMOVED) newLine += 1;
  }
  return [oldLine, newLine];
}

import { applyPatch } from "../git/apply-patch.ts";

const LINE_FEED = 0x0a;
const PLUS = 0x2b;
const MINUS = 0x2d;
const SPACE = 0x20;
const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Both complete sides of a file. */
export interface CompleteSides {
  readonly old: Buffer;
  readonly new: Buffer;
}

/**
 * Returns both sides of a file from one of them and its patch, or undefined if the patch does not belong to that text:
 * every line of its hunks must be at the position that the patch names.
 */
export function completeSides(patch: Buffer, side: "old" | "new", text: Buffer): CompleteSides | undefined {
  if (!fits(patch, side, text)) return undefined;
  return side === "old"
    ? { old: text, new: applyPatch(text, patch) }
    : { old: applyPatch(text, reversed(patch)), new: text };
}

function fits(patch: Buffer, side: "old" | "new", text: Buffer): boolean {
  const lines = splitLines(text);
  const changed = side === "old" ? MINUS : PLUS;
  let at = 0;
  let inHunk = false;
  for (const line of splitLines(patch)) {
    const hunk = HUNK.exec(line.subarray(0, 80).toString("latin1"));
    if (hunk) {
      inHunk = true;
      const [start, count] = side === "old" ? [hunk[1], hunk[2]] : [hunk[3], hunk[4]];
      // A hunk without lines on this side has the number of the line before it.
      at = count === "0" ? Number(start) : Number(start) - 1;
    } else if (inHunk && (line[0] === SPACE || line[0] === changed)) {
      const known = lines[at];
      if (!known || !withoutEnd(known).equals(withoutEnd(line.subarray(1)))) return false;
      at += 1;
    }
  }
  return true;
}

/** Swaps the sides of a patch. Within a change, removed lines come first. */
function reversed(patch: Buffer): Buffer {
  const output: Buffer[] = [];
  let removed: Buffer[] = [];
  let added: Buffer[] = [];
  let last = removed;
  let inHunk = false;
  const flush = () => {
    // A change can have more lines than a call accepts arguments.
    for (const line of removed) output.push(line);
    for (const line of added) output.push(line);
    removed = [];
    added = [];
  };
  for (const line of splitLines(patch)) {
    const text = line.subarray(0, 80).toString("latin1");
    const hunk = HUNK.exec(text);
    if (hunk) {
      flush();
      inHunk = true;
      const [, oldStart, oldCount = "1", newStart, newCount = "1"] = hunk;
      output.push(Buffer.from(`@@ -${newStart},${newCount} +${oldStart},${oldCount} @@\n`));
      last = output;
    } else if (inHunk && line[0] === PLUS) {
      removed.push(signed("-", line));
      last = removed;
    } else if (inHunk && line[0] === MINUS) {
      added.push(signed("+", line));
      last = added;
    } else if (inHunk && line[0] === SPACE) {
      flush();
      output.push(line);
      last = output;
    } else if (inHunk) last.push(line);
  }
  flush();
  return Buffer.concat(output);
}

function signed(sign: string, line: Buffer): Buffer {
  return Buffer.concat([Buffer.from(sign), line.subarray(1)]);
}

function withoutEnd(line: Buffer): Buffer {
  return line.at(-1) === LINE_FEED ? line.subarray(0, -1) : line;
}

function splitLines(text: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf(LINE_FEED, at);
    const end = newline < 0 ? text.length : newline + 1;
    lines.push(text.subarray(at, end));
    at = end;
  }
  return lines;
}

import { type Hunk, LINE_ADDED, LINE_CONTEXT, LINE_REMOVED, type ParsedPatch } from "./parsed-patch.ts";

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;
interface Scan {
  readonly text: string;
  readonly kind: Uint8Array;
  readonly start: Uint32Array;
  readonly end: Uint32Array;
  readonly oldLine: Uint32Array;
  readonly newLine: Uint32Array;
  readonly partner: Int32Array;
  readonly withoutNewline: Set<number>;
  readonly hunks: Hunk[];
  count: number;
  /** Offset of the next unread character. */
  at: number;
}

/** Parses one file's patch. Never throws; sets `broken` if the patch cannot be parsed. */
export function scanPatch(text: string): ParsedPatch {
  const capacity = countLines(text);
  const scan: Scan = {
    text,
    kind: new Uint8Array(capacity),
    start: new Uint32Array(capacity),
    end: new Uint32Array(capacity),
    oldLine: new Uint32Array(capacity),
    newLine: new Uint32Array(capacity),
    partner: new Int32Array(capacity).fill(-1),
    withoutNewline: new Set(),
    hunks: [],
    count: 0,
    at: 0,
  };
  let broken = false;
  while (!broken) {
    const header = nextHunkHeader(scan);
    if (header === undefined) break;
    broken = !scanHunk(scan, header);
  }
  const { at: _at, count, ...arrays } = scan;
  return { ...arrays, lineCount: count, broken: broken || /^@@@/m.test(text.slice(0, 4_096)) };
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Skips to the line after the next hunk header. Returns the header's match, or undefined at the end. */
function nextHunkHeader(scan: Scan): RegExpExecArray | undefined {
  while (scan.at < scan.text.length) {
    const end = findLineEnd(scan, scan.at);
    const from = scan.at;
    scan.at = end + 1;
    if (!scan.text.startsWith("@@ ", from)) continue;
    const match = HUNK.exec(scan.text.slice(from, end));
    if (match) return match;
  }
  return undefined;
}

function findLineEnd(scan: Scan, from: number): number {
  const end = scan.text.indexOf("\n", from);
  return end < 0 ? scan.text.length : end;
}

/**
 * Reads the lines that a header announces. Returns false if a line begins with an unknown marker, or if the lines do
 * not match the counts of the header.
 */
function scanHunk(scan: Scan, header: RegExpExecArray): boolean {
  const oldCount = Number(header[2] ?? 1);
  const newCount = Number(header[4] ?? 1);
  // For a side without lines, git gives the number of the line before it.
  const oldStart = Number(header[1]) + (oldCount === 0 ? 1 : 0);
  const newStart = Number(header[3]) + (newCount === 0 ? 1 : 0);
  const first = scan.count;
  let oldLeft = oldCount;
  let newLeft = newCount;
  while (scan.at < scan.text.length && (oldLeft > 0 || newLeft > 0 || scan.text[scan.at] === "\\")) {
    const end = findLineEnd(scan, scan.at);
    const marker = end === scan.at ? " " : scan.text[scan.at];
    if (marker === "\\") {
      scan.withoutNewline.add(scan.count - 1);
    } else {
      const kind = parseLineKind(marker);
      if (kind === undefined) return false;
      scan.oldLine[scan.count] = kind === LINE_ADDED ? 0 : oldStart + oldCount - oldLeft;
      scan.newLine[scan.count] = kind === LINE_REMOVED ? 0 : newStart + newCount - newLeft;
      if (kind !== LINE_ADDED) oldLeft--;
      if (kind !== LINE_REMOVED) newLeft--;
      scan.kind[scan.count] = kind;
      scan.start[scan.count] = Math.min(scan.at + 1, end);
      scan.end[scan.count] = end;
      scan.count++;
    }
    scan.at = end + 1;
  }
  scan.hunks.push({
    first,
    end: scan.count,
    oldStart,
    oldCount,
    newStart,
    newCount,
    heading: header[5] ?? "",
  });
  pairChanges(scan, first);
  return oldLeft === 0 && newLeft === 0;
}

function parseLineKind(marker: string | undefined): number | undefined {
  if (marker === " ") return LINE_CONTEXT;
  if (marker === "+") return LINE_ADDED;
  return marker === "-" ? LINE_REMOVED : undefined;
}

/** Pairs removed lines with the added lines that follow them: the first with the first, and so on. */
function pairChanges(scan: Scan, first: number): void {
  let line = first;
  while (line < scan.count) {
    const removed = line;
    while (line < scan.count && scan.kind[line] === LINE_REMOVED) line++;
    const added = line;
    while (line < scan.count && scan.kind[line] === LINE_ADDED) line++;
    const pairs = Math.min(added - removed, line - added);
    for (let pair = 0; pair < pairs; pair++) {
      scan.partner[removed + pair] = added + pair;
      scan.partner[added + pair] = removed + pair;
    }
    if (line === removed) line++;
  }
}

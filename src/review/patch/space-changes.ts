/** Matches the start lines in a hunk header and the text after its second `@@`. */
const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/;

/**
 * Returns a file's patch without changes that are only whitespace, as `git diff --ignore-all-space` leaves them out:
 * such lines at the start and end of a change become context, and a hunk without another change is removed. Works on
 * latin1 text, one character for each byte.
 */
export function withoutSpaceChanges(patch: Buffer): Buffer {
  const lines = patch.toString("latin1").split("\n");
  const first = lines.findIndex((line) => line.startsWith("@@ "));
  if (first < 0) return patch;
  const header = lines.slice(0, first);
  const hunks = hunksIn(lines.slice(first, -1)).flatMap((hunk) => withoutSpace(hunk));
  const names = hunks.length === 0 ? header.filter((line) => !/^(--- |\+\+\+ )/.test(line)) : header;
  return Buffer.from([...names, ...hunks, ""].join("\n"), "latin1");
}

function hunksIn(lines: readonly string[]): string[][] {
  const hunks: string[][] = [];
  for (const line of lines) {
    if (line.startsWith("@@ ")) hunks.push([line]);
    else hunks.at(-1)?.push(line);
  }
  return hunks;
}

/** Returns the lines of a hunk with whitespace changes as context; none if the hunk has no other changes. */
function withoutSpace([header = "", ...lines]: readonly string[]): string[] {
  const body: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const removed = run(lines, at, "-");
    const added = run(lines, at + removed.length, "+");
    const length = removed.length + added.length;
    if (length === 0) body.push(lines[at] ?? "");
    // A change can have more lines than a call accepts arguments.
    else for (const line of withoutEqual(removed, added)) body.push(line);
    at += Math.max(1, length);
  }
  if (!body.some((line) => /^[-+]/.test(line))) return [];
  const [, oldStart, newStart, heading = ""] = HUNK.exec(header) ?? [];
  const count = (sign: string) => body.filter((line) => line.startsWith(" ") || line.startsWith(sign)).length;
  return [`@@ -${oldStart},${count("-")} +${newStart},${count("+")} @@${heading}`, ...body];
}

/** Returns consecutive lines with a sign, and the markers of missing newlines after them. */
function run(lines: readonly string[], start: number, sign: string): string[] {
  let end = start;
  while (lines[end]?.startsWith(sign) || (end > start && lines[end]?.startsWith("\\"))) end += 1;
  return lines.slice(start, end);
}

/** Replaces equal lines at both ends of a change by context. */
function withoutEqual(removed: readonly string[], added: readonly string[]): string[] {
  const isEqual = (one = "", other = "") =>
    !one.startsWith("\\") && !other.startsWith("\\") && bare(one) === bare(other);
  const shared = Math.min(removed.length, added.length);
  let head = 0;
  while (head < shared && isEqual(removed[head], added[head])) head += 1;
  let tail = 0;
  while (tail < shared - head && isEqual(removed.at(-1 - tail), added.at(-1 - tail))) tail += 1;
  const context = (line: string) => ` ${line.slice(1)}`;
  return [
    ...added.slice(0, head).map(context),
    ...removed.slice(head, removed.length - tail),
    ...added.slice(head, added.length - tail),
    ...added.slice(added.length - tail).map(context),
  ];
}

function bare(line: string): string {
  return line.slice(1).replace(/[ \t\r\v\f]/g, "");
}

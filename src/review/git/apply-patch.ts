const LINE_FEED = 0x0a;
const PLUS = 0x2b;
const MINUS = 0x2d;
const BACKSLASH = 0x5c;
const HUNK = /^@@ -(\d+)(?:,(\d+))? \+/;

/**
 * Returns the new text of a file, computed from its old text and its patch, byte for byte. Text and patch
 * must be as git wrote them, and the patch must belong to the old text: hunks are applied at the lines they
 * name, without a search.
 */
export function applyPatch(old: Buffer, patch: Buffer): Buffer {
  const pieces: Buffer[] = [];
  /** Bytes of the old text that are already applied. */
  let done = 0;
  let oldLine = 1;
  let inHunk = false;
  const takeOldLine = () => {
    const end = lineEnd(old, done);
    const line = old.subarray(done, end);
    done = end;
    oldLine += 1;
    return line;
  };
  for (let at = 0; at < patch.length; ) {
    const end = lineEnd(patch, at);
    const line = patch.subarray(at, end);
    at = end;
    const hunk = line[0] === 0x40 ? HUNK.exec(line.subarray(0, 80).toString("latin1")) : null;
    if (hunk) {
      inHunk = true;
      // A hunk without old lines names the line before it.
      const first = Number(hunk[1]) + (hunk[2] === "0" ? 1 : 0);
      while (oldLine < first) pieces.push(takeOldLine());
    } else if (!inHunk) continue;
    else if (line[0] === PLUS) pieces.push(line.subarray(1));
    else if (line[0] === MINUS) takeOldLine();
    else if (line[0] === BACKSLASH) endWithoutNewline(pieces, patch, at - line.length);
    else pieces.push(takeOldLine());
  }
  pieces.push(old.subarray(done));
  return Buffer.concat(pieces);
}

/** Removes the newline of an added line if the marker `\ No newline at end of file` follows it. */
function endWithoutNewline(pieces: Buffer[], patch: Buffer, noteAt: number): void {
  const lineAt = patch.lastIndexOf(LINE_FEED, noteAt - 2) + 1;
  const last = pieces.at(-1);
  if (patch[lineAt] === PLUS && last) pieces[pieces.length - 1] = last.subarray(0, -1);
}

function lineEnd(text: Buffer, start: number): number {
  const newline = text.indexOf(LINE_FEED, start);
  return newline === -1 ? text.length : newline + 1;
}

import { createHash, type Hash } from "node:crypto";

/** One file's part of a patch: its position, and its properties without its text. */
export interface PatchSection {
  /** Offset in bytes from the start of the patch. */
  readonly offset: number;
  readonly length: number;
  /** The lines before the first hunk, as git wrote them. */
  readonly header: Buffer;
  readonly additions: number;
  readonly deletions: number;
  /** Hash of the added and removed lines with their signs; hash of the header if there are none. */
  readonly fingerprint: string;
}

export interface PatchSplitter {
  write(chunk: Buffer): void;
  /** Returns the sections in order; together they cover the whole patch. */
  end(): PatchSection[];
}

const LINE_FEED = 0x0a;
const PLUS = 0x2b;
const MINUS = 0x2d;
const SPACE = 0x20;
const BACKSLASH = 0x5c;
const EMPTY = Buffer.alloc(0);

/**
 * Splits the output of `git diff` into sections as it streams. Works on bytes because files can have different
 * encodings, and retains only the headers. A section begins at a line that starts with `diff --git ` or
 * `* Unmerged path `; lines of content start with a space, plus, minus or backslash.
 */
export function createPatchSplitter(): PatchSplitter {
  return new Splitter();
}

class Splitter implements PatchSplitter {
  private readonly sections: PatchSection[] = [];
  private open: OpenSection | undefined;
  private offset = 0;
  /** The start of a line that the last chunk cut off before its kind was known. */
  private carry: Buffer = EMPTY;
  /** Set if the next chunk begins in the middle of a line of content. */
  private cutLine: "changed" | "context" | undefined;

  write(chunk: Buffer): void {
    const data = this.carry.length > 0 ? Buffer.concat([this.carry, chunk]) : chunk;
    const done = this.scan(data);
    this.open?.flush(data);
    this.offset += done;
    this.carry = done === data.length ? EMPTY : Buffer.from(data.subarray(done));
  }

  end(): PatchSection[] {
    if (this.carry.length > 0) this.headerLine(this.carry, 0, this.carry.length);
    if (this.open) this.sections.push(this.open.end(this.offset + this.carry.length));
    return this.sections;
  }

  /** Consumes whole lines, and partial lines of content. Returns the number of bytes consumed. */
  private scan(data: Buffer): number {
    let position = 0;
    while (position < data.length) {
      const newline = data.indexOf(LINE_FEED, position);
      const next = newline === -1 ? data.length : newline + 1;
      const kind = this.cutLine ?? (this.open?.inHunk ? contentKind(data[position]) : undefined);
      if (kind === undefined) {
        if (newline === -1) return position;
        this.headerLine(data, position, next);
      } else {
        if (kind === "changed") this.open?.addChanged(data, position, next, this.cutLine === undefined);
        this.cutLine = newline === -1 ? kind : undefined;
      }
      position = next;
    }
    return position;
  }

  private headerLine(data: Buffer, start: number, end: number): void {
    const line = data.subarray(start, end);
    if (!this.open || startsWith(line, FILE_START) || startsWith(line, CONFLICT_NOTE)) {
      this.open?.flush(data);
      if (this.open) this.sections.push(this.open.end(this.offset + start));
      this.open = new OpenSection(this.offset + start);
    }
    this.open.addHeaderLine(line);
  }
}

const FILE_START = Buffer.from("diff --git ");
const HUNK_START = Buffer.from("@@ ");
/** The start of a line that git prints before a file's diff or instead of it. */
const CONFLICT_NOTE = Buffer.from("* Unmerged path ");

function startsWith(line: Buffer, start: Buffer): boolean {
  return line.subarray(0, start.length).equals(start);
}

function contentKind(byte: number | undefined): "changed" | "context" | undefined {
  if (byte === PLUS || byte === MINUS) return "changed";
  return byte === SPACE || byte === BACKSLASH ? "context" : undefined;
}

class OpenSection {
  inHunk = false;
  private readonly headerLines: Buffer[] = [];
  private readonly hash: Hash = createHash("sha256");
  private additions = 0;
  private deletions = 0;
  /**
   * Bounds of consecutive changed lines that have not been hashed yet. Hashing each line separately would be slow.
   */
  private runStart = 0;
  private runEnd = 0;
  private readonly offset: number;

  constructor(offset: number) {
    this.offset = offset;
  }

  addHeaderLine(line: Buffer): void {
    if (startsWith(line, HUNK_START)) this.inHunk = true;
    else if (!this.inHunk) this.headerLines.push(Buffer.from(line));
  }

  addChanged(data: Buffer, start: number, end: number, whole: boolean): void {
    if (whole && data[start] === PLUS) this.additions += 1;
    else if (whole) this.deletions += 1;
    if (this.runEnd !== start) {
      this.flush(data);
      this.runStart = start;
    }
    this.runEnd = end;
  }

  /** Hashes the pending lines. Call it before `data` is discarded. */
  flush(data: Buffer): void {
    if (this.runEnd > this.runStart) this.hash.update(data.subarray(this.runStart, this.runEnd));
    this.runStart = 0;
    this.runEnd = 0;
  }

  end(at: number): PatchSection {
    const header = Buffer.concat(this.headerLines);
    if (this.additions + this.deletions === 0) this.hash.update(header);
    return {
      offset: this.offset,
      length: at - this.offset,
      header,
      additions: this.additions,
      deletions: this.deletions,
      fingerprint: this.hash.digest("hex").slice(0, 32),
    };
  }
}

/** The byte range of the value of the field `model` in a form; `end` is exclusive. */
export interface ModelRange {
  readonly start: number;
  readonly end: number;
}

const NAMES_MODEL = /^content-disposition:.*[;\s]name="?model"?(?:[;\s]|$)/im;
/** Matches the boundary in a multipart content type: quoted in the first group, else in the second. */
export const BOUNDARY = /\bboundary=(?:"([^"]+)"|([^\s;,]+))/i;
/** Maximum bytes that are searched for the end of a part's headers or of the model's name. */
const LONGEST = 16 * 1024;

/**
 * Creates a function that finds the field `model` in a form (RFC 7578; RFC 2046, section 5.1). Call it with each chunk
 * until it returns the field's range. The content of other fields is not searched, because a file can contain text that
 * looks like a form. Returns undefined if the content type has no boundary.
 */
export function createModelFinder(
  contentType: string,
): ((piece: Buffer) => ModelRange | undefined) | undefined {
  const named = BOUNDARY.exec(contentType);
  const boundary = named?.[1] ?? named?.[2];
  if (boundary === undefined) return undefined;
  const finder = new ModelFinder(Buffer.from(`\r\n--${boundary}`));
  return (piece) => finder.push(piece);
}

class ModelFinder {
  private readonly delimiter: Buffer;
  private state: "content" | "headers" | "model" | "lost" = "content";
  /** Initially a line ending, because the delimiter begins with one but the first boundary of a form follows none. */
  private unread: Buffer = Buffer.from("\r\n");
  /** The position of the unread bytes in the form. */
  private offset = -2;

  constructor(delimiter: Buffer) {
    this.delimiter = delimiter;
  }

  push(piece: Buffer): ModelRange | undefined {
    if (this.state === "lost") return undefined;
    this.unread = Buffer.concat([this.unread, piece]);
    for (let end = this.findStateEnd(); end >= 0; end = this.findStateEnd()) {
      if (this.state === "model") return { start: this.offset, end: this.offset + end };
      this.leaveState(end);
    }
    if (this.state === "content") this.read(Math.max(0, this.unread.length - this.delimiter.length));
    else if (this.unread.length > LONGEST) this.state = "lost";
    return undefined;
  }

  private findStateEnd(): number {
    return this.unread.indexOf(this.state === "headers" ? "\r\n\r\n" : this.delimiter);
  }

  private leaveState(end: number): void {
    if (this.state === "content") {
      this.state = "headers";
      this.read(end + this.delimiter.length);
      return;
    }
    const isModel = NAMES_MODEL.test(this.unread.toString("latin1", 0, end));
    this.state = isModel ? "model" : "content";
    // In a part without content, the line ending after its headers belongs to the boundary.
    this.read(isModel ? end + 4 : end + 2);
  }

  private read(bytes: number): void {
    this.offset += bytes;
    this.unread = this.unread.subarray(bytes);
  }
}

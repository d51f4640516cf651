import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { decodeBody, parseContentCoding } from "../body/content-coding.ts";

/** Minimum number of bytes that are kept from the end of a long response; at most twice as many are kept. */
const TAIL = 16 * 1024;
/** Maximum size of a decompressed response, in bytes. */
const MAX_DECODED = 16 * 1024 * 1024;

/** Bytes that are kept beyond `capture_max`, so that no secret is cut before it is redacted. */
export const CAPTURE_MARGIN = 4_096;

/** The kept text of a response. */
export interface TappedText {
  /** The beginning of the text, or all of it if `isWhole`. */
  readonly head: string;
  /** The end of the text; empty if `head` contains all of it. */
  readonly tail: string;
  readonly isWhole: boolean;
  /** Bytes of the whole response. */
  readonly size: number;
}

/** Keeps the first and the last bytes of a response to a client. A response is tapped only if its text is needed. */
export class ResponseTap {
  private readonly limit: number;
  private readonly head: Buffer[] = [];
  private headSize = 0;
  private tail: Buffer[] = [];
  private tailSize = 0;
  private size = 0;
  private coding: string | undefined;

  /** `limit` is the number of bytes that are kept from the beginning. */
  constructor(response: ServerResponse, limit: number) {
    this.limit = limit;
    this.attach(response);
  }

  /** Returns the kept bytes, decompressed. A compressed response that was not kept whole has no text. */
  async text(): Promise<TappedText> {
    const { size } = this;
    const bytes = Buffer.concat(this.head);
    const isWhole = this.headSize === size;
    if (this.coding === undefined) {
      const tail = isWhole ? "" : Buffer.concat(this.tail).toString("utf8");
      return { head: bytes.toString("utf8"), tail, isWhole, size };
    }
    const decoded = isWhole
      ? await decodeBody(bytes, this.coding, MAX_DECODED).catch(() => undefined)
      : undefined;
    return { head: decoded?.toString("utf8") ?? "", tail: "", isWhole: decoded !== undefined, size };
  }

  private attach(response: ServerResponse): void {
    const { write, end, writeHead } = response;
    const push = (chunk: unknown, encoding: unknown) => this.push(chunk, encoding);
    const setCoding = (headers: unknown) => {
      this.coding = parseContentCoding(findEncoding(headers));
    };
    function writeTappedHead(this: ServerResponse, ...given: unknown[]) {
      setCoding(given.at(-1));
      return Reflect.apply(writeHead, this, given);
    }
    function writeTapped(this: ServerResponse, ...given: unknown[]) {
      push(given[0], given[1]);
      return Reflect.apply(write, this, given);
    }
    function endTapped(this: ServerResponse, ...given: unknown[]) {
      push(given[0], given[1]);
      return Reflect.apply(end, this, given);
    }
    Object.assign(response, { writeHead: writeTappedHead, write: writeTapped, end: endTapped });
  }

  private push(chunk: unknown, encoding: unknown): void {
    const bytes =
      typeof chunk === "string"
        ? Buffer.from(chunk, encoding === "latin1" ? "latin1" : "utf8")
        : Buffer.isBuffer(chunk)
          ? chunk
          : undefined;
    if (bytes === undefined || bytes.length === 0) return;
    this.size += bytes.length;
    const kept = bytes.subarray(0, Math.max(0, this.limit - this.headSize));
    if (kept.length > 0) this.head.push(kept);
    this.headSize += kept.length;
    const rest = bytes.subarray(kept.length);
    if (rest.length === 0) return;
    this.tail.push(rest);
    this.tailSize += rest.length;
    if (this.tailSize <= 2 * TAIL) return;
    this.tail = [Buffer.concat(this.tail).subarray(-TAIL)];
    this.tailSize = TAIL;
  }
}

/** Returns `content-encoding` of a flat list or an object of headers. */
function findEncoding(headers: unknown): string | undefined {
  if (Array.isArray(headers)) {
    const at = headers.findIndex(
      (name, index) => index % 2 === 0 && /^content-encoding$/i.test(String(name)),
    );
    return at < 0 ? undefined : String(headers[at + 1]);
  }
  return typeof headers === "object" && headers !== null
    ? (headers as OutgoingHttpHeaders)["content-encoding"]?.toString()
    : undefined;
}

import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { AppError } from "../../errors.ts";
import { createModelFinder, type ModelRange } from "./model-finder.ts";
import { createMemoryLimitError, tooLarge } from "./read-body.ts";

/** The limits of an upload. */
export interface UploadBounds {
  /** Maximum size in bytes. */
  readonly limit: number;
  /** Reserves memory for a chunk to keep; returns false if there is not enough. */
  readonly hold: (bytes: number, why: KeptFor) => boolean;
}

/** The reason to keep chunks: the call itself needs them, or another attempt may send them again. */
export type KeptFor = "use" | "another-try";

/** A body that is streamed to the upstream, and its length in bytes if the client announced it. */
export interface SentUpload {
  readonly stream: Readable;
  readonly length: number | undefined;
}

/** The beginning of an upload. `length` is the size of the whole upload in bytes; undefined if it is not known yet. */
export interface ReceivedUpload {
  readonly bytes: Buffer;
  readonly length: number | undefined;
}

/**
 * Reads a form up to its field `model`, so that files after this field can be streamed. Reads the whole form if it has
 * no such field, and nothing if the content type has no boundary. Throws `too_large` if the form exceeds the limit,
 * `overloaded` if there is no memory for the bytes up to the field, and `client_gone` if the client disconnects.
 */
export async function beginUpload(request: IncomingMessage, bounds: UploadBounds): Promise<Upload> {
  const contentLength = request.headers["content-length"];
  if (Number(contentLength ?? 0) > bounds.limit) throw tooLarge(bounds.limit);
  const upload = new Upload(request, contentLength === undefined ? undefined : Number(contentLength), bounds);
  await upload.readToModel(request.headers["content-type"] ?? "");
  return upload;
}

/**
 * A multipart body that can be streamed to the upstream. Chunks are kept as long as there is memory for them, so that
 * the body can be sent again if an attempt fails. Chunks that arrive after a `send` without `isKept` are not kept.
 * Reading throws `too_large` if the form exceeds the limit, and `client_gone` if the client disconnects.
 */
export class Upload {
  private readonly rest: AsyncIterator<Buffer>;
  private readonly contentLength: number | undefined;
  private readonly bounds: UploadBounds;
  /** All chunks so far; undefined once a chunk was not kept. */
  private kept: Buffer[] | undefined = [];
  private size = 0;
  private keptFor: KeptFor | undefined = "use";
  private isBroken = false;
  /** The pending read, which a second attempt shares if the first one ended during it. */
  private next: Promise<Buffer | undefined> | undefined;
  private found: ModelRange | undefined;
  /** The value of the field `model`, if there is one. */
  model: string | undefined;

  constructor(request: IncomingMessage, contentLength: number | undefined, bounds: UploadBounds) {
    this.rest = request[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    this.contentLength = contentLength;
    this.bounds = bounds;
  }

  /** Whether everything received so far can be sent again. */
  get isRepeatable(): boolean {
    return this.kept !== undefined && !this.isBroken;
  }

  /** Reads up to the field `model`. Throws `overloaded` if there is no memory for the bytes before it. */
  async readToModel(contentType: string): Promise<void> {
    const find = createModelFinder(contentType);
    while (find && !this.found) {
      const piece = await this.pull();
      if (piece === undefined) break;
      if (this.kept === undefined) throw createMemoryLimitError();
      this.found = find(piece);
    }
    const peeked = Buffer.concat(this.kept ?? []);
    this.kept = peeked.length === 0 ? [] : [peeked];
    this.model = this.found && peeked.toString("utf8", this.found.start, this.found.end);
  }

  /**
   * Reads on until this many bytes have arrived or the form has ended, and returns the bytes so far. Throws
   * `overloaded` if there is no memory for them.
   */
  async readTo(bytes: number): Promise<ReceivedUpload> {
    let isWhole = false;
    while (this.kept !== undefined && this.size < bytes && !isWhole)
      isWhole = (await this.pull()) === undefined;
    if (this.kept === undefined) throw createMemoryLimitError();
    return { bytes: Buffer.concat(this.kept), length: isWhole ? this.size : this.contentLength };
  }

  /**
   * Returns the body from its beginning, with the model's name replaced if `model` is given. If `isKept` is true,
   * chunks that arrive from now on are kept, so that they can be sent again. Call it only if the upload is repeatable.
   */
  send(model: string | undefined, isKept: boolean): SentUpload {
    this.keptFor = isKept ? "another-try" : undefined;
    const peeked = this.kept?.[0];
    const begin = peeked && this.named(peeked, model);
    const longer = (begin?.length ?? 0) - (peeked?.length ?? 0);
    return {
      stream: Readable.from(this.read(begin), { objectMode: false }),
      length: this.contentLength === undefined ? undefined : this.contentLength + longer,
    };
  }

  /** Returns the whole body. Throws `overloaded` if there is no memory for it. */
  async whole(): Promise<Buffer> {
    this.keptFor = "use";
    if (this.kept === undefined) throw createMemoryLimitError();
    for await (const _ of this.read(undefined)) if (this.kept === undefined) throw createMemoryLimitError();
    return Buffer.concat(this.kept ?? []);
  }

  private named(peeked: Buffer, model: string | undefined): Buffer {
    if (model === undefined || !this.found) return peeked;
    const { start, end } = this.found;
    return Buffer.concat([peeked.subarray(0, start), Buffer.from(model), peeked.subarray(end)]);
  }

  /** Yields all chunks; `begin`, if given, replaces the first one. */
  private async *read(begin: Buffer | undefined): AsyncGenerator<Buffer> {
    for (let index = 0; ; index += 1) {
      const known = index === 0 && begin ? begin : this.kept?.[index];
      const piece = known ?? (await this.pull());
      if (piece === undefined) return;
      yield piece;
    }
  }

  private pull(): Promise<Buffer | undefined> {
    if (this.keptFor === undefined) this.kept = undefined;
    this.next ??= this.take().finally(() => {
      this.next = undefined;
    });
    return this.next;
  }

  private async take(): Promise<Buffer | undefined> {
    const next = await this.rest.next().catch((cause: unknown) => this.break(toDisconnectError(cause)));
    if (next.done) return undefined;
    this.size += next.value.length;
    if (this.size > this.bounds.limit) this.break(tooLarge(this.bounds.limit));
    const why = this.keptFor;
    if (why !== undefined && this.bounds.hold(next.value.length, why)) this.kept?.push(next.value);
    else this.kept = undefined;
    return next.value;
  }

  /** Throws `error` and marks the upload as broken, because another attempt would fail in the same way. */
  private break(error: AppError): never {
    this.isBroken = true;
    throw error;
  }
}

function toDisconnectError(cause: unknown): AppError {
  return new AppError("client_gone", "The client disconnected before its request was complete", { cause });
}

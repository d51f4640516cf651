import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { AppError } from "../../errors.ts";
import { createModelFinder, type ModelRange } from "./model-finder.ts";
import { overfull, tooLarge } from "./read-body.ts";

/** Within what an upload is taken in. */
export interface UploadBounds {
  /** Bytes that it may have in all. */
  readonly limit: number;
  /** Asked for room for every piece that is kept; false where there is none. */
  readonly hold: (bytes: number, why: KeptFor) => boolean;
}

/** Why what comes is kept: nothing can be done without it, or another place may want it. */
export type KeptFor = "use" | "another-try";

/** A body on its way upstream, and its length where the client announced one. */
export interface SentUpload {
  readonly stream: Readable;
  readonly length: number | undefined;
}

/**
 * Reads a form as far as its model: no further than its first bytes where clients put fields before files, whole where
 * they do not. More than the limit break the upload off.
 */
export async function beginUpload(request: IncomingMessage, bounds: UploadBounds): Promise<Upload> {
  const announced = request.headers["content-length"];
  if (Number(announced ?? 0) > bounds.limit) throw tooLarge(bounds.limit);
  const upload = new Upload(request, announced === undefined ? undefined : Number(announced), bounds);
  await upload.readToModel(request.headers["content-type"] ?? "");
  return upload;
}

/**
 * A multipart body that goes on as it comes. What has come of it is kept for as long as there is room, so that it can be
 * sent again, from its beginning, where the place it went to could not serve.
 */
export class Upload {
  private readonly rest: AsyncIterator<Buffer>;
  private readonly announced: number | undefined;
  private readonly bounds: UploadBounds;
  /** Undefined once there was no room for all of it. */
  private kept: Buffer[] | undefined = [];
  private size = 0;
  private keepsFor: KeptFor | undefined = "use";
  private isBroken = false;
  /** The next piece, which one reader waits for and another may find. */
  private next: Promise<Buffer | undefined> | undefined;
  private found: ModelRange | undefined;
  /** The field `model`, if there is one. */
  model: string | undefined;

  constructor(request: IncomingMessage, announced: number | undefined, bounds: UploadBounds) {
    this.rest = request[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    this.announced = announced;
    this.bounds = bounds;
  }

  /** Whether all that has come of it can be sent again. */
  get isRepeatable(): boolean {
    return this.kept !== undefined && !this.isBroken;
  }

  /** Throws `overloaded` where there is no room for what comes before the model. */
  async readToModel(contentType: string): Promise<void> {
    const find = createModelFinder(contentType);
    while (find && !this.found) {
      const piece = await this.pull();
      if (piece === undefined) break;
      if (this.kept === undefined) throw overfull();
      this.found = find(piece);
    }
    const peeked = Buffer.concat(this.kept ?? []);
    this.kept = peeked.length === 0 ? [] : [peeked];
    this.model = this.found && peeked.toString("utf8", this.found.start, this.found.end);
  }

  /**
   * The body from its beginning, with another model's name if one is given. `isKept`: so is what comes from now on, to be
   * sent again. Only for one that is repeatable.
   */
  send(model: string | undefined, isKept: boolean): SentUpload {
    this.keepsFor = isKept ? "another-try" : undefined;
    const peeked = this.kept?.[0];
    const begin = peeked && this.named(peeked, model);
    const longer = (begin?.length ?? 0) - (peeked?.length ?? 0);
    return {
      stream: Readable.from(this.read(begin), { objectMode: false }),
      length: this.announced === undefined ? undefined : this.announced + longer,
    };
  }

  /** All of it. Throws `overloaded` where there is no room. */
  async whole(): Promise<Buffer> {
    this.keepsFor = "use";
    if (this.kept === undefined) throw overfull();
    for await (const _ of this.read(undefined)) if (this.kept === undefined) throw overfull();
    return Buffer.concat(this.kept ?? []);
  }

  private named(peeked: Buffer, model: string | undefined): Buffer {
    if (model === undefined || !this.found) return peeked;
    const { start, end } = this.found;
    return Buffer.concat([peeked.subarray(0, start), Buffer.from(model), peeked.subarray(end)]);
  }

  /** `begin` stands in for the first piece. */
  private async *read(begin: Buffer | undefined): AsyncGenerator<Buffer> {
    for (let index = 0; ; index += 1) {
      const known = index === 0 && begin ? begin : this.kept?.[index];
      const piece = known ?? (await this.pull());
      if (piece === undefined) return;
      yield piece;
    }
  }

  private pull(): Promise<Buffer | undefined> {
    if (this.keepsFor === undefined) this.kept = undefined;
    this.next ??= this.take().finally(() => {
      this.next = undefined;
    });
    return this.next;
  }

  private async take(): Promise<Buffer | undefined> {
    const next = await this.rest.next().catch((cause: unknown) => this.break(gone(cause)));
    if (next.done) return undefined;
    this.size += next.value.length;
    if (this.size > this.bounds.limit) this.break(tooLarge(this.bounds.limit));
    const why = this.keepsFor;
    if (why !== undefined && this.bounds.hold(next.value.length, why)) this.kept?.push(next.value);
    else this.kept = undefined;
    return next.value;
  }

  /** What is missing here is missing wherever it is sent. */
  private break(error: AppError): never {
    this.isBroken = true;
    throw error;
  }
}

/** A client that breaks its upload off. */
function gone(cause: unknown): AppError {
  return new AppError("client_gone", "The client left while it was sending", { cause });
}

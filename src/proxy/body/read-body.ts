import type { IncomingMessage } from "node:http";
import { AppError } from "../../errors.ts";
import type { BodyShare } from "./body-memory.ts";
import { decodeBody, isReadable, parseContentCoding, readableCodings } from "./content-coding.ts";

/** The memory of one body, and the limit of all bodies together in bytes (`max`). */
export interface BodyCount {
  readonly share: BodyShare;
  readonly max: number;
}

/**
 * Reads a whole body and decodes it, counting its bytes as they arrive. Rejects with `too_large` if the announced,
 * received or decoded body exceeds `limit` bytes, with `overloaded` if the memory of all bodies is full or this body
 * was dropped because it had stalled, with `client_gone` if the client disconnects, with `media_type` if the content
 * coding is unknown, and with `validation` if the bytes cannot be decoded.
 */
export function readBody(request: IncomingMessage, limit: number, count: BodyCount): Promise<Buffer> {
  const contentLength = Number(request.headers["content-length"] ?? 0);
  if (contentLength > limit) return Promise.reject(tooLarge(limit));
  const coding = parseContentCoding(request.headers["content-encoding"]);
  const bytes = collect(request, limit, count);
  return coding === undefined ? bytes : bytes.then((coded) => decode(coded, coding, limit, count));
}

function collect(request: IncomingMessage, limit: number, { share, max }: BodyCount): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let settled = false;
    const refuse = (error: AppError) => {
      settled = true;
      chunks.length = 0;
      share.release();
      request.pause();
      reject(error);
    };
    const evict = () => refuse(stalled());
    share.onEvicted = evict;
    request.on("data", (chunk: Buffer) => {
      if (settled) return;
      size += chunk.length;
      if (size > limit) refuse(tooLarge(limit));
      else if (!share.take(chunk.length, max)) refuse(createMemoryLimitError());
      else if (chunks.push(chunk) === 1) share.begin();
    });
    request.on("end", () => {
      if (settled) return;
      settled = true;
      share.settle(size);
      const [first] = chunks;
      resolve(chunks.length === 1 && first ? first : Buffer.concat(chunks));
    });
    request.on("close", () => {
      if (!settled)
        refuse(new AppError("client_gone", "The client disconnected before its request was complete"));
    });
    request.on("error", ignore);
  });
}

/** A request that fails also emits `close`, which is handled. */
function ignore(): void {}

async function decode(
  bytes: Buffer,
  coding: string,
  limit: number,
  { share, max }: BodyCount,
): Promise<Buffer> {
  if (!isReadable(coding))
    throw new AppError(
      "media_type",
      `Unsupported content encoding: ${coding.slice(0, 40)}. Send the body uncompressed, or use ${readableCodings.join(", ")}`,
    );
  try {
    const plain = await decodeBody(bytes, coding, limit, (more) => {
      if (!share.take(more, max)) throw createMemoryLimitError();
    });
    share.settle(plain.length);
    return plain;
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof RangeError) throw tooLarge(limit);
    throw new AppError("validation", `The body is not valid ${coding}`, { cause: error });
  }
}

/** Creates the error for a body of more than `limit` bytes (`too_large`). */
export function tooLarge(limit: number): AppError {
  return new AppError("too_large", `The body is larger than ${limit} bytes`);
}

/** Creates the error for a body that does not fit into the memory of all bodies (`overloaded`). */
export function createMemoryLimitError(): AppError {
  return new AppError("overloaded", "The memory for request bodies is full; try again in a moment");
}

function stalled(): AppError {
  return new AppError(
    "overloaded",
    "The body arrived too slowly, and its memory was needed for other calls; send it again",
  );
}

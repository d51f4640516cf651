import type { IncomingMessage } from "node:http";
import { AppError } from "../../errors.ts";
import { codingOf, decodeBody, isReadable, readableCodings } from "./content-coding.ts";

/**
 * Reads a body whole. Throws `too_large` at once where the client announces more than `limit` bytes, or as soon as more
 * have come; `client_gone` where the client leaves in the middle; `validation` for a content coding we cannot read.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > limit) return Promise.reject(tooLarge(limit));
  const coding = codingOf(request.headers["content-encoding"]);
  const bytes = collect(request, limit);
  return coding === undefined ? bytes : bytes.then((coded) => decode(coded, coding, limit));
}

function collect(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let settled = false;
    request.on("data", (chunk: Buffer) => {
      if (settled) return;
      chunks.push(chunk);
      size += chunk.length;
      if (size <= limit) return;
      settled = true;
      request.pause();
      reject(tooLarge(limit));
    });
    request.on("end", () => {
      settled = true;
      const [first] = chunks;
      resolve(chunks.length === 1 && first ? first : Buffer.concat(chunks));
    });
    request.on("close", () => {
      if (!settled) reject(new AppError("client_gone", "The client left while it was sending"));
    });
    request.on("error", ignore);
  });
}

/** A request that breaks closes as well, and that is listened to. */
function ignore(): void {}

async function decode(bytes: Buffer, coding: string, limit: number): Promise<Buffer> {
  if (!isReadable(coding))
    throw new AppError(
      "media_type",
      `Bodies in the coding ${coding.slice(0, 40)} are not read here; send them plain, or in ${readableCodings.join(", ")}`,
    );
  try {
    return await decodeBody(bytes, coding, limit);
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(limit);
    throw new AppError("validation", `The body is not valid ${coding}`, { cause: error });
  }
}

/** `too_large` for a body of more than `limit` bytes. */
export function tooLarge(limit: number): AppError {
  return new AppError("too_large", `The body is larger than ${limit} bytes`);
}

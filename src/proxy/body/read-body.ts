import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { AppError } from "../../errors.ts";
import { ownMember } from "../exchange/own-member.ts";

/**
 * Reads a body whole. Throws `too_large` at once where the client announces more than `limit` bytes, or as soon as more
 * have come; `client_gone` where the client leaves in the middle; `validation` for a content coding we cannot read.
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > limit) throw tooLarge(limit);
  const bytes = await collect(request, limit);
  const coding = request.headers["content-encoding"];
  return coding === undefined || coding === "identity" ? bytes : decode(bytes, coding, limit);
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
    request.on("error", () => {});
  });
}

const decoders: Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>> = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

async function decode(bytes: Buffer, coding: string, limit: number): Promise<Buffer> {
  const decoder = ownMember(decoders, coding);
  if (!decoder)
    throw new AppError("media_type", `Bodies in the coding ${coding.slice(0, 40)} are not read here`);
  try {
    return await decoder(bytes, { maxOutputLength: limit });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(limit);
    throw new AppError("validation", `The body is not valid ${coding}`, { cause: error });
  }
}

function tooLarge(limit: number): AppError {
  return new AppError("too_large", `The body is larger than ${limit} bytes`);
}

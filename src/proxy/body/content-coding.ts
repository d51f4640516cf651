import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { ownMember } from "../exchange/own-member.ts";

const decoders: Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>> = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** Whether bodies in this content coding can be read here. */
export function isReadable(coding: string | undefined): boolean {
  return coding === undefined || coding === "identity" || ownMember(decoders, coding) !== undefined;
}

/**
 * A body without its content coding. Rejects with a `RangeError` where it would be more than `limit` bytes, with another
 * error where the coding is not readable or the bytes are not in it.
 */
export async function decodeBody(bytes: Buffer, coding: string | undefined, limit: number): Promise<Buffer> {
  if (coding === undefined || coding === "identity") return bytes;
  const decoder = ownMember(decoders, coding);
  if (!decoder) throw new TypeError("unknown content coding");
  return decoder(bytes, { maxOutputLength: limit });
}

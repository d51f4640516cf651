import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { ownMember } from "../exchange/own-member.ts";

const decoders: Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>> = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** What bodies may come in, for whoever chose another coding. */
export const readableCodings = ["gzip", "deflate", "br"] as const;

/** A content coding by its name in lower case (RFC 9110, section 8.4.1); undefined where there is none. */
export function codingOf(header: string | undefined): string | undefined {
  const coding = header?.trim().toLowerCase();
  return coding === "" || coding === "identity" ? undefined : coding;
}

/** Whether bodies in this content coding can be read here. */
export function isReadable(coding: string): boolean {
  return ownMember(decoders, coding) !== undefined;
}

/**
 * A body without its content coding, given as the header says it. Rejects with a `RangeError` where it would be more than `limit` bytes, with another
 * error where the coding is not readable or the bytes are not in it.
 */
export async function decodeBody(bytes: Buffer, header: string | undefined, limit: number): Promise<Buffer> {
  const coding = codingOf(header);
  if (coding === undefined) return bytes;
  const decoder = ownMember(decoders, coding);
  if (!decoder) throw new TypeError("unknown content coding");
  return decoder(bytes, { maxOutputLength: limit });
}

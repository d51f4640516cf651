import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { ownMember } from "../exchange/own-member.ts";
import { readWhole } from "./read-whole.ts";

const decoders: Record<string, (options: { chunkSize: number }) => Transform> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};
/** Bytes that are decoded at a time. */
const PIECE = 64 * 1024;

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
 * error where the coding is not readable or the bytes are not in it. `onBytes` is called with the number of bytes of each
 * decoded piece, and may throw to end the decoding.
 */
export async function decodeBody(
  bytes: Buffer,
  header: string | undefined,
  limit: number,
  onBytes: (bytes: number) => void = () => {},
): Promise<Buffer> {
  const coding = codingOf(header);
  if (coding === undefined) return bytes;
  const createDecoder = ownMember(decoders, coding);
  if (!createDecoder) throw new TypeError("unknown content coding");
  const decoder = createDecoder({ chunkSize: PIECE });
  decoder.end(bytes);
  // However reading ends, the decoder is destroyed.
  const decoded = await readWhole(decoder, limit, (piece) => onBytes(piece.length));
  if (decoded === undefined) throw new RangeError("more than may be decoded");
  return decoded;
}

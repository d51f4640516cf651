import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { ownMember } from "../exchange/json.ts";
import { readWhole } from "./read-whole.ts";

const decoders: Record<string, (options: { chunkSize: number }) => Transform> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};
/** Bytes that are decoded at a time. */
const PIECE = 64 * 1024;

/** The content codings that error messages recommend. */
export const readableCodings = ["gzip", "deflate", "br"] as const;

/** Returns a content coding in lower case (RFC 9110, section 8.4.1); undefined for none or `identity`. */
export function parseContentCoding(header: string | undefined): string | undefined {
  const coding = header?.trim().toLowerCase();
  return coding === "" || coding === "identity" ? undefined : coding;
}

/** Returns whether the proxy can decode this content coding. */
export function isReadable(coding: string): boolean {
  return ownMember(decoders, coding) !== undefined;
}

/**
 * Decodes a body; `header` is its `content-encoding`. Rejects with a `RangeError` if the result exceeds `limit`
 * bytes, and with another error if the coding is unknown or the bytes are invalid. `onBytes` is called with the
 * length of each decoded chunk and may throw to stop.
 */
export async function decodeBody(
  bytes: Buffer,
  header: string | undefined,
  limit: number,
  onBytes: (bytes: number) => void = () => {},
): Promise<Buffer> {
  const coding = parseContentCoding(header);
  if (coding === undefined) return bytes;
  const createDecoder = ownMember(decoders, coding);
  if (!createDecoder) throw new TypeError("unknown content coding");
  const decoder = createDecoder({ chunkSize: PIECE });
  decoder.end(bytes);
  // `readWhole` destroys the decoder in every case.
  const decoded = await readWhole(decoder, limit, (piece) => onBytes(piece.length));
  if (decoded === undefined) throw new RangeError("more than may be decoded");
  return decoded;
}

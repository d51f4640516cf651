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
/** Maximum size of a decoded chunk, in bytes. */
const PIECE = 64 * 1024;

/** The content codings that error messages recommend. */
export const readableCodings = ["gzip", "deflate", "br"] as const;

/**
 * Returns the content coding that a header names, in lower case (RFC 9110, section 8.4.1); undefined if there is no
 * header, or if it is empty or names `identity`.
 */
export function parseContentCoding(header: string | undefined): string | undefined {
  const coding = header?.trim().toLowerCase();
  return coding === "" || coding === "identity" ? undefined : coding;
}

/** Returns whether the proxy can decode this content coding. */
export function isReadable(coding: string): boolean {
  return ownMember(decoders, coding) !== undefined;
}

/**
 * Decodes a body; `header` is its `content-encoding`. Returns a body without a coding unchanged, whatever its size.
 * Rejects with a `RangeError` if the decoded body exceeds `limit` bytes, with a `TypeError` if the coding is unknown,
 * and with an error of the decoder if the bytes are invalid. `onBytes` receives the length of each decoded chunk; an
 * error that it throws stops decoding.
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
  if (decoded === undefined) throw new RangeError(`the decoded body is larger than ${limit} bytes`);
  return decoded;
}

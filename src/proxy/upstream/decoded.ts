import { pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { AppError } from "../../errors.ts";
import { codingOf } from "../body/content-coding.ts";

/** A body without its content coding, as it comes. Throws `upstream_invalid` for an unknown one; so does reading a lie. */
export function decoded(
  body: AsyncIterable<Buffer>,
  encoding: string | string[] | undefined,
  upstream: string,
): AsyncIterable<Buffer> {
  const coding = codingOf(encoding?.toString());
  if (coding === undefined) return body;
  const decoder = decoderOf(coding);
  if (!decoder)
    throw new AppError("upstream_invalid", `The upstream ${upstream} answered in an unknown coding`);
  return throughDecoder(body, decoder, upstream);
}

async function* throughDecoder(
  body: AsyncIterable<Buffer>,
  decoder: Transform,
  upstream: string,
): AsyncGenerator<Buffer> {
  const source = Readable.from(body);
  // `pipeline` also ends the source where the reader stops early.
  pipeline(source, decoder, () => {});
  try {
    yield* decoder as AsyncIterable<Buffer>;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError(
      "upstream_invalid",
      `The upstream ${upstream} answered in another coding than it says`,
      {
        cause: error,
      },
    );
  }
}

function decoderOf(encoding: string) {
  if (encoding === "gzip" || encoding === "x-gzip") return createGunzip();
  if (encoding === "deflate") return createInflate();
  return encoding === "br" ? createBrotliDecompress() : undefined;
}

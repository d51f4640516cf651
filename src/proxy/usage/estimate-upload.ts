import type { CallEstimate } from "./estimate-call.ts";

/** Maximum tokens of an image that vendors count by its pixels, as in `countImage`. */
const IMAGE = 1_600;
/** Bytes of a form for which one image is counted. */
const BYTES_AN_IMAGE = 1024 * 1024;
/** Bytes of audio for each token: Google counts 32 tokens per second, and a second usually takes 16 kB. */
const BYTES_A_TOKEN = 500;
/** Matches the field `n`, the number of images, in a form. */
const COUNT = /\r\n\r\n(\d{1,3})\r\n/y;
const NAMES_COUNT = /content-disposition:[^\r\n]*[;\s]name="?n"?(?=[;\s\r])[^\r\n]*/gi;

/**
 * Estimates the tokens of a form with images or audio from its length, and the number of images that it requests from
 * its beginning. The output is not known.
 */
export function estimateUpload(kind: "image" | "audio", beginning: Buffer, length: number): CallEstimate {
  if (kind === "audio") return { input: Math.ceil(length / BYTES_A_TOKEN), output: undefined, candidates: 1 };
  const images = Math.max(1, Math.ceil(length / BYTES_AN_IMAGE));
  return { input: IMAGE * images, output: undefined, candidates: readCount(beginning.toString("latin1")) };
}

function readCount(form: string): number {
  let count = 1;
  for (const match of form.matchAll(NAMES_COUNT)) {
    COUNT.lastIndex = match.index + match[0].length;
    count = Math.max(count, Number(COUNT.exec(form)?.[1] ?? 1));
  }
  return count;
}

import { estimateTokens } from "./estimate-tokens.ts";

/** The estimated tokens of a call, from its request. */
export interface CallEstimate {
  readonly input: number;
  /** The maximum output of one candidate; undefined if the client sets none or the body is not parsed. */
  readonly output: number | undefined;
  /** The number of candidates that the client requests. */
  readonly candidates: number;
}

/** Maximum bytes of a body whose text is counted. A larger one is estimated by its length, which takes less time. */
const MAX_PARSED = 1024 * 1024;
const BYTES_A_TOKEN = 4;

/** Estimates the tokens of a JSON request in any dialect. If `mayParse` is false, only the body's length is used. */
export function estimateCall(bytes: Buffer, mayParse: boolean): CallEstimate {
  const body = mayParse ? parse(bytes) : undefined;
  if (body === undefined)
    return { input: Math.ceil(bytes.length / BYTES_A_TOKEN), output: undefined, candidates: 1 };
  const input = bytes.length > MAX_PARSED ? Math.ceil(bytes.length / BYTES_A_TOKEN) : estimateTokens(body);
  return { input, ...readMaxima(body) };
}

function parse(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Members that limit the output in any dialect, and members that request several candidates. */
const MAXIMA = [
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
  "max_tokens_to_sample",
  "maxOutputTokens",
];
const CHOICES = ["n", "best_of", "candidateCount", "candidate_count"];

function readMaxima(body: Readonly<Record<string, unknown>>): Pick<CallEstimate, "output" | "candidates"> {
  const { generationConfig, generation_config } = body;
  const parts = [body, Object(generationConfig), Object(generation_config)] as Record<string, unknown>[];
  const maximum = findLargest(parts, MAXIMA);
  const candidates = Math.max(1, findLargest(parts, CHOICES));
  return { output: maximum < 0 ? undefined : maximum, candidates };
}

/** Returns the largest integer among the named members; -1 if there is none. */
function findLargest(parts: readonly Readonly<Record<string, unknown>>[], names: readonly string[]): number {
  let largest = -1;
  for (const part of parts)
    for (const name of names) {
      const value = part[name];
      if (typeof value === "number" && Number.isSafeInteger(value) && value > largest) largest = value;
    }
  return largest;
}

/** Maximum tokens of an image that vendors count by its pixels, as in `countImage`. */
const IMAGE_TOKENS = 1_600;
/** Bytes of a form that are counted as one image. */
const BYTES_AN_IMAGE = 1024 * 1024;
/** Bytes of audio for each token: Google counts 32 tokens per second, and a second usually takes 16 kB. */
const AUDIO_BYTES_A_TOKEN = 500;
/**
 * Matches the end of a field's headers and the field's value; `NAMES_COUNT` matches the header of `n`, the image count.
 */
const IMAGE_COUNT = /\r\n\r\n(\d{1,3})\r\n/y;
const NAMES_COUNT = /content-disposition:[^\r\n]*[;\s]name="?n"?(?=[;\s\r])[^\r\n]*/gi;

/**
 * Estimates the input tokens of a form with images or audio from its length. Reads the number of requested images in
 * `beginning`, the first bytes of the form. The output is not known.
 */
export function estimateUpload(kind: "image" | "audio", beginning: Buffer, length: number): CallEstimate {
  if (kind === "audio")
    return { input: Math.ceil(length / AUDIO_BYTES_A_TOKEN), output: undefined, candidates: 1 };
  const images = Math.max(1, Math.ceil(length / BYTES_AN_IMAGE));
  return {
    input: IMAGE_TOKENS * images,
    output: undefined,
    candidates: readImageCount(beginning.toString("latin1")),
  };
}

function readImageCount(form: string): number {
  let count = 1;
  for (const match of form.matchAll(NAMES_COUNT)) {
    IMAGE_COUNT.lastIndex = match.index + match[0].length;
    count = Math.max(count, Number(IMAGE_COUNT.exec(form)?.[1] ?? 1));
  }
  return count;
}

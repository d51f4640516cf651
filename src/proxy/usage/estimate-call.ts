import { estimateTokens } from "./estimate-tokens.ts";

/** The tokens that a call may use. */
export interface CallEstimate {
  readonly input: number;
  /** The maximum output of one candidate that the client requests; undefined if it sets none. */
  readonly output: number | undefined;
  /** The number of candidates that the client requests. */
  readonly candidates: number;
}

/** Larger bodies are estimated by their length: parsing them would delay other calls. */
const MAX_PARSED = 1024 * 1024;
const BYTES_A_TOKEN = 4;

/** Estimates the tokens of a JSON request in any dialect. `mayParse` is false for bodies that exceed a bound. */
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

/** Members that limit the output, in every dialect, and members that request several candidates. */
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

/** Returns the largest count among some members; -1 if there is none. */
function findLargest(parts: readonly Readonly<Record<string, unknown>>[], names: readonly string[]): number {
  let largest = -1;
  for (const part of parts)
    for (const name of names) {
      const value = part[name];
      if (typeof value === "number" && Number.isSafeInteger(value) && value > largest) largest = value;
    }
  return largest;
}

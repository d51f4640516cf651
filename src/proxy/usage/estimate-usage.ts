import type { Usage } from "../exchange/response.ts";
import type { ResponseSample } from "../upstream/relay-task.ts";
import { countText } from "./count-text.ts";
import { estimateTokens } from "./estimate-tokens.ts";

/**
 * Maximum bytes of a body that is parsed. A larger one is estimated by its length, so that other calls are not
 * delayed.
 */
const MAX_PARSED = 1024 * 1024;
const BYTES_A_TOKEN = 4;

/**
 * Returns the usage of an incomplete response: the vendor's counts so far, and estimates instead of missing counts. The
 * vendor's output count can be from the first event, so the estimate is used if it is larger.
 */
export function partialUsage(
  reported: Usage | undefined,
  body: Buffer | undefined,
  sample: ResponseSample,
): Usage {
  const input = reported?.input.total === undefined ? { total: inputTokens(body) } : reported.input;
  const output = Math.max(reported?.output.total ?? 0, outputTokens(sample));
  return { ...reported, input, output: { ...reported?.output, total: output }, partial: true };
}

/**
 * Returns the usage of a response that ended with an error. Returns undefined if the response contains neither counts
 * nor text, because vendors charge nothing for it.
 */
export function failedUsage(
  reported: Usage | undefined,
  body: Buffer | undefined,
  sample: ResponseSample,
): Usage | undefined {
  if (reported === undefined && outputTokens(sample) === 0) return undefined;
  return partialUsage(reported, body, sample);
}

/** Estimates the usage of a complete response whose vendor reported none. */
export function estimatedUsage(body: Buffer | undefined, sample: ResponseSample): Usage {
  return {
    input: { total: inputTokens(body) },
    output: { total: outputTokens(sample) },
    estimated: true,
  };
}

function inputTokens(body: Buffer | undefined): number {
  if (body === undefined) return 0;
  if (body.length > MAX_PARSED) return Math.ceil(body.length / BYTES_A_TOKEN);
  try {
    return estimateTokens(JSON.parse(body.toString("utf8")));
  } catch {
    return Math.ceil(body.length / BYTES_A_TOKEN);
  }
}

/** Matches members of responses and stream events that contain text of the model. The last one can be cut off. */
const WRITTEN =
  /"(?:content|text|delta|partial_json|arguments|thinking|reasoning|reasoning_content|refusal)"\s*:\s*("(?:[^"\\]|\\.)*(?:"|\\?$))/g;

function outputTokens({ text, total }: ResponseSample): number {
  let written = "";
  for (const [, string = '""'] of text.matchAll(WRITTEN)) written += unquoted(string);
  if (written === "") return 0;
  return Math.max(1, Math.round((countText(written) * total) / Math.max(1, text.length)));
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

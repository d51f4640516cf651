import type { Usage } from "../exchange/response.ts";
import type { ResponseSample } from "../upstream/relay-task.ts";
import { countText } from "./count-text.ts";
import { estimateTokens } from "./estimate-tokens.ts";

/** Bodies above this are counted by their length: parsing them would hold up other calls. */
const MAX_PARSED = 1024 * 1024;
const BYTES_A_TOKEN = 4;

/**
 * Returns the usage of an answer that broke off or was left: what the vendor has said so far, and estimates for what
 * is missing. The vendor's count of a broken answer may be that of its first event, so that the larger one counts.
 */
export function partialUsage(
  said: Usage | undefined,
  body: Buffer | undefined,
  sample: ResponseSample,
): Usage {
  const input = said?.input.total === undefined ? { total: inputTokens(body) } : said.input;
  const output = Math.max(said?.output.total ?? 0, outputTokens(sample));
  return { ...said, input, output: { ...said?.output, total: output }, partial: true };
}

/** Returns an estimate of the usage of a whole answer whose vendor has told none. */
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

/** Members in which the dialects' streams carry what the model writes. */
const WRITTEN =
  /"(?:content|text|delta|partial_json|arguments|thinking|reasoning|reasoning_content|refusal)"\s*:\s*("(?:[^"\\]|\\.)*")/g;

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

import type { Usage } from "../../exchange/response.ts";
import { fromSeparateThoughtCounts } from "../../exchange/usage.ts";
import type { WireUsage } from "./schema.ts";

/**
 * Converts the token counts of a response or a chunk; undefined if there are none, as in the first chunks of a
 * stream.
 */
export function decodeUsage(usage: WireUsage | null | undefined): Usage | undefined {
  if (!usage) return undefined;
  const { promptTokenCount, candidatesTokenCount, thoughtsTokenCount } = usage;
  if (typeof (promptTokenCount ?? candidatesTokenCount ?? thoughtsTokenCount) !== "number") return undefined;
  return fromSeparateThoughtCounts({
    prompt: promptTokenCount,
    toolPrompt: usage.toolUsePromptTokenCount,
    cacheRead: usage.cachedContentTokenCount,
    candidates: candidatesTokenCount,
    thoughts: thoughtsTokenCount,
    raw: usage,
  });
}

/**
 * Encodes the token counts. This dialect counts thoughts separately from the candidates' tokens; the total includes
 * both.
 */
export function encodeUsage(usage: Usage | undefined) {
  const prompt = usage?.input.total ?? 0;
  const output = usage?.output.total ?? 0;
  const thoughts = Math.min(usage?.output.reasoning ?? 0, output);
  const cached = usage?.input.cacheRead ?? 0;
  return {
    promptTokenCount: prompt,
    ...(usage?.output.total === undefined ? {} : { candidatesTokenCount: output - thoughts }),
    ...(thoughts > 0 ? { thoughtsTokenCount: thoughts } : {}),
    ...(cached > 0 ? { cachedContentTokenCount: cached } : {}),
    totalTokenCount: prompt + output,
  };
}

import { defined } from "../../exchange/defined.ts";
import type { Usage } from "../../exchange/response.ts";
import { openAiChunks } from "../shared/openai-profile.ts";

/** Converts the token counts. `tier` is the response's `service_tier`. */
export function decodeUsage(wire: object, tier: string | null | undefined): Usage {
  const counts = openAiChunks.readUsage(wire);
  return tier ? { ...counts, serviceTier: tier } : counts;
}

/**
 * Encodes the token counts. A count that the upstream did not report is 0, because the dialect requires it. Only
 * `cache_write_tokens` is optional.
 */
export function encodeUsage(usage: Usage): Readonly<Record<string, unknown>> {
  const prompt = usage.input.total ?? 0;
  const completion = usage.output.total ?? 0;
  return defined({
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: defined({
      cached_tokens: usage.input.cacheRead ?? 0,
      cache_write_tokens: usage.input.cacheWrite,
    }),
    completion_tokens_details: { reasoning_tokens: usage.output.reasoning ?? 0 },
  });
}

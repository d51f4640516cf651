import { defined } from "../../exchange/defined.ts";
import { ownMember } from "../../exchange/json.ts";
import type { Usage } from "../../exchange/response.ts";
import { fromExclusiveCounts, uncachedInput } from "../../exchange/usage.ts";
import type { WireUsage } from "./schema.ts";

/** Converts the token counts. `input_tokens` of this dialect excludes tokens read from and written to the cache. */
export function decodeUsage(wire: WireUsage): Usage {
  const counts = fromExclusiveCounts({
    uncached: wire.input_tokens,
    cacheRead: wire.cache_read_input_tokens,
    cacheWrite: wire.cache_creation_input_tokens,
    cacheWriteHour: wire.cache_creation?.ephemeral_1h_input_tokens,
    output: wire.output_tokens,
    reasoning: wire.output_tokens_details?.thinking_tokens,
    raw: wire,
  });
  const tier = wire.service_tier;
  return tier ? { ...counts, serviceTier: tier === "standard" ? "default" : tier } : counts;
}

/** This dialect's service tiers by OpenAI's name. Tiers that cost more than the default become `priority`. */
const TIERS: Readonly<Record<string, string>> = {
  default: "standard",
  flex: "standard",
  scale: "priority",
  priority: "priority",
  batch: "batch",
};

function serviceTier(usage: Usage | undefined): { readonly service_tier?: string } {
  const tier = ownMember(TIERS, usage?.serviceTier ?? "");
  return tier === undefined ? {} : { service_tier: tier };
}

/** Encodes the token counts. A count that the dialect requires is 0 if the upstream did not report it. */
export function encodeUsage(usage: Usage | undefined, searches: number): Readonly<Record<string, unknown>> {
  const counts = {
    input_tokens: (usage === undefined ? undefined : uncachedInput(usage)) ?? 0,
    cache_creation_input_tokens: usage?.input.cacheWrite ?? 0,
    cache_read_input_tokens: usage?.input.cacheRead ?? 0,
    ...cacheCreation(usage),
    output_tokens: usage?.output.total ?? 0,
    ...thinkingTokens(usage),
    ...serviceTier(usage),
  };
  const used = { web_search_requests: searches, web_fetch_requests: 0 };
  return searches > 0 ? { ...counts, server_tool_use: used } : counts;
}

/**
 * Encodes the token counts at the end of a stream. Omits the input counts if the upstream did not report them, because
 * a count of 0 would replace the estimate of `message_start`.
 */
export function encodeFinalUsage(
  usage: Usage | undefined,
  searches: number,
): Readonly<Record<string, unknown>> {
  // `message_delta` has no tier.
  const { service_tier: _, ...counts } = encodeUsage(usage, searches);
  if (usage?.input.total !== undefined) return counts;
  const { output_tokens, output_tokens_details, server_tool_use } = counts;
  return defined({ output_tokens, output_tokens_details, server_tool_use });
}

function thinkingTokens(usage: Usage | undefined): Readonly<Record<string, unknown>> {
  const thinking = usage?.output.reasoning;
  return thinking === undefined ? {} : { output_tokens_details: { thinking_tokens: thinking } };
}

function cacheCreation(usage: Usage | undefined): Readonly<Record<string, unknown>> {
  const { cacheWrite = 0, cacheWriteHour } = usage?.input ?? {};
  if (cacheWriteHour === undefined) return {};
  const kept = {
    ephemeral_5m_input_tokens: cacheWrite - cacheWriteHour,
    ephemeral_1h_input_tokens: cacheWriteHour,
  };
  return { cache_creation: kept };
}

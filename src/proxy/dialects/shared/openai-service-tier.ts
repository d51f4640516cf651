import type { LossList } from "../../exchange/loss.ts";
import type { Usage } from "../../exchange/response.ts";

/** OpenAI's service tiers (https://developers.openai.com/api/docs/guides/priority-processing). */
const TIERS = new Set(["auto", "default", "flex", "scale", "priority"]);

/** Returns the service tier that handled a call; undefined if it is unknown or OpenAI's API does not define it. */
export function openAiServiceTier(usage: Usage | undefined): string | undefined {
  const tier = usage?.serviceTier;
  return tier !== undefined && TIERS.has(tier) ? tier : undefined;
}

/** Returns the requested service tier; undefined and, with a loss, for a tier that OpenAI's API does not define. */
export function requestedServiceTier(tier: string | undefined, losses: LossList): string | undefined {
  if (tier === undefined || TIERS.has(tier)) return tier;
  losses.add("service-tier", `Service tier ${tier} dropped: the vendor does not support it.`);
  return undefined;
}

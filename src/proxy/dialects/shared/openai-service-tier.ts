import type { Usage } from "../../exchange/response.ts";

/** Service tiers in OpenAI's responses (https://developers.openai.com/api/docs/guides/priority-processing). */
const TIERS = new Set(["auto", "default", "flex", "scale", "priority"]);

/** Returns the service tier that handled a call; undefined if it is unknown or OpenAI's API does not define it. */
export function openAiServiceTier(usage: Usage | undefined): string | undefined {
  const tier = usage?.serviceTier;
  return tier !== undefined && TIERS.has(tier) ? tier : undefined;
}

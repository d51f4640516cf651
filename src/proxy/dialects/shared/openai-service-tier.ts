import type { Usage } from "../../exchange/response.ts";

/** Tiers that OpenAI's responses name. https://developers.openai.com/api/docs/guides/priority-processing */
const TIERS = new Set(["auto", "default", "flex", "scale", "priority"]);

/** Returns the tier that served a call, if OpenAI's clients know it. */
export function openAiServiceTier(usage: Usage | undefined): string | undefined {
  const tier = usage?.serviceTier;
  return tier !== undefined && TIERS.has(tier) ? tier : undefined;
}

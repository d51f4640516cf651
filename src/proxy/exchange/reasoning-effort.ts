import type { ReasoningRequest } from "./request.ts";

export type Effort = NonNullable<ReasoningRequest["effort"]>;

/** All efforts, from least to most. */
export const efforts = [
  "none",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
] as const satisfies readonly Effort[];

/**
 * The thinking budget of each effort, in tokens. The values of low, medium and high are from Google's page on OpenAI
 * compatibility; the others extend that series.
 */
const budgets: Record<Effort, number> = {
  none: 0,
  minimal: 512,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 32_768,
  max: 65_536,
};

/** Returns the highest effort whose budget is at most `budget` tokens; undefined for -1 (the model chooses). */
export function budgetToEffort(budget: number): Effort | undefined {
  if (budget < 0) return undefined;
  return efforts.findLast((effort) => budgets[effort] <= budget);
}

/**
 * Returns whether a request sets a reasoning option other than `encrypted`, which selects only the form of the result.
 */
export function asksToThink(reasoning: ReasoningRequest | undefined): reasoning is ReasoningRequest {
  return reasoning !== undefined && Object.keys(reasoning).some((member) => member !== "encrypted");
}

/** Returns the requested effort, converted from a budget if necessary; undefined if the model chooses. */
export function resolveEffort(reasoning: ReasoningRequest): Effort | undefined {
  return reasoning.effort ?? (reasoning.budget === undefined ? undefined : budgetToEffort(reasoning.budget));
}

/** Returns the requested budget in tokens, converted from an effort if necessary; undefined if the model chooses. */
export function resolveBudget(reasoning: ReasoningRequest): number | undefined {
  if (reasoning.budget !== undefined) return reasoning.budget < 0 ? undefined : reasoning.budget;
  return reasoning.effort === undefined ? undefined : budgets[reasoning.effort];
}

/**
 * Returns the effort in `known` that is nearest to `effort`, the lower one of two at the same distance; undefined if
 * there is none. Only `none` itself can become `none`.
 */
export function clampEffort(effort: Effort, known: readonly string[]): Effort | undefined {
  const wanted = efforts.indexOf(effort);
  const distance = (candidate: Effort) => Math.abs(efforts.indexOf(candidate) - wanted);
  return efforts
    .filter((candidate) => known.includes(candidate) && (candidate !== "none" || effort === "none"))
    .reduce<Effort | undefined>(
      (best, candidate) => (best === undefined || distance(candidate) < distance(best) ? candidate : best),
      undefined,
    );
}

import type { ReasoningRequest } from "./request.ts";

/** How much to think, from least to most. */
export type Effort = NonNullable<ReasoningRequest["effort"]>;

/** All of them, from least to most. */
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
 * Thinking tokens per effort. Low, medium and high are the figures of Google's OpenAI compatibility page
 * (1,024 / 8,192 / 24,576); the others continue the row.
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

/** Thinking tokens an effort stands for. */
export function budgetOfEffort(effort: Effort): number {
  return budgets[effort];
}

/** The effort a budget stands for: the highest whose own budget it reaches. -1 (the model chooses) is none of them. */
export function effortOfBudget(budget: number): Effort | undefined {
  if (budget < 0) return undefined;
  return efforts.findLast((effort) => budgets[effort] <= budget);
}

/** Returns whether a request says anything of thinking itself, and not only of the form in which it comes back. */
export function asksToThink(reasoning: ReasoningRequest | undefined): reasoning is ReasoningRequest {
  return reasoning !== undefined && Object.keys(reasoning).some((member) => member !== "encrypted");
}

/** The effort asked for, in whichever currency; undefined where the model is to choose. */
export function effortOf(reasoning: ReasoningRequest): Effort | undefined {
  return reasoning.effort ?? (reasoning.budget === undefined ? undefined : effortOfBudget(reasoning.budget));
}

/** The budget asked for, in whichever currency; undefined where the model is to choose. */
export function budgetOf(reasoning: ReasoningRequest): number | undefined {
  if (reasoning.budget !== undefined) return reasoning.budget < 0 ? undefined : reasoning.budget;
  return reasoning.effort === undefined ? undefined : budgets[reasoning.effort];
}

/**
 * Returns the nearest effort a model knows (lower where two are as near); undefined where it knows none. Some thinking is
 * never turned into none.
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

import type { Budget, Subject } from "../../config/proxy/limits.ts";
import { type Decision, toMicros } from "./limits.ts";

/** The vendor whose rate-limit header names are sent. */
export type RateLimitStyle = "openai" | "anthropic";

/**
 * Returns the headers that report the remaining limits of a key and its team, as a flat list. Of several limits of a
 * kind, the tightest is reported. `now` is milliseconds since 1970.
 */
export function limitHeaders(
  style: RateLimitStyle | undefined,
  subjects: readonly Subject[],
  decision: Decision,
  now: number,
): string[] {
  if (style === undefined) return [];
  const headers: string[] = [];
  addRate(headers, style, "rpm", subjects, decision, now);
  addRate(headers, style, "tpm", subjects, decision, now);
  if (style === "anthropic") addBudget(headers, subjects, decision);
  return headers;
}

/** Returns the index of the subject that has the least of a rate left; -1 if none has that limit. */
function findTightest(subjects: readonly Subject[], { states }: Decision, name: "rpm" | "tpm"): number {
  let found = -1;
  let least = Number.POSITIVE_INFINITY;
  for (let index = 0; index < subjects.length; index += 1) {
    const remaining = states[index]?.[name]?.remaining;
    if (subjects[index]?.limits[name] === undefined || remaining === undefined || remaining >= least)
      continue;
    found = index;
    least = remaining;
  }
  return found;
}

const NAMES = {
  openai: { rpm: rateNames("openai", "requests"), tpm: rateNames("openai", "tokens") },
  anthropic: { rpm: rateNames("anthropic", "requests"), tpm: rateNames("anthropic", "tokens") },
};

function rateNames(style: RateLimitStyle, what: string) {
  const name = (member: string) =>
    style === "anthropic" ? `anthropic-ratelimit-${what}-${member}` : `x-ratelimit-${member}-${what}`;
  return { limit: name("limit"), remaining: name("remaining"), reset: name("reset") };
}

function addRate(
  headers: string[],
  style: RateLimitStyle,
  name: "rpm" | "tpm",
  subjects: readonly Subject[],
  decision: Decision,
  now: number,
): void {
  const index = findTightest(subjects, decision, name);
  const rate = decision.states[index]?.[name];
  if (rate === undefined) return;
  const names = NAMES[style][name];
  const reset = style === "anthropic" ? formatTime(now + rate.resetMs) : formatSpan(rate.resetMs);
  headers.push(names.limit, String(subjects[index]?.limits[name]));
  headers.push(names.remaining, String(rate.remaining), names.reset, reset);
}

function formatTime(milliseconds: number): string {
  return new Date(Math.ceil(milliseconds / 1000) * 1000).toISOString().replace(".000Z", "Z");
}

/** Formats a span as OpenAI does: `120ms`, `1s`, `6m0s`. */
function formatSpan(milliseconds: number): string {
  if (milliseconds < 1000) return milliseconds === 0 ? "0s" : `${Math.ceil(milliseconds)}ms`;
  const seconds = Math.ceil(milliseconds / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  const small = `${seconds % 60}s`;
  if (hours > 0) return `${hours}h${minutes}m${small}`;
  return minutes > 0 ? `${minutes}m${small}` : small;
}

/**
 * The names that Claude Code uses for usage limits. It has none for calendar months and totals, which are reported as
 * `overage`, the limit beyond the included usage.
 */
const CLAIMS = { day: "five_hour", week: "seven_day", month: "overage", total: "overage" } as const;

/**
 * Adds the unified headers of Anthropic's API, which Claude Code reads, for the budget that is closest to exhaustion.
 */
function addBudget(headers: string[], subjects: readonly Subject[], { excess, states }: Decision): void {
  let nearest: { budget: Budget; share: number; resetsAt: number | undefined } | undefined;
  for (const [at, { limits }] of subjects.entries()) {
    for (const [index, budget] of (limits.budgets ?? []).entries()) {
      const state = states[at]?.budgets[index];
      if (state === undefined) continue;
      const isFull = excess?.limit === "budget" && excess.subject === at && excess.budget === index;
      const share = isFull ? -1 : state.remainingMicros / toMicros(budget.usd);
      if (nearest === undefined || share < nearest.share)
        nearest = { budget, share, resetsAt: state.resetsAt };
    }
  }
  if (nearest === undefined) return;
  const { budget, resetsAt } = nearest;
  headers.push("anthropic-ratelimit-unified-status", excess?.limit === "budget" ? "rejected" : "allowed");
  if (resetsAt !== undefined)
    headers.push("anthropic-ratelimit-unified-reset", String(Math.ceil(resetsAt / 1000)));
  headers.push("anthropic-ratelimit-unified-representative-claim", CLAIMS[budget.period]);
}

import type { Budget, Subject } from "../../config/proxy/limits.ts";
import { type Decision, type RateState, toMicros } from "./limits.ts";

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
  addRate(headers, style, "requests", tightest(subjects, decision, "rpm"), now);
  addRate(headers, style, "tokens", tightest(subjects, decision, "tpm"), now);
  if (style === "anthropic") addBudget(headers, subjects, decision);
  return headers;
}

interface Rate extends RateState {
  readonly limit: number;
}

function tightest(subjects: readonly Subject[], { states }: Decision, name: "rpm" | "tpm"): Rate | undefined {
  let found: Rate | undefined;
  for (const [index, { limits }] of subjects.entries()) {
    const limit = limits[name];
    const state = states[index]?.[name];
    if (limit === undefined || state === undefined) continue;
    if (found === undefined || state.remaining < found.remaining) found = { ...state, limit };
  }
  return found;
}

function addRate(
  headers: string[],
  style: RateLimitStyle,
  what: "requests" | "tokens",
  rate: Rate | undefined,
  now: number,
): void {
  if (rate === undefined) return;
  const add = (member: string, value: string) =>
    headers.push(
      style === "anthropic" ? `anthropic-ratelimit-${what}-${member}` : `x-ratelimit-${member}-${what}`,
      value,
    );
  add("limit", String(rate.limit));
  add("remaining", String(rate.remaining));
  add("reset", style === "anthropic" ? formatTime(now + rate.resetMs) : formatSpan(rate.resetMs));
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
 * The names that Claude Code uses for usage limits. Claude Code has no names for calendar months and totals, so these
 * are reported as the limit beyond the included usage.
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

import { defined } from "./defined.ts";
import type { Usage } from "./response.ts";

/**
 * A token count that a vendor reported. The functions below convert counts so that `input.total` includes cached tokens
 * and `output.total` includes reasoning. They leave out counts that the vendor did not report.
 */
type Count = number | null | undefined;

/**
 * Returns a reported count as a whole number of at most `MAX_SAFE_INTEGER`; undefined if it is not a finite number or
 * is negative. Some vendors report negative counts, which would reduce sums and spent budgets.
 */
export function toCount(value: unknown): number | undefined {
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0) return undefined;
  return Math.min(Number.MAX_SAFE_INTEGER, Math.round(value));
}

/**
 * Converts counts of chat-completions, completions and responses, whose input count includes cached tokens and whose
 * output count includes reasoning. Some vendors, such as xAI, do not include reasoning in the output count. This is the
 * case if `total` is the sum of input, output and reasoning, or if there is more reasoning than output.
 */
export function fromInclusiveCounts(counts: {
  readonly input: Count;
  readonly cacheRead?: Count;
  readonly cacheWrite?: Count;
  readonly output: Count;
  readonly reasoning?: Count;
  readonly total?: Count;
  readonly raw?: unknown;
}): Usage {
  const input = toCount(counts.input);
  const cacheRead = toCount(counts.cacheRead);
  const cacheWrite = toCount(counts.cacheWrite);
  const written = toCount(counts.output);
  const reasoning = toCount(counts.reasoning);
  const isBeside =
    (input ?? 0) + (written ?? 0) + (reasoning ?? 0) === toCount(counts.total) ||
    // Vercel counts Gemini's reasoning separately.
    (reasoning ?? 0) > (written ?? Number.POSITIVE_INFINITY);
  const output = written === undefined || !isBeside ? written : written + (reasoning ?? 0);
  const hasUncached = input !== undefined && (cacheRead !== undefined || cacheWrite !== undefined);
  const uncached = hasUncached ? Math.max(0, input - (cacheRead ?? 0) - (cacheWrite ?? 0)) : undefined;
  return defined({
    input: defined({ total: input, uncached, cacheRead, cacheWrite }),
    output: defined({ total: output, reasoning }),
    raw: counts.raw,
  });
}

/** Converts counts of messages, whose input count excludes the tokens that were read from or written to a cache. */
export function fromExclusiveCounts(counts: {
  readonly uncached: Count;
  readonly cacheRead?: Count;
  readonly cacheWrite?: Count;
  /** A part of `cacheWrite`. */
  readonly cacheWriteHour?: Count;
  readonly output: Count;
  readonly reasoning?: Count;
  readonly raw?: unknown;
}): Usage {
  const uncached = toCount(counts.uncached);
  const cacheRead = toCount(counts.cacheRead);
  const cacheWrite = toCount(counts.cacheWrite);
  const cacheWriteHour = toCount(counts.cacheWriteHour);
  const total = uncached === undefined ? undefined : uncached + (cacheRead ?? 0) + (cacheWrite ?? 0);
  return defined({
    input: defined({ total, uncached, cacheRead, cacheWrite, cacheWriteHour }),
    output: defined({ total: toCount(counts.output), reasoning: toCount(counts.reasoning) }),
    raw: counts.raw,
  });
}

/**
 * Converts counts of generative-language. The prompt count includes cached tokens and excludes tool prompts; the
 * candidates' count excludes thoughts.
 */
export function fromSeparateThoughtCounts(counts: {
  readonly prompt: Count;
  readonly toolPrompt?: Count;
  readonly cacheRead?: Count;
  readonly candidates: Count;
  readonly thoughts?: Count;
  readonly raw?: unknown;
}): Usage {
  const prompt = toCount(counts.prompt);
  const candidates = toCount(counts.candidates);
  const thoughts = toCount(counts.thoughts);
  const input = prompt === undefined ? undefined : prompt + (toCount(counts.toolPrompt) ?? 0);
  const output =
    candidates === undefined && thoughts === undefined ? undefined : (candidates ?? 0) + (thoughts ?? 0);
  return fromInclusiveCounts({
    input,
    cacheRead: counts.cacheRead,
    output,
    reasoning: thoughts,
    raw: counts.raw,
  });
}

/** Merges two reports of the same stream. Counts are cumulative, so a later count replaces an earlier one. */
export function mergeUsage(earlier: Usage | undefined, later: Usage | undefined): Usage | undefined {
  if (earlier === undefined || later === undefined) return later ?? earlier;
  const [before, after] = [earlier.input, later.input];
  // A later report of messages may have `input_tokens` only, which excludes the cached tokens of an earlier report.
  const isPart =
    after.uncached !== undefined && after.cacheRead === undefined && after.cacheWrite === undefined;
  const cached = isPart ? (before.cacheRead ?? 0) + (before.cacheWrite ?? 0) : 0;
  return defined({
    input: defined({
      total: after.total === undefined ? before.total : after.total + cached,
      uncached: after.uncached ?? before.uncached,
      cacheRead: after.cacheRead ?? before.cacheRead,
      cacheWrite: after.cacheWrite ?? before.cacheWrite,
      cacheWriteHour: after.cacheWriteHour ?? before.cacheWriteHour,
    }),
    output: defined({
      total: later.output.total ?? earlier.output.total,
      reasoning: later.output.reasoning ?? earlier.output.reasoning,
    }),
    serviceTier: later.serviceTier ?? earlier.serviceTier,
    raw: later.raw ?? earlier.raw,
    estimated: later.estimated,
    calls: later.calls ?? earlier.calls,
  });
}

/** Adds up the usage of several calls. Returns undefined if there are no calls or the usage of one is not known. */
export function sumUsages(usages: readonly (Usage | undefined)[]): Usage | undefined {
  const known = usages.filter((usage) => usage !== undefined);
  if (known.length === 0 || known.length < usages.length) return undefined;
  const hasUncached = known.some(({ input }) => input.uncached !== undefined);
  const sum = (count: (usage: Usage) => number | undefined) => {
    const counts = known.map(count).filter((each) => each !== undefined);
    return counts.length === 0 ? undefined : counts.reduce((total, each) => total + each, 0);
  };
  const { serviceTier } = known.at(-1) ?? {};
  const calls = known.reduce((total, { calls: each = 1 }) => total + each, 0);
  return defined({
    input: defined({
      total: sum(({ input }) => input.total),
      // An estimate has only a total. Summing only the known `uncached` counts would leave
      // the estimate's tokens out of `billedTokens`.
      uncached: hasUncached ? sum(uncachedInput) : undefined,
      cacheRead: sum(({ input }) => input.cacheRead),
      cacheWrite: sum(({ input }) => input.cacheWrite),
      cacheWriteHour: sum(({ input }) => input.cacheWriteHour),
    }),
    output: defined({
      total: sum(({ output }) => output.total),
      reasoning: sum(({ output }) => output.reasoning),
    }),
    serviceTier,
    estimated: known.some(({ estimated }) => estimated === true) || undefined,
    partial: known.some(({ partial }) => partial === true) || undefined,
    calls: calls === 1 ? undefined : calls,
  });
}

/**
 * Returns the input tokens that were neither read from a cache nor written to one; undefined if they are not known.
 */
export function uncachedInput(usage: Usage): number | undefined {
  const { total, uncached, cacheRead, cacheWrite } = usage.input;
  if (uncached !== undefined) return uncached;
  return total === undefined ? undefined : Math.max(0, total - (cacheRead ?? 0) - (cacheWrite ?? 0));
}

/** Tokens by billing category; each token is in exactly one. */
export interface BilledTokens {
  readonly input: number;
  readonly cacheRead: number;
  /** Excludes `cacheWriteHour`. */
  readonly cacheWrite: number;
  readonly cacheWriteHour: number;
  readonly output: number;
}

/** Returns a call's tokens by billing category; undefined if input or output is not known. */
export function billedTokens(usage: Usage): BilledTokens | undefined {
  const { cacheRead = 0, cacheWrite = 0, cacheWriteHour = 0 } = usage.input;
  const input = uncachedInput(usage);
  const output = usage.output.total;
  if (input === undefined || output === undefined) return undefined;
  const hour = Math.min(cacheWriteHour, cacheWrite);
  return { input, cacheRead, cacheWrite: cacheWrite - hour, cacheWriteHour: hour, output };
}

import { isDisconnect, isFailure } from "../../render/dashboard/call-failure.ts";
import { percentile, sumHistograms } from "../observability/histogram.ts";
import type { CallSeries } from "../observability/metrics.ts";
import type { CallTotals, LastError, ModelTotals } from "./api-types.ts";

/** Returns the totals of the calls in all series. */
export function sumCalls(all: readonly CallSeries[]): CallTotals {
  const sum = (pick: (series: CallSeries) => number) => sumOver(all, pick);
  const histogram = sumHistograms(all.map((series) => series.histogram));
  const [p50, p95] = [percentile(histogram, 0.5), percentile(histogram, 0.95)];
  return {
    ...served(all),
    input: sum(({ input }) => input),
    cached: sum(({ cacheRead }) => cacheRead),
    output: sum(({ output }) => output),
    ...(sum(({ priced }) => priced) > 0 && { cost: sum(({ cost }) => cost) }),
    unpriced: sum(({ unpriced }) => unpriced),
    p50,
    p95,
  };
}

function served(all: readonly CallSeries[]): Pick<CallTotals, "calls" | "errors"> {
  return {
    calls: sumOver(all, ({ calls }) => calls),
    errors: sumOver(all, (series) => (isError(series) ? series.calls : 0)),
  };
}

function sumOver(all: readonly CallSeries[], pick: (series: CallSeries) => number): number {
  return all.reduce((whole, series) => whole + pick(series), 0);
}

/** Returns the totals of each model at each upstream; models with the most calls come first. */
export function modelTotals(all: readonly CallSeries[]): ModelTotals[] {
  const groups = new Map<string, [CallSeries, ...CallSeries[]]>();
  for (const series of all) {
    const name = `${series.upstream}\n${series.model}`;
    const group = groups.get(name);
    if (group) group.push(series);
    else groups.set(name, [series]);
  }
  return [...groups.values()]
    .map((group) => ({ upstream: group[0].upstream, model: group[0].model, ...sumCalls(group) }))
    .toSorted((one, other) => other.calls - one.calls);
}

/**
 * Returns the numbers of calls and of failed calls, when the last successful call ended, and the last failed call. A
 * client disconnect is neither a success nor a failure.
 */
export function findLastOutcomes(all: readonly CallSeries[]): {
  readonly calls: number;
  readonly errors: number;
  readonly lastSuccess?: string;
  readonly lastError?: LastError;
} {
  const latest = all.toSorted((one, other) => (one.lastAt < other.lastAt ? 1 : -1));
  const success = latest.find((series) => !isError(series) && !hasLeft(series));
  const error = latest.find(isError);
  return {
    ...served(all),
    lastSuccess: success?.lastAt,
    lastError: error && toLastError(error),
  };
}

function toLastError({ lastAt, status, lastErrorMessage }: CallSeries): LastError {
  return { time: lastAt, status, fault: lastErrorMessage };
}

function isError({ status, errorCode }: CallSeries): boolean {
  return isFailure(status, errorCode);
}

function hasLeft({ status, errorCode }: CallSeries): boolean {
  return isDisconnect(status, errorCode);
}

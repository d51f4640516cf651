import { isFailure } from "../../render/dashboard/call-failure.ts";
import type { CallRecord } from "./request-log.ts";

/** The sums of all calls of one key. */
export interface KeySeries {
  /** The key's name. */
  readonly key: string;
  /** Empty for a key without a team. */
  readonly team: string;
  readonly calls: number;
  readonly errors: number;
  /** Tokens; `input` includes those read from or written to a cache. */
  readonly input: number;
  readonly output: number;
  /** The cost in US dollars of the calls whose cost is known. */
  readonly cost: number;
}

/** Maximum number of keys; the calls of further keys are counted as `other`. */
const MAX_KEYS = 1_000;

const OTHER = "other";

/** Adds a call to the sums of its key. */
export function countKey(
  all: Map<string, KeySeries>,
  key: string,
  {
    team = "",
    usage,
    cost = 0,
    status,
    errorCode,
  }: Pick<CallRecord, "team" | "usage" | "cost" | "status" | "errorCode">,
): void {
  const call = {
    key,
    team,
    calls: 1,
    errors: isFailure(status, errorCode) ? 1 : 0,
    input: usage?.input.total ?? 0,
    output: usage?.output.total ?? 0,
    cost,
  };
  addKeySeries(all, call);
}

/** Adds the sums of a key to those in `all`. If `all` is full, the sums of a further key are added to `other`. */
export function addKeySeries(all: Map<string, KeySeries>, one: KeySeries): void {
  const own = toSeriesKey(one);
  const isNamed = all.has(own) || all.size < MAX_KEYS;
  const series = isNamed ? one : { ...one, key: OTHER, team: OTHER };
  const name = isNamed ? own : toSeriesKey(series);
  const known = all.get(name);
  all.set(name, known === undefined ? series : addSeries(known, series));
}

function toSeriesKey({ key, team }: KeySeries): string {
  return `${key}\n${team}`;
}

function addSeries(one: KeySeries, other: KeySeries): KeySeries {
  return {
    key: one.key,
    team: one.team,
    calls: one.calls + other.calls,
    errors: one.errors + other.errors,
    input: one.input + other.input,
    output: one.output + other.output,
    cost: one.cost + other.cost,
  };
}

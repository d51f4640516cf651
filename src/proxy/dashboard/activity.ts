import { MAX_ENDED_CALLS, type RecentCalls, type RunningCall } from "../observability/recent-calls.ts";
import type { CallRecord } from "../observability/request-log.ts";
import type { Cooldown, Cooldowns } from "../routing/cooldowns.ts";
import type { FinishedCall, LiveCall } from "./api-types.ts";

/**
 * Running calls (oldest first), ended calls (newest first) and cooldowns: plain data that workers send to the primary.
 */
export interface CallActivity {
  readonly live: readonly LiveCall[];
  readonly calls: readonly FinishedCall[];
  readonly cooldowns: readonly Cooldown[];
}

/** The activity that is reported for a process that does not serve yet, and for one that does not respond. */
export const NO_CALLS: CallActivity = { live: [], calls: [], cooldowns: [] };

/** Returns the activity of this process, with the calls that ended at `since` (ISO 8601) or later. */
export function ownActivity(recent: RecentCalls, cooldowns: Cooldowns, since: string): CallActivity {
  const [live, calls] = [recent.running.map(liveCall), recent.ended(since).map(finishedCall)];
  return mergeActivity([{ live, calls, cooldowns: cooldowns.list() }]);
}

/** Merges the activity of several processes; keeps the newest `MAX_ENDED_CALLS` ended calls. */
export function mergeActivity(all: readonly CallActivity[]): CallActivity {
  return {
    live: all.flatMap(({ live }) => live).toSorted((one, other) => one.startedAt - other.startedAt),
    calls: all
      .flatMap(({ calls }) => calls)
      .toSorted((one, other) => (one.time < other.time ? 1 : one.time > other.time ? -1 : 0))
      .slice(0, MAX_ENDED_CALLS),
    cooldowns: pickLongest(all.flatMap(({ cooldowns }) => cooldowns)),
  };
}

/**
 * Returns the cooldown that ends last for each upstream, key and model, because several processes can have recorded the
 * same cooldown.
 */
function pickLongest(all: readonly Cooldown[]): Cooldown[] {
  const longest = new Map<string, Cooldown>();
  for (const cooldown of all.toSorted((one, other) => one.until - other.until))
    longest.set(`${cooldown.upstream}\n${cooldown.key}\n${cooldown.model}`, cooldown);
  return [...longest.values()];
}

function liveCall({ id, startedAt, key, route, model, upstream, stream }: RunningCall): LiveCall {
  return {
    id,
    startedAt: Math.round(performance.timeOrigin + startedAt),
    key: key?.name,
    route: route.path,
    model,
    upstream: upstream?.name,
    stream,
  };
}

function finishedCall(record: CallRecord): FinishedCall {
  const { id, time, key, method, route, model, upstream, upstreamModel, status, ms, firstByteMs } = record;
  const { stream, usage, cost, retries, losses, errorCode, errorMessage } = record;
  return {
    id,
    time,
    key,
    method,
    route,
    model,
    upstreamModel: upstreamModel === model ? undefined : upstreamModel,
    upstream,
    status,
    ms,
    firstByteMs,
    stream,
    tokens: usage && toTokens(usage),
    cost,
    retries,
    losses: losses.map(({ code }) => code),
    errorCode,
    fault: errorMessage,
  };
}

function toTokens({ input, output }: NonNullable<CallRecord["usage"]>): FinishedCall["tokens"] & object {
  return { input: input.total, cached: input.cacheRead, output: output.total };
}

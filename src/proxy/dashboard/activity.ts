import { MOST_ENDED, type RecentCalls, type RunningCall } from "../observability/recent-calls.ts";
import type { CallRecord } from "../observability/request-log.ts";
import type { Cooldown, Cooldowns } from "../routing/cooldowns.ts";
import type { FinishedCall, LiveCall } from "./api-types.ts";

/** Calls that run and that have ended, newest first: plain data, so that several processes can put theirs together. */
export interface CallActivity {
  readonly live: readonly LiveCall[];
  readonly calls: readonly FinishedCall[];
  /** Upstreams and keys that are asked last for a while. */
  readonly resting: readonly Cooldown[];
}

/** Of a process that serves nothing, or does not answer. */
export const NO_CALLS: CallActivity = { live: [], calls: [], resting: [] };

/** Of this process; of ended calls those from `since` (ISO 8601) on. */
export function ownActivity(recent: RecentCalls, cooldowns: Cooldowns, since: string): CallActivity {
  const [live, calls] = [recent.running.map(liveCall), recent.ended(since).map(finishedCall)];
  return mergeActivity([{ live, calls, resting: cooldowns.list() }]);
}

/** Of several processes together. */
export function mergeActivity(all: readonly CallActivity[]): CallActivity {
  return {
    live: all.flatMap(({ live }) => live).toSorted((one, other) => one.startedAt - other.startedAt),
    calls: all
      .flatMap(({ calls }) => calls)
      .toSorted((one, other) => (one.time < other.time ? 1 : one.time > other.time ? -1 : 0))
      .slice(0, MOST_ENDED),
    resting: longestOfEach(all.flatMap(({ resting }) => resting)),
  };
}

/** Each place once: several processes learn the same of it. */
function longestOfEach(all: readonly Cooldown[]): Cooldown[] {
  const places = new Map<string, Cooldown>();
  for (const place of all.toSorted((one, other) => one.until - other.until))
    places.set(`${place.upstream}\n${place.key}\n${place.model}`, place);
  return [...places.values()];
}

function liveCall({ id, startedAt, key, route, model, upstream, stream }: RunningCall): LiveCall {
  return {
    id,
    startedAt: Math.round(performance.timeOrigin + startedAt),
    ...(key && { key: key.name }),
    route: route.path,
    ...(model !== undefined && { model }),
    ...(upstream && { upstream: upstream.name }),
    stream,
  };
}

function finishedCall(record: CallRecord): FinishedCall {
  const { id, time, key, method, route, model, upstream, upstreamModel, status, ms, firstByteMs } = record;
  const { stream, usage, cost, retries, losses, errorCode, fault } = record;
  return {
    id,
    time,
    ...(key !== undefined && { key }),
    method,
    route,
    ...(model !== undefined && { model }),
    ...(upstreamModel !== undefined && upstreamModel !== model && { upstreamModel }),
    ...(upstream !== undefined && { upstream }),
    status,
    ms,
    ...(firstByteMs !== undefined && { firstByteMs }),
    stream,
    ...(usage && { tokens: tokensOf(usage) }),
    ...(cost !== undefined && { cost }),
    retries,
    losses: losses.map(({ code }) => code),
    ...(errorCode !== undefined && { errorCode }),
    ...(fault !== undefined && { fault }),
  };
}

function tokensOf({ input, output }: NonNullable<CallRecord["usage"]>): FinishedCall["tokens"] & object {
  return {
    ...(input.total !== undefined && { input: input.total }),
    ...(input.cacheRead !== undefined && { cached: input.cacheRead }),
    ...(output.total !== undefined && { output: output.total }),
  };
}

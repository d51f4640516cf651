import type { CallRecord } from "./request-log.ts";

/** A call that is being served, as much as is looked at of it. */
export interface RunningCall {
  readonly id: string;
  /** `performance.now()`. */
  readonly startedAt: number;
  readonly key: { readonly name: string } | undefined;
  readonly route: { readonly path: string };
  readonly model: string | undefined;
  readonly upstream: { readonly name: string } | undefined;
  readonly stream: boolean;
}

/** Calls that run at this moment, and those that ended last. */
export interface RecentCalls {
  begin(call: RunningCall): void;
  end(call: RunningCall, record: CallRecord): void;
  readonly running: ReadonlySet<RunningCall>;
  /** Newest first, from those that ended at `since` (ISO 8601) on. */
  ended(since: string): CallRecord[];
}

/** How many ended calls are kept. */
export const MOST_ENDED = 200;

/** Keeps the objects there are: every call comes by here, whether anybody looks or not. */
export function createRecentCalls(): RecentCalls {
  const running = new Set<RunningCall>();
  const ring: CallRecord[] = [];
  let next = 0;
  return {
    begin(call) {
      running.add(call);
    },
    end(call, record) {
      running.delete(call);
      ring[next] = record;
      next = (next + 1) % MOST_ENDED;
    },
    running,
    ended: (since) =>
      [...ring.slice(next), ...ring.slice(0, next)].toReversed().filter(({ time }) => time >= since),
  };
}

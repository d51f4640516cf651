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
  /** Where it stands among the running ones, which keep this; -1 where it is not one of them. */
  place: number;
}

/** Calls that run at this moment, and those that ended last. */
export interface RecentCalls {
  begin(call: RunningCall): void;
  end(call: RunningCall, record: CallRecord): void;
  readonly running: readonly RunningCall[];
  /** Newest first, from those that ended at `since` (ISO 8601) on. */
  ended(since: string): CallRecord[];
}

/** How many ended calls are kept. */
export const MOST_ENDED = 200;

/**
 * Keeps the objects there are: every call comes by here, whether anybody looks or not. The running ones in a list and not
 * in a set, whose discarded tables would have kept ended calls in memory, 25 MB of them.
 */
export function createRecentCalls(): RecentCalls {
  const running: RunningCall[] = [];
  const ring: CallRecord[] = [];
  let next = 0;
  return {
    begin(call) {
      call.place = running.push(call) - 1;
    },
    end(call, record) {
      const last = running.at(-1);
      if (call.place >= 0 && last !== undefined) {
        // The last one takes its place.
        running[call.place] = last;
        last.place = call.place;
        call.place = -1;
        running.pop();
      }
      ring[next] = record;
      next = (next + 1) % MOST_ENDED;
    },
    running,
    ended: (since) =>
      [...ring.slice(next), ...ring.slice(0, next)].toReversed().filter(({ time }) => time >= since),
  };
}

import type { CallRecord } from "./request-log.ts";

/** The parts of a running call that the dashboard shows. */
export interface RunningCall {
  readonly id: string;
  /** When the call began, as returned by `performance.now()`. */
  readonly startedAt: number;
  readonly key: { readonly name: string } | undefined;
  readonly route: { readonly path: string };
  readonly model: string | undefined;
  readonly upstream: { readonly name: string } | undefined;
  readonly stream: boolean;
  /** The index in `running`, which `begin` and `end` set; -1 if the call is not running. */
  index: number;
}

/** The running calls, and the calls that ended last. */
export interface RecentCalls {
  begin(call: RunningCall): void;
  end(call: RunningCall, record: CallRecord): void;
  readonly running: readonly RunningCall[];
  /** Returns the calls that ended at `since` (ISO 8601) or later, newest first. */
  ended(since: string): CallRecord[];
}

/** Maximum number of ended calls that are kept. */
export const MAX_ENDED_CALLS = 200;

/**
 * Creates an empty registry. It keeps the calls' own objects, because copies would cost time in every call, even if the
 * dashboard is never opened. Running calls are in an array, because the discarded hash tables of a set retain ended
 * calls.
 */
export function createRecentCalls(): RecentCalls {
  const running: RunningCall[] = [];
  const ring: CallRecord[] = [];
  let next = 0;
  return {
    begin(call) {
      call.index = running.push(call) - 1;
    },
    end(call, record) {
      const last = running.at(-1);
      if (call.index >= 0 && last !== undefined) {
        // The last call moves to the free index.
        running[call.index] = last;
        last.index = call.index;
        call.index = -1;
        running.pop();
      }
      ring[next] = record;
      next = (next + 1) % MAX_ENDED_CALLS;
    },
    running,
    ended: (since) =>
      [...ring.slice(next), ...ring.slice(0, next)].toReversed().filter(({ time }) => time >= since),
  };
}

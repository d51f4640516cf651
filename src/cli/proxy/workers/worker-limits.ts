import type { Decision, LimitStore, Reservation } from "../../../proxy/gateway/limits.ts";
import { createMemoryLimits } from "../../../proxy/gateway/limits-memory.ts";
import type { PrimaryCalls } from "./calls.ts";
import type { Remote } from "./remote.ts";

/** The limits that the primary counts for one worker. */
export interface WorkerLimits {
  readonly calls: Pick<PrimaryCalls, "reserveLimits" | "settleLimits" | "readLimits">;
  /** Ends the reservations of a worker that has ended; their estimated input is charged. */
  end(): void;
}

/** Creates the counters that all workers share. Returns a function that opens them for one worker. */
export function createWorkerLimits(): () => WorkerLimits {
  const store = createMemoryLimits();
  return () => {
    const open = new Map<string, Reservation>();
    return {
      calls: {
        reserveLimits(reservation) {
          const decision = store.reserve(reservation) as Decision;
          if (decision.excess === undefined) open.set(reservation.id, reservation);
          return decision;
        },
        settleLimits({ reservation, used }) {
          open.delete(reservation.id);
          store.settle(reservation, used);
        },
        readLimits: (subjects) => store.read(subjects) as ReturnType<PrimaryCalls["readLimits"]>,
      },
      end() {
        for (const reservation of open.values())
          store.settle(reservation, { tokens: reservation.tokens, micros: reservation.inputMicros });
        open.clear();
      },
    };
  };
}

/** Returns the store of a worker, which counts in the primary. */
export function createRemoteLimits(primary: Remote<PrimaryCalls>): LimitStore {
  return {
    reserve: (reservation) => primary.call("reserveLimits", reservation),
    settle(reservation, used) {
      // If the primary has ended, this process ends too.
      primary.call("settleLimits", { reservation, used }).catch(() => {});
    },
    read: (subjects) => primary.call("readLimits", subjects),
    prime() {},
    close() {},
  };
}

import type { Decision, LimitStore, LostReservation, Reservation } from "../../../proxy/gateway/limits.ts";
import { createMemoryLimits } from "../../../proxy/gateway/limits-memory.ts";
import type { SpentBudget } from "../../../proxy/gateway/limits-spent.ts";
import type { PrimaryCalls } from "./calls.ts";
import type { Remote } from "./remote.ts";

/** The limits that the primary counts for one worker. */
export interface WorkerLimits {
  readonly calls: Pick<PrimaryCalls, "reserveLimits" | "settleLimits" | "readLimits">;
  /**
   * Ends and returns the reservations of a worker that has ended. Budgets are charged for the estimated input; the
   * reserved tokens stay counted.
   */
  end(): LostReservation[];
}

/** The counters that all workers share. */
export interface CommonLimits {
  open(): WorkerLimits;
  /** Sets the amounts of budgets that were already spent when this process started to count. */
  prime(spent: readonly SpentBudget[]): void;
}

/** Creates the counters that all workers share. */
export function createWorkerLimits(): CommonLimits {
  const store = createMemoryLimits();
  const openOne = (): WorkerLimits => {
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
        const lost = [...open.values()];
        open.clear();
        for (const reservation of lost)
          store.settle(reservation, { tokens: reservation.tokens, micros: reservation.inputMicros });
        return lost.map(({ id, inputMicros, meta }) => ({ id, micros: inputMicros, meta }));
      },
    };
  };
  return {
    open: openOne,
    prime(spent) {
      for (const each of spent) store.prime(each);
    },
  };
}

/** Creates the limit store of a worker. The primary keeps its counters. */
export function createRemoteLimits(primary: Remote<PrimaryCalls>): LimitStore {
  return {
    keepsMeta: true,
    reserve: (reservation) => primary.call("reserveLimits", reservation),
    settle(reservation, used) {
      // If the call fails because the primary has ended, this process ends too.
      primary.call("settleLimits", { reservation, used }).catch(() => {});
    },
    read: (subjects) => primary.call("readLimits", subjects),
    prime() {},
    close() {},
  };
}

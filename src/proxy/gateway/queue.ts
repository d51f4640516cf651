import type { QueueSettings } from "../../config/proxy/limits.ts";
import type { Decision, LimitName, LimitStore, Reservation, SubjectState, Usage } from "./limits.ts";

/**
 * Maximum milliseconds between two limit checks for the first call in a queue. A call that ends in this process wakes
 * the first call immediately; a call that ends in another process and a rate that recovers do not.
 */
const POLL_MS = 100;

interface Waiter {
  wake(): void;
}

/** Lets calls wait for limits, in the order in which they arrived. */
export class LimitQueue {
  private readonly lines = new Map<string, Waiter[]>();

  constructor(readonly store: LimitStore) {}

  /**
   * Reserves the maximum usage of a call, and waits if a limit in `waitsFor` is full and the queue has room. Resolves
   * with the limit that the call still exceeds if the wait times out. Does not wait if `settings` is undefined. Rejects
   * with the signal's reason if the signal aborts during the wait.
   */
  reserve(
    reservation: Reservation,
    settings: QueueSettings | undefined,
    waitsFor: readonly LimitName[],
    signal: () => AbortSignal,
  ): Decision | Promise<Decision> {
    if (settings === undefined) return this.store.reserve(reservation);
    return this.reserveInTurn(reservation, settings, waitsFor, signal);
  }

  /** Ends a reservation and wakes the next call in the queue. */
  settle(reservation: Reservation, used: Usage): void {
    this.store.settle(reservation, used);
    if (this.lines.size === 0) return;
    for (const { id } of reservation.subjects) this.lines.get(id)?.[0]?.wake();
  }

  private async reserveInTurn(
    reservation: Reservation,
    settings: QueueSettings,
    waitsFor: readonly LimitName[],
    signal: () => AbortSignal,
  ): Promise<Decision> {
    let line = reservation.subjects.findIndex(({ id }) => this.lines.has(id));
    let decision: Decision;
    if (line >= 0) {
      const states = await this.store.read(reservation.subjects);
      const limit = findFullLimit(states[line], waitsFor);
      decision = { excess: { subject: line, limit, budget: 0, retryMs: 0, neverFits: false }, states };
    } else {
      decision = await this.store.reserve(reservation);
      const { excess } = decision;
      if (excess === undefined || excess.neverFits || !waitsFor.includes(excess.limit)) return decision;
      line = excess.subject;
    }
    const id = reservation.subjects[line]?.id ?? "";
    const waiting = this.lines.get(id) ?? [];
    if (waiting.length >= settings.size) return decision;
    return this.wait(reservation, id, decision, Date.now() + settings.timeoutMs, waitsFor, signal());
  }

  private async wait(
    reservation: Reservation,
    id: string,
    first: Decision,
    deadline: number,
    waitsFor: readonly LimitName[],
    signal: AbortSignal,
  ): Promise<Decision> {
    const line = this.lines.get(id) ?? [];
    this.lines.set(id, line);
    let wake = () => {};
    const waiter: Waiter = { wake: () => wake() };
    line.push(waiter);
    let decision = first;
    try {
      for (;;) {
        signal.throwIfAborted();
        const leftMs = deadline - Date.now();
        if (leftMs <= 0) return decision;
        const isFirst = line[0] === waiter;
        const retryMs = decision.excess?.retryMs ?? 0;
        const lookMs = isFirst ? Math.max(1, Math.min(leftMs, retryMs || POLL_MS, POLL_MS)) : leftMs;
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, lookMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
          signal.addEventListener("abort", wake, { once: true });
        }).finally(() => signal.removeEventListener("abort", wake));
        if (line[0] !== waiter || signal.aborted) continue;
        decision = await this.store.reserve(reservation);
        const { excess } = decision;
        if (excess === undefined || !waitsFor.includes(excess.limit)) return decision;
      }
    } finally {
      line.splice(line.indexOf(waiter), 1);
      if (line.length === 0) this.lines.delete(id);
      else line[0]?.wake();
    }
  }
}

/**
 * Returns the limit that the calls of a queue wait for: the first of `waitsFor` that is full, or otherwise the first
 * that is set.
 */
function findFullLimit(state: SubjectState | undefined, waitsFor: readonly LimitName[]): LimitName {
  const remaining = (name: LimitName) => (name === "budget" ? undefined : state?.[name]?.remaining);
  const set = waitsFor.filter((name) => remaining(name) !== undefined);
  return set.find((name) => (remaining(name) ?? 1) <= 0) ?? set[0] ?? "concurrency";
}

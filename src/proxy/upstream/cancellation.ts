import type { CancelSignal } from "./relay-task.ts";

/**
 * Cancels the upstream calls of one client call. Every translated call aborts it at its end; an `AbortController` would
 * take a sixth of the CPU time of a small call, mainly for the stack of its `DOMException` (bench/translate/cost.mjs).
 */
export class Cancellation implements CancelSignal {
  aborted = false;
  private readonly listeners = new Set<() => void>();

  addEventListener(_type: "abort", listener: () => void): void {
    this.listeners.add(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.listeners.delete(listener);
  }

  /** Calls each listener once. A listener that is added later is not called; check `aborted` first. */
  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    const listeners = [...this.listeners];
    this.listeners.clear();
    for (const listener of listeners) listener();
  }
}

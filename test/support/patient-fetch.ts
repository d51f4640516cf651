import { onTestFinished, vi } from "vitest";

/**
 * Disables timeouts for the rest of a test whose server responds: on a busy machine, a first `fetch` alone takes a
 * second.
 */
export function disableTimeouts(): void {
  const spy = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => new AbortController().signal);
  onTestFinished(() => spy.mockRestore());
}

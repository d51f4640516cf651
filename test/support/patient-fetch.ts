import { onTestFinished, vi } from "vitest";

/** Has nothing time out for the rest of a test whose server answers: a first `fetch` alone takes a busy machine a second. */
export function disableTimeouts(): void {
  const spy = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => new AbortController().signal);
  onTestFinished(() => spy.mockRestore());
}

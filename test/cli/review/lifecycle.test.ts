import { describe, expect, it, onTestFinished, vi } from "vitest";
import { getExitCode, startLifecycle } from "../../../src/cli/review/lifecycle.ts";

const ended = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));

describe("a command's lifecycle", () => {
  it.each([
    [{ reason: "signal", signal: "SIGINT" }, 130],
    [{ reason: "signal", signal: "SIGTERM" }, 143],
    [{ reason: "signal", signal: "SIGHUP" }, 129],
    [{ reason: "caller-gone" }, 129],
    [{ reason: "timeout" }, 124],
  ] as const)("%j has the exit code %i", (exitReason, code) => {
    expect(getExitCode(exitReason)).toBe(code);
  });

  it("ends with a signal, keeps its reason, and forces the exit after 2 s", async () => {
    // The real timer would end the process that runs the next test files.
    vi.useFakeTimers();
    const kill = vi.spyOn(process, "kill").mockReturnValue(true);
    onTestFinished(() => {
      vi.useRealTimers();
      kill.mockRestore();
    });
    const lifecycle = startLifecycle();
    const aborted = ended(lifecycle.signal);
    process.emit("SIGHUP", "SIGHUP");
    await aborted;
    expect(lifecycle.exitReason).toEqual({ reason: "signal", signal: "SIGHUP" });
    vi.advanceTimersByTime(1_999);
    expect(kill).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, "SIGHUP");
    lifecycle.dispose();
  });

  it("ends with the time limit and keeps the first reason", async () => {
    const lifecycle = startLifecycle();
    lifecycle.stopAfter(0.001);
    await ended(lifecycle.signal);
    expect(lifecycle.exitReason).toEqual({ reason: "timeout" });
    lifecycle.dispose();
  });

  it("ends with the latest time limit only", () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const lifecycle = startLifecycle();
    lifecycle.stopAfter(1);
    lifecycle.stopAfter(3);
    vi.advanceTimersByTime(2_000);
    expect(lifecycle.exitReason).toBeUndefined();
    lifecycle.stopAfter(undefined);
    vi.advanceTimersByTime(2_000);
    expect(lifecycle.exitReason).toBeUndefined();
    lifecycle.dispose();
  });

  it("restores the signals' default behavior", () => {
    const before = process.listenerCount("SIGINT");
    const lifecycle = startLifecycle();
    expect(process.listenerCount("SIGINT")).toBe(before + 1);
    lifecycle.dispose();
    expect(process.listenerCount("SIGINT")).toBe(before);
  });
});

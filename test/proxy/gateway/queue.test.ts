import { afterEach, describe, expect, it, vi } from "vitest";
import type { Reservation } from "../../../src/proxy/gateway/limits.ts";
import { createMemoryLimits } from "../../../src/proxy/gateway/limits-memory.ts";
import { LimitQueue } from "../../../src/proxy/gateway/queue.ts";

const reservation = (id: string): Reservation => ({
  id,
  subjects: [{ id: "upstream", label: "the upstream", limits: { rpm: 1 } }],
  calls: 1,
  tokens: 0,
  micros: 0,
  inputMicros: 0,
  totalMs: 0,
});
const signal = () => new AbortController().signal;

describe("the queue of calls that wait for limits", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("names the limit that is full to a call that finds the queue full", async () => {
    vi.useFakeTimers();
    const queue = new LimitQueue(createMemoryLimits());
    const settings = { size: 1, timeoutMs: 1_000 };
    const reserve = async (id: string) =>
      queue.reserve(reservation(id), settings, ["concurrency", "rpm", "tpm"], signal);
    expect((await reserve("a")).excess).toBeUndefined();
    const waiting = reserve("b");
    await vi.advanceTimersByTimeAsync(0);
    expect((await reserve("c")).excess).toMatchObject({ limit: "rpm" });
    await vi.advanceTimersByTimeAsync(1_100);
    expect((await waiting).excess).toMatchObject({ limit: "rpm" });
  });
});

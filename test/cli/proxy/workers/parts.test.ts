import { describe, expect, it } from "vitest";
import { createCrashWatch, toWorkerShare } from "../../../../src/cli/proxy/workers/serve-in-workers.ts";
import { configOf } from "../../../support/start-proxy.ts";

describe("worker exits", () => {
  it("are too many if five happen within ten seconds", () => {
    const isTooMany = createCrashWatch();
    const moments = [0, 3_000, 6_000, 9_000, 12_000, 14_000, 15_000];
    expect(moments.map(isTooMany)).toEqual([false, false, false, false, false, false, true]);
  });
});

describe("a worker's share", () => {
  const limits = (settings: object, workers: number) =>
    toWorkerShare(configOf({ limits: settings }), workers).limits;

  it("is an equal part of the limit", () => {
    expect(limits({ in_flight: 1000, body: 100, connections: 99 }, 4)).toMatchObject({
      inFlight: 250,
      body: 100,
      connections: 24,
    });
  });

  it("allows at least one body and one connection", () => {
    expect(limits({ in_flight: 1000, body: 600, connections: 3 }, 4)).toMatchObject({
      inFlight: 600,
      connections: 1,
    });
    expect(limits({ in_flight: 500, body: 600 }, 4).inFlight).toBe(500);
  });
});

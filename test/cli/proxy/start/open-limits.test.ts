import { afterAll, describe, expect, it } from "vitest";
import { openLimits } from "../../../../src/cli/proxy/start/open-limits.ts";
import { startRedis } from "../../../support/servers.ts";
import { configOf } from "../../../support/start-proxy.ts";

const closers: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closers.toReversed()) await close();
});

describe("redis_failure", () => {
  it("applies to a running proxy as soon as the configuration is reloaded", async () => {
    const redis = await startRedis();
    closers.push(redis.remove);
    let config = configOf({ redis: redis.url, redis_failure: "local" });
    const shared = await openLimits(
      () => config,
      { note: () => {} },
      undefined,
      () => {},
    );
    const limits = shared?.limits;
    if (limits === undefined) throw new Error("no limits");
    closers.push(() => limits.close());
    let calls = 0;
    const reserve = async () => {
      const subjects = [{ id: "key:alice", label: "the key alice", limits: { rpm: 100 } }];
      const call = {
        id: `call-${++calls}`,
        subjects,
        calls: 1,
        tokens: 0,
        micros: 0,
        inputMicros: 0,
        totalMs: 0,
      };
      return limits.reserve(call);
    };
    await redis.stop();
    await expect.poll(() => limits.redisState?.().status).toBe("down");
    expect((await reserve()).excess).toBeUndefined();
    config = configOf({ redis: redis.url, redis_failure: "refuse" });
    await expect(reserve()).rejects.toMatchObject({ code: "limits_unavailable" });
    config = configOf({ redis: redis.url, redis_failure: "local" });
    expect((await reserve()).excess).toBeUndefined();
  });
});

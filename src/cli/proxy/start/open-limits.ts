import { randomBytes } from "node:crypto";
import type { ProxyConfig } from "../../../config/proxy/config.ts";
import { AppError } from "../../../errors.ts";
import { type LimitStore, toUsd } from "../../../proxy/gateway/limits.ts";
import type { Output } from "../../output.ts";

/**
 * Connects to Redis, which counts limits for all replicas; undefined if none is configured. Throws `configuration` if
 * Redis is unreachable and `redis_failure` is `refuse`.
 */
export async function openLimits(
  { redis, redisFailure }: ProxyConfig,
  output: Pick<Output, "note">,
): Promise<LimitStore | undefined> {
  if (redis === undefined) return undefined;
  const [{ connectRedis }, { createRedisLimits }, { createFailover }] = await Promise.all([
    import("../../../proxy/gateway/redis-connection.ts"),
    import("../../../proxy/gateway/redis-limits.ts"),
    import("../../../proxy/gateway/limits-failover.ts"),
  ]);
  const { host } = new URL(redis);
  const connection = await connectRedis(redis, (reason) =>
    output.note(reason === undefined ? `Redis at ${host} is reachable again.` : warning(host, reason)),
  );
  if (!connection.isReady && redisFailure === "refuse") {
    connection.close();
    throw new AppError("configuration", `Redis at ${host} is unreachable.`, {
      hint: "Start Redis, correct proxy.redis, or set proxy.redis_failure to local.",
    });
  }
  const limits = createRedisLimits(connection, {
    replica: randomBytes(8).toString("hex"),
    onLost: ({ id, micros }) =>
      output.note(`The call ${id} was lost with its process; $${toUsd(micros)} were charged.`),
  });
  return createFailover(limits, connection, () => redisFailure);
}

function warning(host: string, reason: string): string {
  return `Redis at ${host} is unreachable (${reason}): see proxy.redis_failure.`;
}

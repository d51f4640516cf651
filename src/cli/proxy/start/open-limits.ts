import { randomBytes } from "node:crypto";
import type { ProxyConfig } from "../../../config/proxy/config.ts";
import { AppError } from "../../../errors.ts";
import type { Gateway } from "../../../proxy/gateway/gateway.ts";
import { type LimitStore, toUsd } from "../../../proxy/gateway/limits.ts";
import { type BudgetAccount, budgetAccounts, type SpentBudget } from "../../../proxy/gateway/limits-spent.ts";
import { lostCallLine } from "../../../proxy/gateway/lost-calls.ts";
import type { CooldownShare } from "../../../proxy/routing/cooldowns.ts";
import type { Output } from "../../output.ts";

/** The limits and cooldowns that all replicas share through Redis. */
export interface SharedState {
  readonly limits: LimitStore;
  readonly cooldowns: CooldownShare;
}

/**
 * Connects to Redis, which counts limits and shares cooldowns for all replicas; returns undefined if none is
 * configured. `writeLine` adds a line to the request log. Throws `configuration` if Redis is unreachable and
 * `redis_failure` is `refuse`.
 */
export async function openLimits(
  config: () => ProxyConfig,
  output: Pick<Output, "note">,
  gateway: Gateway | undefined,
  writeLine: (line: string) => void,
): Promise<SharedState | undefined> {
  const { redis, redisFailure } = config();
  if (redis === undefined) return undefined;
  const [{ connectRedis }, { createRedisLimits }, { createFailover }, { createRedisCooldowns }] =
    await Promise.all([
      import("../../../proxy/gateway/redis-connection.ts"),
      import("../../../proxy/gateway/redis-limits.ts"),
      import("../../../proxy/gateway/limits-failover.ts"),
      import("../../../proxy/gateway/redis-cooldowns.ts"),
    ]);
  const { host } = new URL(redis);
  const connection = await connectRedis(
    () => config().redis ?? redis,
    (reason) =>
      output.note(reason === undefined ? `Redis at ${host} is reachable again.` : warning(host, reason)),
  );
  if (!connection.isReady && redisFailure === "refuse") {
    connection.close();
    throw new AppError("configuration", `Redis at ${host} is unreachable`, {
      hint: "Start Redis, correct proxy.redis, or set proxy.redis_failure to local.",
    });
  }
  const replica = randomBytes(8).toString("hex");
  const counters = createRedisLimits(connection, {
    replica,
    onLost(lost) {
      output.note(`The call ${lost.id} was lost with its process. Charged: $${toUsd(lost.micros)}.`);
      const line = lostCallLine(lost, Date.now());
      if (line !== undefined && (gateway !== undefined || config().logging.requests)) writeLine(line);
    },
  });
  const ledger = gateway && {
    accounts: () =>
      budgetAccounts(config().keys, { keys: gateway.directory.keys(), teams: gateway.directory.teams() }),
    spent: async (accounts: readonly BudgetAccount[]) => (await gateway.store()).spent(accounts),
    replicas: async () => (await (await gateway.store()).replicas()).length,
  };
  const cooldowns = createRedisCooldowns(connection, replica);
  const limits = createFailover(counters, connection, () => config().redisFailure, ledger);
  return { limits, cooldowns };
}

/**
 * Sets the amounts of budgets that were already spent when this process started to count. If Redis is down, the store
 * sets them itself once Redis is reachable again.
 */
export async function primeLimits(limits: LimitStore, spent: readonly SpentBudget[]): Promise<void> {
  await Promise.allSettled(spent.map(async (each) => limits.prime(each)));
}

function warning(host: string, reason: string): string {
  return `Redis at ${host} is unreachable (${reason}): see proxy.redis_failure.`;
}

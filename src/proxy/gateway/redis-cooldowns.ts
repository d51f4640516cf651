import type { CooldownShare, CooldownUpdate } from "../routing/cooldowns.ts";
import type { RedisConnection } from "./redis-connection.ts";
import { toScript } from "./redis-limits.ts";
import { COOL, COOLDOWNS } from "./redis-scripts.ts";

/** Milliseconds between two reads of the cooldowns of other replicas. */
const POLL_MS = 400;

/**
 * Shares cooldowns between replicas through Redis, with times by the clock of Redis. `replica` identifies this process.
 */
export function createRedisCooldowns(redis: RedisConnection, replica: string): CooldownShare {
  let listener: (update: CooldownUpdate) => void = () => {};
  let since = "0";
  const poll = async () => {
    if (!redis.isReady) return;
    const [now, ...items] = (await redis.run(SCRIPTS.list, [since])) as string[];
    since = now ?? since;
    for (let index = 0; index + 2 < items.length; index += 3) {
      const [ms = "0", by, text = "{}"] = items.slice(index, index + 3);
      if (by !== replica) listener({ ...(JSON.parse(text) as CooldownUpdate), ms: Math.max(0, Number(ms)) });
    }
  };
  let isPolling = false;
  const timer = setInterval(() => {
    if (isPolling) return;
    isPolling = true;
    // While Redis is unreachable, this replica continues with the cooldowns that it knows.
    poll()
      .catch(() => {})
      .finally(() => {
        isPolling = false;
      });
  }, POLL_MS).unref();
  return {
    publish({ ms, ...update }) {
      const { upstream, key, model, pauseMs } = update;
      const id = JSON.stringify([upstream, key, model, pauseMs !== undefined]);
      redis.run(SCRIPTS.cool, [replica, id, String(Math.round(ms)), JSON.stringify(update)]).catch(() => {});
    },
    onUpdate(next) {
      listener = next;
    },
    close: () => clearInterval(timer),
  };
}

const SCRIPTS = { cool: toScript(COOL), list: toScript(COOLDOWNS) };

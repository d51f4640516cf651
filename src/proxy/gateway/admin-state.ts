import { subjectsOf } from "../../config/proxy/limits.ts";
import type { Services } from "../services.ts";
import type { KeyLimitsState } from "./admin-schemas.ts";
import type { VirtualKey } from "./key-schemas.ts";
import { type RateState, toUsd } from "./limits.ts";

/** Returns what is left of a key's own limits. */
export async function keyLimitsState(key: VirtualKey, services: Services): Promise<KeyLimitsState> {
  const { rpm, tpm, concurrency, budgets = [] } = key.limits;
  const subjects = subjectsOf(key) ?? [];
  const [state = { budgets: [] }] = subjects.length === 0 ? [] : await services.limits.read(subjects);
  const now = Date.now();
  const rate = (limit: number | undefined, left: RateState | undefined) =>
    limit === undefined
      ? null
      : {
          limit,
          remaining: Math.max(0, Math.floor(left?.remaining ?? limit)),
          resets_at: isoOrNull(left && now + left.resetMs),
        };
  return {
    rpm: rate(rpm, state.rpm),
    tpm: rate(tpm, state.tpm),
    concurrency:
      concurrency === undefined
        ? null
        : { limit: concurrency, remaining: state.concurrency?.remaining ?? concurrency },
    budgets: budgets.map((budget, index) => {
      const left = state.budgets[index];
      return {
        ...budget,
        remaining: left === undefined ? budget.usd : toUsd(left.remainingMicros),
        resets_at: isoOrNull(left?.resetsAt),
      };
    }),
  };
}

/** Returns what runs and what is down. */
export async function adminHealth(services: Services) {
  const { config } = services.runtime();
  const [{ active }, activity, database] = await Promise.all([
    services.totals(),
    // From now on: ended calls are not needed.
    services.activity(new Date().toISOString()),
    services.gateway.state(),
  ]);
  // An upstream whose keys alone are in cooldown still serves calls.
  const whole = activity.cooldowns.filter(({ key }) => key === undefined);
  const until = new Map(whole.map((cooldown) => [cooldown.upstream, cooldown.until]));
  return {
    replicas: [
      {
        id: services.replicaId,
        version: services.version,
        since: new Date(services.startedAt).toISOString(),
        in_flight: active,
      },
    ],
    database,
    redis: { status: "none", reason: null },
    upstreams: [...config.upstreams.values()].map(({ name, dialect }) => ({
      name,
      dialect,
      cooldown_until: isoOrNull(until.get(name)),
    })),
  };
}

function isoOrNull(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}

import { type Limits, type Subject, subjectsOf } from "../../config/proxy/limits.ts";
import type { Services } from "../services.ts";
import type { KeyLimitsState } from "./admin-schemas.ts";
import type { Team, VirtualKey } from "./key-schemas.ts";
import { type RateState, toUsd } from "./limits.ts";

/** Returns what is left of a key's own limits. */
export function keyLimitsState(
  key: Pick<VirtualKey, "id" | "name"> & { readonly limits: Limits },
  services: Services,
): Promise<KeyLimitsState> {
  return limitsState(key.limits, subjectsOf(key) ?? [], services);
}

/** Returns what counts against a team's limits. */
export function teamSubjects(team: Pick<Team, "name"> & { readonly limits: Limits }): readonly Subject[] {
  return subjectsOf({ id: "", name: "" }, team) ?? [];
}

/** Returns what is left of limits; `subjects` is whom they are counted for, none without limits. */
export async function limitsState(
  { rpm, tpm, concurrency, budgets = [] }: Limits,
  subjects: readonly Subject[],
  services: Services,
): Promise<KeyLimitsState> {
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

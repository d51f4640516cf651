import type { ProxyConfig, ProxyKey } from "../../config/proxy/config.ts";
import { getLimitSubjects, type Limits, type Subject, teamSubject } from "../../config/proxy/limits.ts";
import type { Services } from "../services.ts";
import type { KeyLimitsState } from "./admin-schemas.ts";
import { ownReplica } from "./heartbeat.ts";
import type { VirtualKey } from "./key-schemas.ts";
import { type RateState, redisState, toUsd } from "./limits.ts";
import type { Replica } from "./replica-registry.ts";

/** Returns the remaining limits of a key, without those of its team. */
export function keyLimitsState(
  key: Pick<VirtualKey, "id" | "name"> & { readonly limits: Limits },
  services: Services,
): Promise<KeyLimitsState> {
  return limitsState(key.limits, getLimitSubjects(key) ?? [], services);
}

/** Returns the remaining limits of a team. */
export function teamLimitsState(
  team: { readonly name: string; readonly limits: Limits },
  services: Services,
): Promise<KeyLimitsState> {
  const subject = teamSubject(team);
  return limitsState(team.limits, subject ? [subject] : [], services);
}

/** Returns limits and their remaining amounts. `subjects` is empty if no limits apply. */
async function limitsState(
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

/** Returns this replica and those that have reported to the database recently. */
async function listReplicas(services: Services): Promise<readonly Replica[]> {
  const own = ownReplica(services);
  const reported = await services.gateway
    .store()
    .then((store) => store.replicas())
    // Without a database, or while it is down, only this replica is known.
    .catch(() => []);
  const all = [...reported.filter(({ id }) => id !== own.id), own];
  return all.sort((one, other) => one.since - other.since || (one.id < other.id ? -1 : 1));
}

/** Returns the state of the replicas, the database, Redis, the upstreams and the capture of bodies. */
export async function adminHealth(services: Services) {
  const { config } = services.runtime();
  const [replicas, activity, database] = await Promise.all([
    listReplicas(services),
    // Passes the current time, because ended calls are not needed.
    services.activity(new Date().toISOString()),
    services.gateway.state(),
  ]);
  // Omits cooldowns of single keys and models, because the upstream can serve other calls.
  const whole = activity.cooldowns.filter(({ key, model }) => key === undefined && model === undefined);
  const until = new Map(whole.map((cooldown) => [cooldown.upstream, cooldown.until]));
  return {
    replicas: replicas.map(({ id, version, since, inFlight }) => ({
      id,
      version,
      since: new Date(since).toISOString(),
      in_flight: inFlight,
    })),
    database,
    redis: redisState(services.limits),
    upstreams: [...config.upstreams.values()].map(({ name, dialect }) => ({
      name,
      dialect,
      cooldown_until: isoOrNull(until.get(name)),
    })),
    capture: captureState(services, config),
  };
}

/**
 * Returns which calls' bodies are kept: the setting for all calls, and the keys that keep the bodies of more calls than
 * this setting selects.
 */
function captureState({ gateway }: Services, { capture, keys }: ProxyConfig) {
  const { calls } = capture;
  const isMore = (own: ProxyKey["capture"] | null) =>
    own === "all" ? calls !== "all" : own === "errors" && calls === "off";
  const stored = gateway.directory.keys().filter(({ revoked_at }) => revoked_at === null);
  const named = [...keys, ...stored].filter((key) => isMore(key.capture));
  return { calls, keys: named.map(({ name }) => name) };
}

/** Returns the settings in force, with secrets redacted. */
export function adminSettings(services: Services) {
  const { config, redact } = services.runtime();
  const { readAt, refused } = services.configuration();
  return {
    file: config.file ?? null,
    read_at: new Date(readAt).toISOString(),
    refused: refused ? { at: new Date(refused.at).toISOString(), reason: redact(refused.reason) } : null,
    settings: config.settings.map(({ key, value, source }) => ({
      key,
      value: typeof value === "string" ? redact(value) : value,
      source,
    })),
  };
}

function isoOrNull(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}

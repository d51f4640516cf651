import { importSecret, type Notes } from "./imported.ts";
import { REFERENCE } from "./litellm-deployments.ts";

/** The members of LiteLLM's `router_settings` that describe Redis. */
interface RedisSettings {
  readonly redis_url?: string | null | undefined;
  readonly redis_host?: string | null | undefined;
  readonly redis_port?: string | number | null | undefined;
  readonly redis_password?: string | number | null | undefined;
}

/**
 * Returns the setting `redis` or `redis_env`, or an empty object. As in LiteLLM, `redis_url` takes precedence over the
 * settings of its parts.
 */
export function importRedis(settings: RedisSettings, notes: Notes): object {
  const { redis_url: url, redis_host: host, redis_port: port, redis_password: password } = settings;
  if (url) {
    const redis = importSecret(url, REFERENCE);
    return typeof redis === "string" ? { redis } : { redis_env: redis.env };
  }
  const parts = { redis_host: host, redis_port: port, redis_password: password };
  const given = Object.entries(parts).flatMap(([name, value]) => (value == null ? [] : [{ name, value }]));
  const user = password == null ? "" : `:${encodeURIComponent(password)}@`;
  const redis = `redis://${user}${host}:${port ?? DEFAULT_REDIS_PORT}`;
  if (host && !given.some(({ value }) => REFERENCE.test(String(value))) && URL.canParse(redis))
    return { redis };
  for (const { name } of given)
    notes.add(
      `router_settings.${name}`,
      'was left out: set "redis_env" to a variable that holds redis://:PASSWORD@HOST:PORT',
    );
  return {};
}

const DEFAULT_REDIS_PORT = 6379;

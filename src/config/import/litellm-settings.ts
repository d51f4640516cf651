import { importKey, importSecret, type Notes } from "./imported.ts";
import { REFERENCE } from "./litellm-deployments.ts";

/**
 * Settings of LiteLLM by section. An empty text marks a setting that other code converts; any other text is the note
 * that the setting gets.
 */
export const SECTIONS = {
  "": {
    model_list: "",
    router_settings: "",
    litellm_settings: "",
    general_settings: "",
    environment_variables: "was left out: set these variables in the proxy's environment",
    include: "was left out: import each included file, and join the results",
  },
  router_settings: {
    routing_strategy: "",
    model_group_alias: "",
    fallbacks: "",
    context_window_fallbacks: "",
    default_fallbacks: "",
    redis_url: "",
    redis_host: "",
    redis_port: "",
    redis_password: "",
    num_retries: "was left out: each target of a rule is tried once, the last one up to three times",
    allowed_fails: "was left out: 5 failures in 30 s put an upstream into cooldown",
    cooldown_time: "was left out: after 5 failures in 30 s, the cooldown takes 30 s and doubles up to 5 min",
    timeout: 'was left out: set "timeouts"',
    enable_pre_call_checks: 'was left out: a rule with "on": ["context_window"] has this effect',
  },
  litellm_settings: {
    request_timeout: "",
    fallbacks: "",
    context_window_fallbacks: "",
    default_fallbacks: "",
    drop_params: "was left out: the translation drops what a model rejects, and reports it in a header",
    num_retries: "was left out: each target of a rule is tried once, the last one up to three times",
    allowed_fails: "was left out: 5 failures in 30 s put an upstream into cooldown",
    cooldown_time: "was left out: after 5 failures in 30 s, the cooldown takes 30 s and doubles up to 5 min",
    set_verbose: "was left out",
    json_logs: "was left out: the request log is always JSON",
    callbacks: "was left out: /metrics serves Prometheus",
    success_callback: "was left out: usage is kept in the database, and /metrics serves Prometheus",
    failure_callback: "was left out: usage is kept in the database, and /metrics serves Prometheus",
    cache: "was left out: responses are not cached",
    cache_params: "was left out: responses are not cached",
  },
  general_settings: {
    master_key: "",
    database_url:
      'was left out: name another database in "database_env"; keys are created with `sallyport proxy keys create`',
    store_model_in_db: "was left out: upstreams and rules are in the configuration file",
    background_health_checks: "was left out: failures of calls show the state of an upstream",
    alerting: "was left out: alert on /metrics",
  },
} as const;

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

/** Converts LiteLLM's master key to a key that can call models; the proxy creates its own admin key. */
export function importMasterKey(key: string): object {
  return importKey("litellm-master-key", importSecret(key, REFERENCE));
}

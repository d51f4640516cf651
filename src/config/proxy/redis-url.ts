import type { Environment } from "../paths.ts";
import type { Refuse } from "./resolve.ts";
import type { ProxySettings } from "./schema.ts";
import { environmentValue } from "./upstreams.ts";

/** Returns the URL of Redis: from `SERVICE_PROXY_REDIS`, else from the file. */
export function findRedisUrl(
  settings: ProxySettings,
  environment: Environment,
  refuse: Refuse,
): string | undefined {
  const fromVariable = settings.redis_env && environmentValue(environment, settings.redis_env);
  if (settings.redis_env && !fromVariable)
    refuse(["redis_env"], `the environment variable ${settings.redis_env} is not set`);
  const url = environmentValue(environment, "SERVICE_PROXY_REDIS") || fromVariable || settings.redis;
  if (url === undefined || url === "none") return undefined;
  if (!/^rediss?:\/\/[^/]/.test(url) || !URL.canParse(url))
    refuse(["redis"], "must be a redis:// or rediss:// URL, or none");
  return url;
}

/** Returns the password in a URL, decoded and as written. */
export function passwordsIn(url: string | undefined): string[] {
  if (url === undefined) return [];
  const { password } = new URL(url);
  return [password, decodeURIComponent(password)];
}

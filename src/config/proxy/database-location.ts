import { isAbsolute, join, resolve } from "node:path";
import { z } from "zod";
import { AppError } from "../../errors.ts";
import type { Environment } from "../paths.ts";
import { type Secrets, secretText } from "../secret-sources.ts";
import type { ProxyConfig } from "./config.ts";
import { captureSchema } from "./limits.ts";
import type { Found, Refuse } from "./resolve.ts";
import type { ProxySettings } from "./schema.ts";
import { environmentValue } from "./upstreams.ts";
import { secretSource } from "./value-schemas.ts";

const text = z.string().min(1);

/** The settings of the `proxy` section that define what is stored, where, and for how long. */
export const storageSettings = {
  database: z
    .union([text, secretSource])
    .optional()
    .describe(
      "Where keys and usage are kept: sqlite (the default), sqlite:PATH, a postgres URL or its source, or none.",
    ),
  database_env: text.optional().describe("The environment variable that holds the database's URL."),
  retention: z
    .strictObject({
      calls: z.number().int().min(1).max(3_650).default(90).describe("Days to keep individual calls."),
      responses: z
        .number()
        .int()
        .min(1)
        .max(3_650)
        .default(30)
        .describe("Days to keep stored responses, for previous_response_id."),
    })
    .prefault({}),
  capture: captureSchema
    .default("off")
    .describe("Which calls' bodies are kept in the database, with secrets redacted, for admins."),
  capture_max: z
    .number()
    .int()
    .min(1_024)
    .max(16 * 1024 * 1024)
    .default(256 * 1024)
    .describe("Bytes of each body that are kept."),
  capture_retention: z.number().positive().max(3_650).default(7).describe("Days to keep bodies."),
  store: z.literal("memory").optional().describe('Deprecated: the same as `database: "none"`.'),
};

/** The database in which the proxy keeps keys, usage and stored responses. */
export type DatabaseLocation =
  | { readonly engine: "none" }
  | { readonly engine: "sqlite"; readonly path: string }
  | { readonly engine: "postgres"; readonly url: string };

/** The settings that define the location of the database. */
type DatabaseSettings = Pick<ProxySettings, "database" | "database_env" | "store">;

/**
 * Returns the location of the database, from the first of these that is set: `SERVICE_PROXY_DATABASE`, the variable
 * that `database_env` names, `database`, `store`. The default is `proxy/sallyport.db` in the data directory, for which
 * `isConfigured` is false. Relative paths are resolved against the configuration file's folder. Throws `configuration`
 * if the text is not a valid location or the named variable is not set.
 */
export function databaseLocation(
  settings: DatabaseSettings,
  environment: Environment,
  folders: { readonly data: string; readonly configuration: string },
  secrets: Secrets | undefined,
): { readonly location: DatabaseLocation; readonly isConfigured: boolean } {
  const [text, source] = locationText(settings, environment, secrets);
  return { location: parseLocation(text, source, folders), isConfigured: source !== undefined };
}

function parseLocation(
  text: string,
  source: string | undefined,
  folders: { readonly data: string; readonly configuration: string },
): DatabaseLocation {
  if (text === "none") return { engine: "none" };
  if (text === "sqlite") return { engine: "sqlite", path: join(folders.data, "proxy", "sallyport.db") };
  const path = text.startsWith("sqlite:") ? text.slice("sqlite:".length) : "";
  if (path !== "")
    return { engine: "sqlite", path: isAbsolute(path) ? path : resolve(folders.configuration, path) };
  if (/^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text)) return { engine: "postgres", url: text };
  // The text is not shown, because it may contain a password.
  throw new AppError("configuration", `${source ?? "proxy.database"} is not the location of a database`, {
    hint: 'Set it to "sqlite", "sqlite:PATH", "postgres://USER:PASSWORD@HOST/NAME" or "none".',
  });
}

/** Returns the text of the location, and the source that set it; the source is undefined for the default. */
function locationText(
  settings: DatabaseSettings,
  environment: Environment,
  secrets: Secrets | undefined,
): [string, string | undefined] {
  const override = environment["SERVICE_PROXY_DATABASE"];
  if (override) return [override, "SERVICE_PROXY_DATABASE"];
  const { database_env: name } = settings;
  if (name !== undefined) {
    const value = environment[name];
    if (value) return [value, `proxy.database_env (${name})`];
    throw new AppError("configuration", `proxy.database_env names ${name}, which is not set`, {
      hint: `Set ${name} to the database's URL.`,
    });
  }
  if (settings.database !== undefined) return [secretText(settings.database, secrets), "proxy.database"];
  return settings.store === "memory" ? ["none", "proxy.store"] : ["sqlite", undefined];
}

/** Returns the location without user and password, for messages. */
export function describeLocation(location: DatabaseLocation): string {
  if (location.engine === "none") return "none";
  if (location.engine === "sqlite") return location.path;
  const { protocol, host, pathname } = new URL(location.url);
  return `${protocol}//${host}${pathname}`;
}

/** Returns the password of the location, as written and decoded. */
export function databasePasswords(location: DatabaseLocation): string[] {
  if (location.engine !== "postgres") return [];
  return passwordsIn(location.url);
}

const DAY_MS = 86_400_000;

/**
 * Resolves which data are stored, where, and for how long. Without a data directory, nothing is stored unless
 * the settings name a location. Throws `configuration` if the location is not valid.
 */
export function resolveStorage(
  settings: ProxySettings,
  environment: Environment,
  configuration: string,
  { dataDirectory: data, secrets }: Pick<Found, "dataDirectory" | "secrets">,
): Pick<ProxyConfig, "database" | "isDatabaseConfigured" | "retention" | "capture"> {
  const folders = { data: data ?? "", configuration };
  const { location, isConfigured } = databaseLocation(settings, environment, folders, secrets);
  const database = data === undefined && !isConfigured ? ({ engine: "none" } as const) : location;
  return {
    database,
    isDatabaseConfigured: isConfigured,
    retention: {
      callsMs: settings.retention.calls * DAY_MS,
      responsesMs: settings.retention.responses * DAY_MS,
      capturesMs: settings.capture_retention * DAY_MS,
    },
    capture: {
      calls: database.engine === "none" ? "off" : settings.capture,
      maxBytes: settings.capture_max,
    },
  };
}

/**
 * Returns the URL of Redis, from the first of these that is set: `SERVICE_PROXY_REDIS`, the variable that `redis_env`
 * names, `redis`. Returns undefined if none is set, or if the value is `none`. Rejects an invalid URL and, unless
 * `SERVICE_PROXY_REDIS` is set, a `redis_env` whose variable is not set.
 */
export function findRedisUrl(
  settings: ProxySettings,
  environment: Environment,
  secrets: Secrets | undefined,
  refuse: Refuse,
): string | undefined {
  const fromVariable = settings.redis_env && environmentValue(environment, settings.redis_env);
  const overriding = environmentValue(environment, "SERVICE_PROXY_REDIS");
  if (settings.redis_env && !fromVariable && !overriding)
    refuse(["redis_env"], `the environment variable ${settings.redis_env} is not set`);
  const configured = () => (settings.redis === undefined ? undefined : secretText(settings.redis, secrets));
  const url = overriding || fromVariable || configured();
  if (url === undefined || url === "none") return undefined;
  if (!/^rediss?:\/\/[^/]/.test(url) || !URL.canParse(url))
    refuse(["redis"], "must be a redis:// or rediss:// URL, or none");
  return url;
}

/** Returns the password in a URL, decoded and as written. */
export function passwordsIn(url: string | undefined): string[] {
  if (url === undefined) return [];
  const { password } = new URL(url);
  if (password === "") return [];
  try {
    return [...new Set([password, decodeURIComponent(password)])];
  } catch {
    return [password];
  }
}

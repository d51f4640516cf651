import { AppError } from "../../errors.ts";
import { type ConfigurationFile, explainIssues, readConfigurationFile } from "../load.ts";
import { configFile, type Environment, getNameInUse } from "../paths.ts";
import { plainIssue } from "../plain-issue.ts";
import { fileSchema, type ProxySettings } from "./schema.ts";

/** Flags of `proxy start` that change a setting, unparsed. */
export interface ProxyFlags {
  readonly config?: string;
  readonly port?: string;
  readonly host?: string;
  readonly workers?: string;
  readonly authMode?: string;
  readonly allowLanAccess?: boolean;
}

/** Returns the source of a setting: `default`, `file:LINE`, `environment NAME`, `flag --name`. */
export type GetSource = (path: readonly PropertyKey[]) => string;

export interface LoadedSettings {
  readonly settings: ProxySettings;
  /** The configuration file's path, whether or not it exists. */
  readonly path: string;
  readonly file: ConfigurationFile | undefined;
  readonly getSource: GetSource;
}

interface Override {
  readonly key: "port" | "host" | "workers" | "auth_mode" | "allow_lan_access";
  readonly value: unknown;
  readonly source: string;
}

/**
 * Loads the settings of the proxy: defaults, file, environment, flags; later ones take precedence. Throws
 * `configuration` if the file cannot be read or is invalid, and `usage` for an invalid variable or flag.
 */
export async function loadProxySettings(
  environment: Environment,
  flags: ProxyFlags,
): Promise<LoadedSettings> {
  const path = configurationPath(environment, flags);
  const file = await readConfigurationFile(
    path,
    flags.config !== undefined || Boolean(environment["SERVICE_CONFIG"]),
  );
  const own = parseSettings(file, []);
  const overrides = [...fromEnvironment(environment), ...fromFlags(flags)];
  const settings = overrides.length === 0 ? own : parseSettings(file, overrides);
  return { settings, path, file, getSource: (at) => getSource(at, file, overrides) };
}

/** Returns the path of the configuration file, whether or not it exists. */
export function configurationPath(environment: Environment, flags: ProxyFlags): string {
  return flags.config ?? configFile(environment);
}

function parseSettings(file: ConfigurationFile | undefined, overrides: readonly Override[]): ProxySettings {
  const value = file === undefined ? {} : file.value;
  const result = fileSchema.safeParse(withOverrides(value, overrides), { error: plainIssue });
  if (result.success) return result.data.proxy;
  const wrong = overrides.find((override) =>
    result.error.issues.some((issue) => issue.path.length === 2 && issue.path[1] === override.key),
  );
  if (wrong) {
    const message = result.error.issues.find((issue) => issue.path[1] === wrong.key)?.message ?? "is wrong";
    // The value was typed without JSON quotes.
    const what = message.replace("not a string", `not ${JSON.stringify(wrong.value)}`);
    throw new AppError("usage", `${wrong.source} ${what}`);
  }
  if (file) throw explainIssues(result.error.issues, file, fileSchema);
  throw new AppError("internal", "the default configuration does not fit its own schema");
}

function withOverrides(value: unknown, overrides: readonly Override[]): unknown {
  if (overrides.length === 0 || typeof value !== "object" || value === null) return value;
  const proxy =
    "proxy" in value && typeof value.proxy === "object" && value.proxy !== null ? value.proxy : {};
  return {
    ...value,
    proxy: { ...proxy, ...Object.fromEntries(overrides.map(({ key, value: given }) => [key, given])) },
  };
}

function fromEnvironment(environment: Environment): Override[] {
  const from = (
    name: `SERVICE_${string}`,
    key: Override["key"],
    read: (text: string) => unknown,
  ): Override[] => {
    const text = environment[name]?.trim();
    return text ? [{ key, value: read(text), source: `environment ${getNameInUse(environment, name)}` }] : [];
  };
  return [
    ...from("SERVICE_PROXY_PORT", "port", readNumber),
    ...from("SERVICE_PROXY_HOST", "host", String),
    ...from("SERVICE_PROXY_AUTH_MODE", "auth_mode", String),
    ...from("SERVICE_PROXY_ALLOW_LAN_ACCESS", "allow_lan_access", readBoolean),
  ];
}

function fromFlags({ port, host, workers, authMode, allowLanAccess }: ProxyFlags): Override[] {
  const from = (name: string, key: Override["key"], value: unknown): Override[] =>
    value === undefined ? [] : [{ key, value, source: `flag ${name}` }];
  return [
    ...from("--port", "port", port === undefined ? undefined : readNumber(port)),
    ...from("--host", "host", host),
    ...from("--workers", "workers", workers === undefined ? undefined : readNumber(workers)),
    ...from("--auth-mode", "auth_mode", authMode),
    ...from("--allow-lan-access", "allow_lan_access", allowLanAccess),
  ];
}

function getSource(
  path: readonly PropertyKey[],
  file: ConfigurationFile | undefined,
  overrides: readonly Override[],
): string {
  const override = overrides.findLast(({ key }) => path.length === 1 && path[0] === key);
  if (override) return override.source;
  const inFile = ["proxy", ...path];
  return file?.has(inFile) ? `file:${file.getLine(inFile)}` : "default";
}

function readNumber(text: string): unknown {
  return /^\d{1,6}$/.test(text) ? Number(text) : text;
}

function readBoolean(text: string): unknown {
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  if (/^(0|false|no|off)$/i.test(text)) return false;
  return text;
}

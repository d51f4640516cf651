import { dirname } from "node:path";
import { dataDirectory, type Environment, processEnvironment } from "../config/paths.ts";
import type { ProxyConfig } from "../config/proxy/config.ts";
import { databaseLocation } from "../config/proxy/database-location.ts";
import { generatedKeyFile, keepNewKey, readGeneratedKey } from "../config/proxy/generated-key.ts";
import { readModelData } from "../config/proxy/model-data.ts";
import { resolveProxyConfig } from "../config/proxy/resolve.ts";
import type { ProxySettings } from "../config/proxy/schema.ts";
import { type LoadedSettings, loadProxySettings, type ProxyFlags } from "../config/proxy/settings.ts";
import { readTls } from "../config/proxy/tls.ts";
import { readSecrets, secretId, secretSources } from "../config/secret-sources.ts";
import { effectiveMode } from "../proxy/auth/policy.ts";
import { findLocalServers } from "../proxy/upstream/local-servers.ts";
import type { Output } from "./output.ts";

export interface ReadConfiguration {
  readonly loaded: LoadedSettings;
  readonly config: ProxyConfig;
  /** The key that this call generated, to be shown once. */
  readonly newKey: string | undefined;
}

/**
 * Reads the configuration and the values on which it depends: the environment, secrets, TLS files, model data, local
 * model servers and the generated key. With `mayMakeKey`, generates a key if authentication needs one, none exists, and
 * the database is not PostgreSQL.
 */
export async function readProxyConfiguration(
  environment: Environment,
  flags: ProxyFlags,
  mayMakeKey: boolean,
): Promise<ReadConfiguration> {
  const loaded = await loadProxySettings(environment, flags);
  const { settings } = loaded;
  const data = dataDirectory(environment);
  const generated = await findGeneratedKey(settings, data);
  const folders = { data, configuration: dirname(loaded.path) };
  const secrets = await readSecrets(secretSources(settings, environment), environment);
  // Replicas can share a PostgreSQL database, and each would create its own key.
  const isShared = databaseLocation(settings, environment, folders, secrets).location.engine === "postgres";
  const mayCreate = mayMakeKey && !isShared;
  const isMissing = generated.isNeeded && generated.key === undefined;
  const kept = isMissing && mayCreate ? await keepNewKey(data) : undefined;
  const localServers = settings.upstreams === undefined ? await findLocalServers() : [];
  const { tls } = settings;
  const tlsKey = typeof tls?.key === "object" ? secrets.get(secretId(tls.key)) : undefined;
  const config = resolveProxyConfig(loaded, environment, {
    localServers,
    secrets,
    tls: await readTls(tls, dirname(loaded.path), tlsKey),
    folder: dirname(loaded.path),
    modelData: await readModelData(settings.model_data, dirname(loaded.path)),
    generatedKey: generated.key ?? kept?.key,
    dataDirectory: data,
  });
  return { loaded, config, newKey: kept?.isNew ? kept.key : undefined };
}

/**
 * Returns whether clients need a generated key, and that key if it exists. They need one if authentication requires a
 * key and the configuration lists none.
 */
export async function findGeneratedKey(
  settings: Pick<ProxySettings, "auth_mode" | "allow_lan_access" | "api_keys">,
  data: string,
): Promise<{ readonly isNeeded: boolean; readonly key: string | undefined }> {
  const isNeeded =
    effectiveMode(settings.auth_mode, settings.allow_lan_access) !== "off" && settings.api_keys.length === 0;
  return { isNeeded, key: isNeeded ? await readGeneratedKey(data) : undefined };
}

/** Prints a newly generated key and the path of the file in which it is stored. */
export function noteNewKey(key: string, output: Pick<Output, "note">): void {
  const file = generatedKeyFile(dataDirectory(processEnvironment));
  output.note(`Created a key, because clients need one: ${key}`, "essential");
  output.note(`It is stored in ${file}. Later starts do not show it.`, "essential");
}

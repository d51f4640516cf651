import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { AppError } from "../errors.ts";
import { getReadReason } from "../files/read-reason.ts";
import { accessKeychain } from "./keychain.ts";
import type { Environment } from "./paths.ts";
import type { ProxySettings, SecretSettings } from "./proxy/schema.ts";

/** The source of a secret outside the configuration file. */
export type SecretSource = Exclude<SecretSettings, string>;

/** The texts of secrets, by `secretId`. */
export type Secrets = ReadonlyMap<string, string>;

const COMMAND_MS = 30_000;
const MAX_BYTES = 64 * 1024;
const run = promisify(execFile);

/** Returns the id of a source; equal sources are read once. */
export function secretId(source: SecretSource): string {
  return JSON.stringify(source);
}

/** Returns the text of a secret that has been read. */
export function secretText(secret: SecretSettings, secrets: Secrets | undefined): string {
  if (typeof secret === "string") return secret;
  const text = secrets?.get(secretId(secret));
  if (text === undefined) throw new AppError("internal", "a secret was not read before it is used");
  return text;
}

/**
 * Returns every source that a configuration names, each once. If `SERVICE_PROXY_DATABASE` or `SERVICE_PROXY_REDIS`
 * replaces a setting, the setting's source is left out.
 */
export function secretSources(settings: ProxySettings, environment: Environment = {}): SecretSource[] {
  const { upstreams = {}, mcp, tls, otel } = settings;
  const all = [
    ...databaseSources(settings, environment),
    ...(settings.redis === undefined || environment["SERVICE_PROXY_REDIS"] ? [] : [settings.redis]),
    ...(typeof tls?.key === "object" ? [tls.key] : []),
    ...Object.values(otel.headers),
    ...Object.values(otel.relay_headers),
    ...Object.values(upstreams).flatMap(({ api_key, api_keys = [], azure, headers }) => [
      ...(azure?.client_secret === undefined ? [] : [azure.client_secret]),
      ...(api_key === undefined ? [] : [api_key]),
      ...api_keys,
      ...Object.values(headers),
    ]),
    ...Object.values(mcp).flatMap(({ headers, env, oauth }) => [
      ...Object.values(headers),
      ...Object.values(env),
      ...(typeof oauth === "object" && oauth.client_secret !== undefined ? [oauth.client_secret] : []),
    ]),
  ];
  const sources = all.filter((secret) => typeof secret === "object");
  return [...new Map(sources.map((source) => [secretId(source), source])).values()];
}

/** Returns the source of the database's location, if it has one. */
export function databaseSources(
  { database }: Pick<ProxySettings, "database">,
  environment: Environment,
): SecretSource[] {
  return typeof database === "object" && !environment["SERVICE_PROXY_DATABASE"] ? [database] : [];
}

/**
 * Reads secrets. Throws `configuration` or `keychain` with the source that could not be read, and why, and `usage` for
 * an invalid name in the keychain.
 */
export async function readSecrets(
  sources: readonly SecretSource[],
  environment: Environment,
): Promise<Secrets> {
  const read = sources.map(async (source) => {
    const text = (await readText(source, environment)).trim();
    if (text === "") throw unreadable(source, "it is empty");
    return [secretId(source), text] as const;
  });
  return new Map(await Promise.all(read));
}

/** Returns the shortest `ttl` of the commands in seconds, or undefined if no command has one. */
export function shortestTtl(settings: ProxySettings): number | undefined {
  const ttls = secretSources(settings).flatMap((source) => ("command" in source ? (source.ttl ?? []) : []));
  return ttls.length === 0 ? undefined : Math.min(...ttls);
}

async function readText(source: SecretSource, environment: Environment): Promise<string> {
  if ("env" in source) {
    const text = environment[source.env];
    if (text === undefined) throw unreadable(source, "it is not set");
    return text;
  }
  if ("keychain" in source) return accessKeychain({ action: "read", name: source.keychain });
  try {
    if ("file" in source) return await readFile(source.file, "utf8");
    const [program = "", ...parameters] =
      typeof source.command === "string" ? shellFor(source.command) : source.command;
    const { stdout } = await run(program, parameters, { timeout: COMMAND_MS, maxBuffer: MAX_BYTES });
    return stdout;
  } catch (error) {
    // The error's own message can contain the output of the command, and so the secret.
    const { code, signal } = Object(error);
    throw unreadable(
      source,
      "file" in source
        ? getReadReason(error)
        : typeof code === "number"
          ? `it ended with exit code ${code}`
          : `it ended with ${code ?? signal ?? "an error"}`,
    );
  }
}

function shellFor(command: string): string[] {
  return process.platform === "win32" ? ["cmd.exe", "/d", "/s", "/c", command] : ["/bin/sh", "-c", command];
}

function unreadable(source: SecretSource, reason: string): AppError {
  return new AppError("configuration", `Cannot read the secret from ${formatName(source)}: ${reason}`, {
    hint: "Set the variable, make the file readable, or try the command in a terminal.",
  });
}

/** Returns the name of a source without a command's arguments, which can be secrets. */
function formatName(source: SecretSource): string {
  if ("env" in source) return `the environment variable ${JSON.stringify(source.env)}`;
  if ("keychain" in source) return `the keychain's ${JSON.stringify(source.keychain)}`;
  if ("file" in source) return `the file ${JSON.stringify(source.file)}`;
  const argv = typeof source.command === "string" ? source.command.split(" ") : source.command;
  return `the command ${JSON.stringify(argv[0])}`;
}

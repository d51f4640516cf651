import { readFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { parseEnv } from "node:util";
import { AppError } from "../errors.ts";
import { getReadReason } from "../files/read-reason.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns an environment in which a variable `SALLYPORT_…` also sets `SERVICE_…`, the name that the
 * specification defines. If both are set, `SALLYPORT_…` takes precedence.
 */
export function withOwnNames(environment: Environment): Environment {
  return new Proxy(environment, {
    get: (target, name) =>
      typeof name === "string" && name.startsWith("SERVICE_")
        ? (target[`SALLYPORT_${name.slice(8)}`] ?? target[name])
        : Reflect.get(target, name),
  });
}

/** Returns the name by which a `SERVICE_` variable is set, for messages. */
export function getNameInUse(environment: Environment, name: `SERVICE_${string}`): string {
  const own = `SALLYPORT_${name.slice(8)}`;
  return environment[own] === undefined ? name : own;
}

/** The environment of this process, in which `SALLYPORT_…` also sets `SERVICE_…`. */
export const processEnvironment: Environment = withOwnNames(process.env);

/**
 * Sets the variables of a `.env` file unless they are set. Programs that this process starts inherit the variables.
 * Throws as `readEnvironmentFile` does.
 */
export async function loadEnvironmentFile(path: string): Promise<void> {
  const variables = await readEnvironmentFile(path);
  for (const [name, value] of Object.entries(variables)) process.env[name] ??= value;
}

/**
 * Returns the variables of a `.env` file, in the syntax of Node.js's `--env-file`. Throws `configuration` if the file
 * cannot be read.
 */
export async function readEnvironmentFile(path: string): Promise<Environment> {
  try {
    return parseEnv(await readFile(path, "utf8"));
  } catch (cause) {
    throw new AppError("configuration", `Cannot read the environment file ${path}: ${getReadReason(cause)}`, {
      cause,
      hint: "Set --env-file to a file with lines of the form NAME=value.",
    });
  }
}

/**
 * Returns `$SERVICE_HOME`, or otherwise `sallyport` in `$XDG_DATA_HOME` or in the platform's data directory. Throws
 * `usage` if `$SERVICE_HOME` is relative: the location of decisions would depend on the working directory.
 */
export function dataDirectory(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): string {
  const configured = environment["SERVICE_HOME"];
  if (configured) {
    if (isAbsolute(configured)) return configured;
    const name = getNameInUse(environment, "SERVICE_HOME");
    throw new AppError("usage", `${name} must be an absolute path, got "${configured}"`, {
      hint: `Set ${name} to an absolute path, or unset it to use the default data directory.`,
    });
  }
  const dataHome = baseDirectory(environment, "XDG_DATA_HOME");
  if (dataHome) return join(dataHome, "sallyport");
  if (platform === "win32")
    return join(
      environment["LOCALAPPDATA"] ?? join(getHomeDirectory(environment, platform), "AppData", "Local"),
      "sallyport",
    );
  if (platform === "darwin")
    return join(getHomeDirectory(environment), "Library", "Application Support", "sallyport");
  return join(getHomeDirectory(environment), ".local", "share", "sallyport");
}

/**
 * Returns `$SERVICE_CONFIG`, or otherwise `sallyport/config.json` in `$XDG_CONFIG_HOME` or in the platform's
 * configuration directory.
 */
export function configFile(environment: Environment, platform: NodeJS.Platform = process.platform): string {
  if (environment["SERVICE_CONFIG"]) return environment["SERVICE_CONFIG"];
  const configHome = baseDirectory(environment, "XDG_CONFIG_HOME");
  if (configHome) return join(configHome, "sallyport", "config.json");
  if (platform === "win32")
    return join(
      environment["APPDATA"] ?? join(getHomeDirectory(environment, platform), "AppData", "Roaming"),
      "sallyport",
      "config.json",
    );
  if (platform === "darwin")
    return join(getHomeDirectory(environment), "Library", "Application Support", "sallyport", "config.json");
  return join(getHomeDirectory(environment), ".config", "sallyport", "config.json");
}

/**
 * Returns the value of a base directory variable, if it is set. A relative path is ignored
 * (https://specifications.freedesktop.org/basedir-spec/latest/). Otherwise, the locations of configuration and
 * decisions would depend on the working directory.
 */
export function baseDirectory(
  environment: Environment,
  name: "XDG_DATA_HOME" | "XDG_CONFIG_HOME",
): string | undefined {
  const path = environment[name];
  return path && isAbsolute(path) ? path : undefined;
}

/**
 * Returns the home directory: `$HOME`, `%USERPROFILE%`, or otherwise the one that the system reports. On Windows,
 * `%USERPROFILE%` comes first, as in Node.js and therefore in most agents: git and Emacs can set `%HOME%` to another
 * folder. An empty or relative path is ignored. Throws `usage` if there is no home directory, for example for a
 * container's user without a name.
 */
export function getHomeDirectory(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): string {
  const names = platform === "win32" ? ["USERPROFILE", "HOME"] : ["HOME", "USERPROFILE"];
  const configured = names.map((name) => environment[name]).find((path) => path && isAbsolute(path));
  if (configured) return configured;
  try {
    return userInfo().homedir;
  } catch (cause) {
    throw new AppError(
      "usage",
      "Cannot find the home directory: HOME is not set, and the system reports no home directory",
      {
        cause,
        hint: "Set HOME, or SERVICE_HOME and SERVICE_CONFIG.",
      },
    );
  }
}

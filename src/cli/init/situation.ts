import type { InstallTarget } from "../../agents/agent.ts";
import { type InstallState, readEitherState } from "../../agents/file-edits/install-state.ts";
import { agents } from "../../agents/registry.ts";
import { processEnvironment } from "../../config/paths.ts";
import type { UpstreamDialect } from "../../config/proxy/config.ts";
import type { ProxySettings } from "../../config/proxy/schema.ts";
import { configurationPath } from "../../config/proxy/settings.ts";
import { vendorVariables } from "../../config/proxy/upstreams.ts";
import { AppError } from "../../errors.ts";
import { findRepository } from "../project-folder.ts";
import { getLocalUrl, isAnswering } from "../proxy/connect/connection.ts";
import { createServiceManager } from "../proxy/service/create-service-manager.ts";
import { type ReadConfiguration, readProxyConfiguration } from "../proxy-configuration.ts";
import { findOnPath, isOnPath } from "../setup/doctor/programs.ts";
import { currentInstallTarget, isConnected } from "../setup/install-target.ts";

export interface InitFlags {
  readonly config?: string;
  readonly envFile?: string;
  readonly project: boolean;
  readonly proxy: boolean;
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
}

/** An agent whose program is on the PATH. */
export interface FoundAgent {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  /** The state of the agent's hook; null if the agent's plans cannot be reviewed, or not with `--project`. */
  readonly hook: InstallState | null;
  readonly live: boolean;
  /** Whether `proxy connect` has written the agent's settings; null if it cannot, or not with `--project`. */
  readonly connected: boolean | null;
  /** The dialects in which the agent calls models. */
  readonly dialects: readonly UpstreamDialect[];
}

/** An upstream that the proxy would use. */
export interface FoundUpstream {
  readonly name: string;
  /** The vendor's name; null if the vendor is not known. */
  readonly vendor: string | null;
  readonly dialect: UpstreamDialect;
  readonly baseUrl: string;
  /** The variable of this shell that contains its key; null if the key has another source or is missing. */
  readonly variable: string | null;
}

/** The state of this machine that `init` found. It contains the names of variables with keys, not their values. */
export interface Situation {
  readonly agents: readonly FoundAgent[];
  readonly repository: string | null;
  /** The variables of this shell that contain API keys. */
  readonly keys: readonly string[];
  /** Whether the system has a keychain that `sallyport keychain` can use. */
  readonly keychain: boolean;
  readonly configuration: {
    readonly path: string;
    readonly exists: boolean;
    /** The reason why the configuration is invalid; null if it is valid. */
    readonly problem: string | null;
  };
  readonly upstreams: readonly FoundUpstream[];
  readonly proxy: {
    readonly url: string | null;
    readonly running: boolean;
    /** `unavailable`: the system has no service manager for this user. */
    readonly service: "installed" | "absent" | "unavailable";
  };
}

/** Looks for agents, keys, the repository and the proxy. Writes nothing. */
export async function detectSituation(flags: InitFlags): Promise<Situation> {
  const target = await currentInstallTarget(flags.project);
  const { read, problem } = await readConfiguration(flags);
  const url = read === undefined ? null : getLocalUrl(read.loaded.settings);
  return {
    agents: await findAgents(target),
    repository: findRepository(process.cwd()) ?? null,
    keys: vendorVariables.filter((name) => processEnvironment[name]?.trim()),
    keychain: await hasKeychain(),
    configuration: {
      path: configurationPath(processEnvironment, { config: flags.config }),
      exists: read === undefined || read.loaded.file !== undefined,
      problem: problem ?? null,
    },
    upstreams: read === undefined ? [] : listUpstreams(read),
    proxy: {
      url,
      running: url !== null && (await isAnswering(url)),
      service: await readServiceState(),
    },
  };
}

async function findAgents(target: InstallTarget): Promise<readonly FoundAgent[]> {
  const found = agents.map(async (agent) => {
    const path = agent.program && (await findOnPath(agent.program, target.environment["PATH"] ?? ""));
    if (!path) return [];
    const { id, name, install, proxy } = agent;
    const isForProject = target.project !== undefined;
    const hasHook = install && !(isForProject && agent.isUserOnly);
    const { state, live } = hasHook
      ? await readEitherState((await install()).edits, target)
      : { state: null, live: false };
    const isConnectable = proxy?.writesFiles && !(isForProject && (agent.isUserOnly || proxy.isUserOnly));
    const connected = isConnectable ? await isConnected({ ...agent, proxy }, target) : null;
    const dialects = (await proxy?.load())?.dialects ?? [];
    return [{ id, name, path, hook: state, live, connected, dialects }];
  });
  return (await Promise.all(found)).flat();
}

async function readConfiguration(
  flags: InitFlags,
): Promise<{ readonly read?: ReadConfiguration; readonly problem?: string }> {
  try {
    return { read: await readProxyConfiguration(processEnvironment, { config: flags.config }, false) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { problem: error.message };
  }
}

function listUpstreams({ config, loaded }: ReadConfiguration): readonly FoundUpstream[] {
  return [...config.upstreams.values()].flatMap(({ name, vendor, dialect, baseUrl, keys }) => {
    // The built-in echo upstream lists no models.
    if (dialect === "any") return [];
    const variable = findVariable(loaded.settings.upstreams?.[name], keys);
    return [{ name, vendor: vendor ?? null, dialect, baseUrl, variable: variable ?? null }];
  });
}

/**
 * Returns the variable from which an upstream's key was read: the first one that the configuration names or, if the
 * configuration names no key, a variable whose value is the key. Returns undefined if the key has another source.
 */
function findVariable(
  settings: NonNullable<ProxySettings["upstreams"]>[string] | undefined,
  [key]: readonly string[],
): string | undefined {
  const { api_key_env, api_key, api_keys } = settings ?? {};
  if (api_key_env !== undefined) return api_key_env;
  const secrets = api_keys ?? (api_key === undefined ? undefined : [api_key]);
  if (secrets !== undefined)
    return secrets.flatMap((secret) =>
      typeof secret === "object" && "env" in secret ? [secret.env] : [],
    )[0];
  const names = [...vendorVariables, ...Object.keys(processEnvironment)];
  return names.find((name) => key && processEnvironment[name]?.trim() === key);
}

/** Returns whether the keychain can be used. The Secret Service needs a session bus, which SSH sessions may lack. */
async function hasKeychain(platform: NodeJS.Platform = process.platform): Promise<boolean> {
  if (platform !== "linux") return platform === "darwin" || platform === "win32";
  if (!processEnvironment["DBUS_SESSION_BUS_ADDRESS"]) return false;
  return isOnPath("secret-tool", processEnvironment["PATH"] ?? "");
}

async function readServiceState(): Promise<Situation["proxy"]["service"]> {
  try {
    const { installed } = await createServiceManager().state();
    return installed ? "installed" : "absent";
  } catch (error) {
    if (error instanceof AppError && error.code === "service_failed") return "unavailable";
    throw error;
  }
}

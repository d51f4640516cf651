import type { Connection } from "../../../agents/proxy/connector.ts";
import { isWildcard, urlHost } from "../../../config/loopback.ts";
import { dataDirectory, processEnvironment } from "../../../config/paths.ts";
import { readGeneratedKey } from "../../../config/proxy-generated-key.ts";
import type { ProxySettings } from "../../../config/proxy-schema.ts";
import { loadProxySettings } from "../../../config/proxy-settings.ts";
import { AppError, messageOf, systemErrorCode } from "../../../errors.ts";
import { effectiveMode } from "../../../proxy/auth/policy.ts";
import { isSameAddress } from "./same-address.ts";

export interface ConnectionFlags {
  readonly config?: string;
  /** The proxy's address, where it is not the configuration's. */
  readonly url?: string;
  /** The environment variable that holds the key, where the configuration does not. */
  readonly keyEnv?: string;
}

/** Shown as a key where the proxy asks for none: clients refuse to start without one. */
const NO_KEY = "sallyport";

/** What a diff must not show of a connection. */
export function secretsOf({ key }: Connection): readonly string[] {
  return key === NO_KEY ? [] : [key];
}

/**
 * How clients reach the proxy, from flags and configuration. Throws `configuration` when the proxy would be its own
 * upstream or no key is known.
 */
export async function connectionTo(flags: ConnectionFlags): Promise<Connection> {
  const { settings } = await loadProxySettings(
    processEnvironment,
    flags.config === undefined ? {} : { config: flags.config },
  );
  const url = flags.url === undefined ? addressOf(settings) : addressFrom(flags.url);
  refuseItself(url, settings);
  return { url, key: await keyFor(settings, flags), models: [] };
}

/** The models the proxy offers right now. Throws `configuration` when it does not answer. */
export async function modelsOf({ url, key }: Connection): Promise<readonly string[]> {
  try {
    const answer = await fetch(`${url}/v1/models`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(5000),
    });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    return modelIds(await answer.json());
  } catch (error) {
    throw new AppError("configuration", `No proxy says at ${url} which models it has (${reasonOf(error)})`, {
      cause: error,
      hint: "Start it first, in another terminal: sallyport proxy start",
    });
  }
}

/** `fetch` says no more than that it failed; its cause knows why. */
function reasonOf(error: unknown): string {
  return (error instanceof Error ? systemErrorCode(error.cause) : undefined) ?? messageOf(error);
}

function modelIds(list: unknown): readonly string[] {
  const data: unknown = typeof list === "object" && list !== null && "data" in list ? list.data : [];
  return Array.isArray(data) ? data.flatMap(({ id }) => (typeof id === "string" ? [id] : [])) : [];
}

function addressOf({ host = "127.0.0.1", port }: ProxySettings): string {
  return `http://${isWildcard(host) ? "127.0.0.1" : urlHost(host)}:${port}`;
}

function addressFrom(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash) return url.href.replace(/\/+$/, "");
  throw new AppError("usage", `--url must be the proxy's http address, got "${text}"`);
}

/** A proxy whose upstream is the proxy would send every call round in a circle. */
function refuseItself(url: string, { upstreams = {} }: ProxySettings): void {
  for (const [name, { base_url: target }] of Object.entries(upstreams)) {
    if (!isSameAddress(url, target)) continue;
    throw new AppError("configuration", `The proxy at ${url} has itself as its upstream "${name}"`, {
      hint: `Give proxy.upstreams.${name}.base_url the vendor's address, or the proxy another port.`,
    });
  }
}

async function keyFor(settings: ProxySettings, { keyEnv }: ConnectionFlags): Promise<string> {
  if (keyEnv !== undefined) return fromEnvironment(keyEnv) ?? refuseKey(`The variable ${keyEnv} is not set`);
  if (effectiveMode(settings.auth_mode, settings.allow_lan_access) === "off") return NO_KEY;
  const known = settings.api_keys.flatMap((key) => {
    if (typeof key === "string") return [key];
    return "key_env" in key ? (fromEnvironment(key.key_env) ?? []) : [];
  });
  if (known[0] !== undefined) return known[0];
  const generated = await readGeneratedKey(dataDirectory(processEnvironment));
  return generated ?? refuseKey("The proxy asks for a key, and none is known here");
}

function fromEnvironment(name: string): string | undefined {
  return processEnvironment[name] || undefined;
}

function refuseKey(message: string): never {
  throw new AppError("configuration", message, {
    hint: "Name the variable that holds one with --key-env, or start the proxy once: it makes a key.",
  });
}

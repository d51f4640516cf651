import type { Connection, ProxyConnector } from "../../../agents/proxy-connector.ts";
import { isSameAddress, isWildcard, urlHost } from "../../../config/loopback.ts";
import { dataDirectory, processEnvironment } from "../../../config/paths.ts";
import type { ProxySettings } from "../../../config/proxy/schema.ts";
import { loadProxySettings } from "../../../config/proxy/settings.ts";
import { getConfiguredDialect } from "../../../config/proxy/upstreams.ts";
import { AppError, getErrorMessage, systemErrorCode } from "../../../errors.ts";
import { effectiveMode } from "../../../proxy/auth/policy.ts";
import { findGeneratedKey } from "../../proxy-configuration.ts";

export interface ConnectionFlags {
  readonly config?: string;
  /** The proxy's address, if it is not the configured one. */
  readonly url?: string;
  /** The environment variable with the proxy's key. It takes precedence over the keys of the configuration. */
  readonly keyEnv?: string;
}

/** A connector and the name of its client. */
type NamedConnector = ProxyConnector & { readonly name: string };

/** The placeholder key for a proxy that requires none: some clients refuse to start without a key. */
const NO_KEY = "sallyport";

/** Returns the values of a connection that a diff must mask. */
export function getSecrets({ key }: Connection): readonly string[] {
  return key === NO_KEY || key === undefined ? [] : [key];
}

/**
 * Returns how a client reaches the proxy, from flags and configuration. Throws `configuration` if the configuration is
 * invalid, the proxy would be its own upstream, a key that it requires is not known, or the client cannot send this key
 * beside its own login. Throws `usage` if `--url` is not an HTTP URL.
 */
export async function connectionTo(flags: ConnectionFlags, client: NamedConnector): Promise<Connection> {
  const { settings } = await loadProxySettings(processEnvironment, { config: flags.config });
  const url = flags.url === undefined ? getLocalUrl(settings) : addressFrom(flags.url);
  refuseItself(url, settings);
  const key = await keyFor(url, settings, flags);
  const upstream = upstreamWithClientLogin(settings, client);
  if (upstream === undefined) return { url, key, ownLogin: false, models: [] };
  if (key === NO_KEY) return { url, key: undefined, ownLogin: true, models: [] };
  if (!client.sendsKeyBesideLogin) refuseTwoKeys(client.name, upstream);
  return { url, key, ownLogin: true, models: [] };
}

/**
 * Returns the name of an upstream that this client reaches without translation and that needs the client's own key;
 * undefined if there is none.
 */
function upstreamWithClientLogin(
  { upstreams = {} }: ProxySettings,
  { dialects }: NamedConnector,
): string | undefined {
  const found = Object.entries(upstreams).find(([, upstream]) => {
    const dialect = getConfiguredDialect(upstream);
    return upstream.credentials === "client" && dialect !== undefined && dialects.includes(dialect);
  });
  return found?.[0];
}

function refuseTwoKeys(client: string, upstream: string): never {
  throw new AppError(
    "configuration",
    `${client} cannot send two keys: the proxy requires one, and its upstream "${upstream}" requires the client's own`,
    {
      hint: `Give proxy.upstreams.${upstream} a key with api_key_env instead of credentials: "client", or set proxy.auth_mode to "off".`,
    },
  );
}

/** Returns the models that the proxy lists. Throws `configuration` if the proxy does not list them within 5 seconds. */
export async function fetchModels({ url, key }: Connection): Promise<readonly string[]> {
  try {
    const response = await fetch(`${url}/v1/models`, {
      ...(key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } }),
      signal: AbortSignal.timeout(5000),
    });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return modelIds(await response.json());
  } catch (error) {
    throw new AppError(
      "configuration",
      `Cannot list the models of the proxy at ${url} (${getReason(error)})`,
      {
        cause: error,
        hint: "If the proxy is not running, start it in another terminal: sallyport proxy start",
      },
    );
  }
}

/** Returns whether anything responds to HTTP at the proxy's address within 2 seconds, with any status. */
export async function isAnswering(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2000) }).then(
    () => true,
    () => false,
  );
}

/** Returns the reason of a failed `fetch`, which is in the `cause` of its error. */
function getReason(error: unknown): string {
  return (error instanceof Error ? systemErrorCode(error.cause) : undefined) ?? getErrorMessage(error);
}

function modelIds(list: unknown): readonly string[] {
  const data: unknown = typeof list === "object" && list !== null && "data" in list ? list.data : [];
  return Array.isArray(data) ? data.flatMap(({ id }) => (typeof id === "string" ? [id] : [])) : [];
}

/**
 * Returns the proxy's URL on this machine. If the proxy uses TLS and has a `public_url`, returns that URL, because the
 * certificate is issued for its host name.
 */
export function getLocalUrl({ host = "127.0.0.1", port, tls, public_url }: ProxySettings): string {
  if (tls !== undefined && public_url !== undefined) return public_url.replace(/\/+$/, "");
  return `${tls === undefined ? "http" : "https"}://${isWildcard(host) ? "127.0.0.1" : urlHost(host)}:${port}`;
}

function addressFrom(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash) return url.href.replace(/\/+$/, "");
  throw new AppError("usage", `--url must be the proxy's http or https URL, got "${text}"`);
}

/** Throws `configuration` if an upstream is the proxy itself: calls to that upstream fail with 508. */
function refuseItself(url: string, { upstreams = {} }: ProxySettings): void {
  for (const [name, { base_url: target }] of Object.entries(upstreams)) {
    if (target === undefined || !isSameAddress(url, target)) continue;
    throw new AppError("configuration", `The proxy at ${url} is its own upstream "${name}"`, {
      hint: `Give proxy.upstreams.${name}.base_url the vendor's address, or the proxy another port.`,
    });
  }
}

async function keyFor(url: string, settings: ProxySettings, { keyEnv }: ConnectionFlags): Promise<string> {
  if (keyEnv !== undefined) return fromEnvironment(keyEnv) ?? refuseKey(`The variable ${keyEnv} is not set`);
  if (effectiveMode(settings.auth_mode, settings.allow_lan_access) === "off")
    return (await rejectsUnknownKey(url)) ? refuseKey(`The proxy at ${url} requires a key`) : NO_KEY;
  const known = settings.api_keys.flatMap((key) => {
    if (typeof key === "string") return [key];
    return "key_env" in key ? (fromEnvironment(key.key_env) ?? []) : [];
  });
  if (known[0] !== undefined) return known[0];
  const generated = await findGeneratedKey(settings, dataDirectory(processEnvironment));
  return (
    generated.key ??
    refuseKey("The proxy requires a key, and the configuration contains no key that this command can read")
  );
}

/**
 * Returns whether a proxy runs that requires a key although the configuration does not: a virtual key exists, or the
 * proxy has another configuration. The route reads no body and calls no upstream.
 */
async function rejectsUnknownKey(url: string): Promise<boolean> {
  return fetch(`${url}/v1/api/event_logging`, { method: "POST", signal: AbortSignal.timeout(2000) }).then(
    ({ status }) => status === 401,
    () => false,
  );
}

/** Returns whether the proxy requires a key that its first start would create. */
export async function needsFirstKey({ config, url, keyEnv }: ConnectionFlags): Promise<boolean> {
  if (url !== undefined || keyEnv !== undefined) return false;
  const { settings } = await loadProxySettings(processEnvironment, { config });
  const { isNeeded, key } = await findGeneratedKey(settings, dataDirectory(processEnvironment));
  return isNeeded && key === undefined;
}

function fromEnvironment(name: string): string | undefined {
  return processEnvironment[name] || undefined;
}

function refuseKey(message: string): never {
  throw new AppError("configuration", message, {
    hint: "Set a variable to a key of the proxy, and name it with --key-env. To create a key: sallyport proxy keys create NAME",
  });
}

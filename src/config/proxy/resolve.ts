import { availableParallelism } from "node:os";
import { dirname, resolve } from "node:path";
import { AppError } from "../../errors.ts";
import { isLoopback, withoutBrackets } from "../loopback.ts";
import { type OutboundProxies, readOutboundProxies } from "../outbound-proxy.ts";
import type { Environment } from "../paths.ts";
import { type Secrets, secretText } from "../secret-sources.ts";
import type { Limits, ProxyConfig, UpstreamConfig } from "./config.ts";
import { databasePasswords, findRedisUrl, passwordsIn, resolveStorage } from "./database-location.ts";
import { effectiveSettings } from "./effective.ts";
import type { McpServerConfig } from "./mcp-config.ts";
import { listProgramSecrets, resolveMcp } from "./mcp-servers.ts";
import type { VendorModels } from "./model-data.ts";
import { type OtelConfig, resolveOtel } from "./otel.ts";
import { type KnownKey, resolveKeys } from "./resolve-keys.ts";
import { resolveRules } from "./resolve-rules.ts";
import type { ProxySettings, SecretSettings } from "./schema.ts";
import { collectSecrets, secretsInUrl } from "./secrets.ts";
import type { LoadedSettings } from "./settings.ts";
import type { TlsConfig } from "./tls.ts";
import { configuredUpstreams, echoUpstream, environmentUpstreams } from "./upstreams.ts";

/** Throws `configuration` with file, line and key, or `usage` with the flag or variable. */
export type Refuse = (path: readonly PropertyKey[], message: string) => never;

/**
 * Values from outside the settings, such as model servers of this machine and the key that the proxy created
 * earlier.
 */
export interface Found {
  readonly localServers: readonly { readonly name: string; readonly baseUrl: string }[];
  readonly generatedKey: string | undefined;
  /** The data directory; undefined: nothing is stored, unless the settings name a location. */
  readonly dataDirectory?: string | undefined;
  /** The certificate and key that `proxy.tls` names. */
  readonly tls?: TlsConfig | undefined;
  /** The folder of the configuration file, against which relative paths are resolved. */
  readonly folder?: string;
  /** The data in the file that `proxy.model_data` names. */
  readonly modelData?: VendorModels | undefined;
  /** Secrets read from their sources. */
  readonly secrets?: Secrets;
}

/** Returns headers by name in lower case, with each secret replaced by its text. */
export function headerTexts(
  headers: Readonly<Record<string, SecretSettings>>,
  found: Found,
): Record<string, string> {
  const texts = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    secretText(value, found.secrets),
  ]);
  return Object.fromEntries(texts);
}

/**
 * Resolves the configuration: reads environment variables, checks that referenced names exist, and converts units.
 * Throws `usage` if a flag or variable sets an invalid value, and `configuration` for any other invalid value.
 */
export function resolveProxyConfig(
  loaded: LoadedSettings,
  environment: Environment,
  found: Found,
): ProxyConfig {
  const { settings } = loaded;
  const refuse = refusalIn(loaded);
  const upstreams = resolveUpstreams(settings, environment, found, refuse);
  const keys = resolveKeys(settings, environment, found, refuse);
  const mcp = resolveMcp(settings, environment, found, refuse);
  const outboundProxies = readOutboundProxies(environment);
  const otel = resolveOtel(settings.otel, environment, (headers) => headerTexts(headers, found));
  const redis = findRedisUrl(settings, environment, found.secrets, refuse);
  const storage = resolveStorage(settings, environment, dirname(resolve(loaded.path)), found);
  return {
    host: resolveHost(settings, refuse),
    port: settings.port,
    workers: settings.workers === "auto" ? availableParallelism() : settings.workers,
    authMode: settings.auth_mode,
    allowLanAccess: settings.allow_lan_access,
    keys: keys.map(({ text: _text, ...key }) => key),
    allowedOrigins: settings.allowed_origins.map((origin, index) =>
      parseOrigin(origin, (message) => refuse(["allowed_origins", index], message)),
    ),
    hostnames: settings.hostnames.map((pattern) => pattern.toLowerCase()),
    trustedProxies: settings.trusted_proxies,
    publicUrl: settings.public_url?.replace(/\/+$/, ""),
    tls: found.tls,
    upstreams,
    rules: resolveRules(settings, new Set([...upstreams.keys(), "echo"]), refuse),
    mcp,
    mcpGateway: {
      listMs: settings.mcp_gateway.list_timeout * 1000,
      pageSize: settings.mcp_gateway.page_size,
    },
    outboundProxies,
    limits: resolveLimits(settings),
    pingMs: settings.timeouts.ping * 1000,
    drainDelayMs: toTimerMs(settings.drain_delay),
    drainTimeoutMs: toTimerMs(settings.drain_timeout),
    logging: {
      requests: settings.logging.requests,
      maxFile: settings.logging.max_file,
      files: settings.logging.files,
      to: settings.logging.to,
    },
    strictTranslation: settings.strict_translation,
    responsesDone: settings.responses_done,
    managedSettings: settings.managed_settings,
    rememberThinking: settings.remember_thinking,
    redis,
    redisFailure: settings.redis_failure,
    queue: settings.queue && { size: settings.queue.size, timeoutMs: settings.queue.timeout * 1000 },
    unpriced: settings.unpriced,
    totalMs: toTimerMs(settings.timeouts.total),
    ...storage,
    otel,
    file: loaded.file?.path,
    settings: effectiveSettings(loaded, environment),
    modelData: { own: found.modelData, url: settings.model_data?.url },
    secrets: allSecrets(
      keys,
      [...upstreams.values()],
      [...mcp.values()],
      otel,
      outboundProxies,
      found,
      redis,
      databasePasswords(storage.database),
    ),
  };
}

function refusalIn({ file, path: filePath, getSource }: LoadedSettings): Refuse {
  return (path, message) => {
    const source = getSource(path);
    if (/^(?:flag|environment) /.test(source)) throw new AppError("usage", `${source} ${message}`);
    const line = file?.getLine(["proxy", ...path]);
    const where = line === undefined ? filePath : `${filePath}:${line}`;
    throw new AppError("configuration", `${where}: proxy.${path.map(String).join(".")}: ${message}`);
  };
}

/** Returns the secrets of a configuration. */
function allSecrets(
  keys: readonly KnownKey[],
  upstreams: readonly UpstreamConfig[],
  mcp: readonly McpServerConfig[],
  { exporter, relay }: OtelConfig,
  { http, https }: OutboundProxies,
  { secrets }: Found,
  redis: string | undefined,
  passwords: readonly string[],
): string[] {
  const proxies = [http, https].flatMap((proxy) => proxy ?? []);
  const texts = [
    ...(secrets?.values() ?? []),
    ...passwordsIn(redis),
    ...passwords,
    ...keys.flatMap(({ text }) => text ?? []),
    ...upstreams.flatMap((upstream) => [
      ...upstream.keys,
      ...secretsInUrl(upstream.baseUrl),
      ...listPlatformSecrets(upstream.platform),
    ]),
    ...mcp.flatMap(({ url, program, oauth }) => [
      ...(oauth?.clientSecret === undefined ? [] : [oauth.clientSecret]),
      ...(url === undefined ? [] : secretsInUrl(url)),
      ...(program === undefined ? [] : listProgramSecrets(program)),
    ]),
    ...proxies.flatMap(({ secrets, authorization = "" }) => [...secrets, authorization.slice(6)]),
  ];
  return collectSecrets(
    texts,
    [...upstreams, ...mcp, exporter ?? NO_HEADERS, relay ?? NO_HEADERS].map(({ headers }) => headers),
  );
}

function listPlatformSecrets(platform: UpstreamConfig["platform"]): string[] {
  if (platform?.kind !== "azure") return [];
  const { clientSecret, identityHeader } = platform.entra;
  return [clientSecret, identityHeader].filter((text) => text !== undefined);
}

const NO_HEADERS = { headers: {} };

function resolveUpstreams(
  settings: ProxySettings,
  environment: Environment,
  found: Found,
  refuse: Refuse,
): Map<string, UpstreamConfig> {
  const upstreams = settings.upstreams
    ? configuredUpstreams(settings, environment, found, refuse)
    : environmentUpstreams(settings, environment, found.localServers);
  const byName = new Map(upstreams.map((upstream) => [upstream.name, upstream]));
  const targets = settings.models.flatMap((rule) => rule.upstream);
  if (targets.some((target) => (typeof target === "string" ? target : target.upstream) === "echo"))
    byName.set("echo", echoUpstream(settings));
  return byName;
}

function resolveHost(settings: ProxySettings, refuse: Refuse): string {
  const { host, allow_lan_access } = settings;
  if (host?.includes("/"))
    refuse(
      ["host"],
      `must be a host name or an IP address, not ${JSON.stringify(host)}: Unix sockets are not supported`,
    );
  if (host !== undefined && !isLoopback(host) && needsNoKey(settings))
    refuse(
      ["host"],
      "allows other machines to connect without a key; set allow_lan_access or auth_mode: strict as well",
    );
  return withoutBrackets(host ?? (allow_lan_access ? "0.0.0.0" : "127.0.0.1"));
}

function resolveLimits({ limits }: ProxySettings): Limits {
  return {
    body: limits.body,
    utilityBody: limits.utility_body,
    inFlight: limits.in_flight,
    connections: limits.connections,
  };
}

/** Returns whether `auth_mode` requires no key while `allow_lan_access` does not admit other machines. */
const needsNoKey = ({ auth_mode, allow_lan_access }: ProxySettings): boolean =>
  !allow_lan_access && (auth_mode === "auto" || auth_mode === "off");

/**
 * Returns a page's origin as browsers send it. `URL.origin` is "null" for unknown schemes, and browsers also
 * send "null" for every page from a file or sandbox. Allowing a browser extension must not allow all of those
 * pages.
 */
function parseOrigin(text: string, refuse: (message: string) => never): string {
  const { origin, protocol, host } = new URL(text);
  if (origin !== "null") return origin;
  return host === ""
    ? refuse("has no host: pages of such an origin cannot be distinguished")
    : `${protocol}//${host}`;
}

/** The longest delay that a timer of Node.js accepts, in milliseconds: almost 25 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Converts seconds to milliseconds that a timer accepts. */
function toTimerMs(seconds: number): number {
  return Math.min(seconds * 1000, MAX_TIMER_MS);
}

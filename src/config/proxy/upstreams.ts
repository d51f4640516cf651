import { AppError } from "../../errors.ts";
import { plainUrl, versionedUrl } from "../base-url.ts";
import type { Environment } from "../paths.ts";
import { secretText } from "../secret-sources.ts";
import type {
  ModelPrice,
  PlatformConfig,
  Timeouts,
  TokenPrices,
  UpstreamConfig,
  UpstreamDialect,
} from "./config.ts";
import { upstreamSubject } from "./limits.ts";
import { type PlatformName, type PlatformService, resolvePlatform } from "./platforms.ts";
import { type Found, headerTexts, type Refuse } from "./resolve.ts";
import type { ProxySettings } from "./schema.ts";
import type { PriceSettings, UpstreamSettings } from "./upstream-schema.ts";
import { findVendor, findVendorAt, type Vendor } from "./vendors.ts";

/** Returns the upstreams of the configuration file, or the built-in echo if the file lists none. */
export function configuredUpstreams(
  settings: ProxySettings,
  environment: Environment,
  found: Found,
  refuse: Refuse,
): UpstreamConfig[] {
  const configured = Object.entries(settings.upstreams ?? {});
  if (configured.length === 0) return [echoUpstream(settings)];
  return configured.map(([name, upstream]) => {
    if (name === "echo") refuse(["upstreams", name], "the name echo is taken by the built-in upstream");
    const { vendor, dialect, baseUrl, keyHeader, platform } = resolveService(name, upstream, {
      environment,
      found,
      refuse,
    });
    return {
      name,
      dialect,
      vendor: vendor?.name,
      keyHeader,
      platform,
      baseUrl,
      keys: resolveKeys(name, upstream, vendor, environment, found, refuse),
      credentials: upstream.credentials,
      headers: headerTexts(upstream.headers, found),
      forwardHeaders: upstream.forward_headers.map((name) => name.toLowerCase()),
      passThrough: upstream.pass_through,
      webSocket: upstream.websocket,
      models: upstream.models,
      capabilities: upstream.capabilities,
      prices: resolvePrices(upstream.prices),
      timeouts: resolveTimeouts(settings, upstream.timeouts),
      weight: upstream.weight,
      subject: upstreamSubject(name, upstream.limits),
    };
  });
}

interface Service {
  readonly vendor: Vendor | undefined;
  readonly dialect: UpstreamDialect;
  readonly baseUrl: string;
  readonly keyHeader: UpstreamConfig["keyHeader"];
  readonly platform?: PlatformConfig;
}

interface Context {
  readonly environment: Environment;
  readonly found: Found;
  readonly refuse: Refuse;
}

/**
 * Returns the dialect of an upstream: its own, or otherwise the first one of its vendor. Undefined for a cloud platform
 * without `dialect`.
 */
export function getConfiguredDialect({ vendor, dialect }: UpstreamSettings): UpstreamDialect | undefined {
  return dialect ?? listDialects(vendor === undefined ? undefined : findVendor(vendor))[0];
}

function listDialects(vendor: Vendor | undefined): readonly UpstreamDialect[] {
  return Object.keys(vendor?.baseUrls ?? {}) as UpstreamDialect[];
}

/** Returns the address and the dialect of an upstream: its own members, or otherwise those of its vendor. */
function resolveService(name: string, upstream: UpstreamSettings, context: Context): Service {
  const { vendor: vendorName, base_url, version } = upstream;
  const { refuse } = context;
  const vendor = vendorName === undefined ? undefined : findVendor(vendorName);
  if (vendorName === "bedrock" || vendorName === "vertex" || vendorName === "azure")
    return { vendor, ...resolveOwnPlatform(name, vendorName, upstream, context) };
  const dialects = listDialects(vendor);
  const dialect = getConfiguredDialect(upstream);
  if (dialect === undefined) throw new AppError("internal", "an upstream without vendor has no dialect");
  if (base_url !== undefined) {
    const baseUrl = version ? versionedUrl(base_url, dialect) : plainUrl(new URL(base_url));
    const known = vendor ?? findVendorAt(baseUrl);
    return { vendor: known, dialect, baseUrl, keyHeader: known?.keyHeaders?.[dialect] };
  }
  const baseUrl = vendor?.baseUrls[dialect];
  if (baseUrl !== undefined) return { vendor, dialect, baseUrl, keyHeader: vendor?.keyHeaders?.[dialect] };
  return refuse(
    ["upstreams", name, "dialect"],
    `${vendor?.title} has no ${dialect} API; use ${dialects.join(" or ")}, or set base_url`,
  );
}

function resolveOwnPlatform(
  name: string,
  platform: PlatformName,
  upstream: UpstreamSettings,
  { environment, found, refuse }: Context,
): PlatformService {
  return resolvePlatform(platform, {
    settings: upstream,
    dialect: upstream.dialect,
    baseUrl: upstream.base_url && plainUrl(new URL(upstream.base_url)),
    environment,
    folder: found.folder ?? ".",
    readSecret: (secret) => secretText(secret, found.secrets),
    refuse: (member, message) => refuse(["upstreams", name, ...member], message),
  });
}

/**
 * The upstreams that are used without configuration if their key is in the environment, by upstream name. The responses
 * upstream of OpenAI is the first one of that vendor, because clients of other dialects use the first one, and OpenAI's
 * models since GPT-5.4 cannot reason in chat-completions requests with functions.
 */
const FROM_ENVIRONMENT: readonly (readonly [name: string, vendor: string, dialect: UpstreamDialect])[] = [
  ["anthropic", "anthropic", "messages"],
  ["openai-responses", "openai", "responses"],
  ["openai", "openai", "chat-completions"],
  ["gemini", "gemini", "generative-language"],
  ["openrouter", "openrouter", "chat-completions"],
];

/** The environment variables whose keys are used without a configuration. */
export const vendorVariables: readonly string[] = [
  ...new Set(FROM_ENVIRONMENT.flatMap(([, vendor]) => findVendor(vendor)?.variables ?? [])),
];

/**
 * Returns the upstreams that need no configuration: vendors whose key is in the environment, model servers of
 * this machine, and the built-in echo if there are none of these.
 */
export function environmentUpstreams(
  settings: ProxySettings,
  environment: Environment,
  localServers: readonly { readonly name: string; readonly baseUrl: string }[],
): UpstreamConfig[] {
  const vendors = FROM_ENVIRONMENT.flatMap(([name, vendorName, dialect]) => {
    const { variables = [], baseUrls = {} } = findVendor(vendorName) ?? {};
    const key = findFirstValue(environment, variables);
    const baseUrl = baseUrls[dialect];
    if (key === undefined || baseUrl === undefined) return [];
    return [plainUpstream(settings, { name, vendor: vendorName, dialect, baseUrl, keys: [key] })];
  });
  const local = localServers.map((server) =>
    plainUpstream(settings, { ...server, vendor: server.name, dialect: "chat-completions", keys: [] }),
  );
  const all = [...vendors, ...local];
  return all.length > 0 ? all : [echoUpstream(settings)];
}

/** Returns the built-in echo, which responds in every dialect, so that clients can be tried without a vendor. */
export function echoUpstream(settings: ProxySettings): UpstreamConfig {
  const echo = { name: "echo", dialect: "chat-completions", baseUrl: "http://127.0.0.1", keys: [] } as const;
  return { ...plainUpstream(settings, echo), dialect: "any" };
}

interface MinimalUpstream {
  readonly name: string;
  readonly vendor?: string;
  readonly dialect: UpstreamDialect;
  readonly baseUrl: string;
  readonly keys: readonly string[];
}

/** Returns an upstream with the given members, and defaults for all other members. */
function plainUpstream(
  settings: ProxySettings,
  { name, vendor, dialect, baseUrl, keys }: MinimalUpstream,
): UpstreamConfig {
  return {
    name,
    dialect,
    vendor,
    baseUrl: versionedUrl(baseUrl, dialect),
    keys,
    credentials: "config",
    headers: {},
    forwardHeaders: [],
    models: name === "echo" ? ["echo"] : undefined,
    capabilities: {},
    prices: new Map(),
    timeouts: resolveTimeouts(settings, {}),
    weight: undefined,
  };
}

/**
 * Returns the value of an environment variable, trimmed, because values read from files often end in a line break;
 * empty if the variable is not set.
 */
export function environmentValue(environment: Environment, name: string): string {
  return environment[name]?.trim() ?? "";
}

/** Returns the value of the first of these variables that is set. */
function findFirstValue(environment: Environment, variables: readonly string[]): string | undefined {
  return variables.map((name) => environmentValue(environment, name)).find(Boolean);
}

function resolveKeys(
  name: string,
  upstream: UpstreamSettings,
  vendor: Vendor | undefined,
  environment: Environment,
  found: Found,
  refuse: Refuse,
): readonly string[] {
  if (upstream.api_keys) return upstream.api_keys.map((key) => secretText(key, found.secrets));
  if (upstream.api_key) return [secretText(upstream.api_key, found.secrets)];
  if (!upstream.api_key_env) return resolveVendorKeys(name, upstream, vendor, environment, refuse);
  const key = environmentValue(environment, upstream.api_key_env);
  if (key) return [key];
  return refuse(
    ["upstreams", name, "api_key_env"],
    `the environment variable ${upstream.api_key_env} is not set`,
  );
}

/** Returns the key from the variables of the configured vendor. */
function resolveVendorKeys(
  name: string,
  upstream: UpstreamSettings,
  vendor: Vendor | undefined,
  environment: Environment,
  refuse: Refuse,
): readonly string[] {
  if (upstream.vendor === undefined || vendor === undefined || upstream.credentials === "client") return [];
  const key = findFirstValue(environment, vendor.variables);
  if (key !== undefined) return [key];
  // A gateway at another address may not require a key, or its key may be in a configured header.
  if (!vendor.needsKey || upstream.base_url !== undefined) return [];
  return refuse(
    ["upstreams", name],
    `${vendor.title} needs a key: set ${vendor.variables.join(" or ")}, or set api_key`,
  );
}

function resolveTimeouts(settings: ProxySettings, own: UpstreamSettings["timeouts"]): Timeouts {
  const all = settings.timeouts;
  return {
    connectMs: (own.connect ?? all.connect) * 1000,
    firstByteMs: (own.first_byte ?? all.first_byte) * 1000,
    idleMs: (own.idle ?? all.idle) * 1000,
  };
}

function resolvePrices(settings: UpstreamSettings["prices"]): Map<string, ModelPrice> {
  return new Map(
    Object.entries(settings).map(([pattern, { long_prompt, ...price }]) => [
      pattern,
      {
        ...tokenPrices(price),
        ...(long_prompt && { longPrompt: { above: long_prompt.above, ...tokenPrices(long_prompt) } }),
      },
    ]),
  );
}

/** Converts prices. `cache_read` and `cache_write` default to `input`, `cache_write_hour` to `cache_write`. */
function tokenPrices(settings: Omit<PriceSettings, "long_prompt">): TokenPrices {
  const { input, output, cache_read = input, cache_write = input, cache_write_hour = cache_write } = settings;
  return { input, cacheRead: cache_read, cacheWrite: cache_write, cacheWriteHour: cache_write_hour, output };
}

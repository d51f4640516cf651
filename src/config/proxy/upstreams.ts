import { plainUrl, versionedUrl } from "../base-url.ts";
import type { Environment } from "../paths.ts";
import { secretText } from "../secret-sources.ts";
import type { ModelPrice, Timeouts, TokenPrices, UpstreamConfig, UpstreamDialect } from "./config.ts";
import { upstreamSubject } from "./limits.ts";
import { type Found, headerTexts, type Refuse } from "./resolve.ts";
import type { PriceSettings, ProxySettings, UpstreamSettings } from "./schema.ts";

/** Returns the upstreams of the configuration file. */
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
    return {
      name,
      dialect: upstream.dialect,
      baseUrl: upstream.version
        ? versionedUrl(upstream.base_url, upstream.dialect)
        : plainUrl(new URL(upstream.base_url)),
      keys: resolveKeys(name, upstream, environment, found, refuse),
      credentials: upstream.credentials,
      headers: headerTexts(upstream.headers, found),
      forwardHeaders: upstream.forward_headers.map((name) => name.toLowerCase()),
      models: upstream.models,
      capabilities: upstream.capabilities,
      prices: resolvePrices(upstream.prices),
      timeouts: resolveTimeouts(settings, upstream.timeouts),
      weight: upstream.weight,
      subject: upstreamSubject(name, upstream.limits),
    };
  });
}

interface KnownVendor {
  readonly name: string;
  readonly variables: readonly string[];
  readonly dialect: UpstreamDialect;
  readonly baseUrl: string;
}

const KNOWN_VENDORS: readonly KnownVendor[] = [
  {
    name: "anthropic",
    variables: ["ANTHROPIC_API_KEY"],
    dialect: "messages",
    baseUrl: "https://api.anthropic.com",
  },
  {
    name: "openai",
    variables: ["OPENAI_API_KEY"],
    dialect: "chat-completions",
    baseUrl: "https://api.openai.com",
  },
  {
    name: "openai-responses",
    variables: ["OPENAI_API_KEY"],
    dialect: "responses",
    baseUrl: "https://api.openai.com",
  },
  {
    name: "gemini",
    variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    dialect: "generative-language",
    baseUrl: "https://generativelanguage.googleapis.com",
  },
  {
    name: "openrouter",
    variables: ["OPENROUTER_API_KEY"],
    dialect: "chat-completions",
    baseUrl: "https://openrouter.ai/api",
  },
];

/**
 * Returns the upstreams without configuration: vendors whose key is in the environment, model servers of this
 * machine, and the built-in echo if there are none of these.
 */
export function environmentUpstreams(
  settings: ProxySettings,
  environment: Environment,
  localServers: readonly { readonly name: string; readonly baseUrl: string }[],
): UpstreamConfig[] {
  const vendors = KNOWN_VENDORS.flatMap((vendor) => {
    const key = vendor.variables.map((name) => environmentValue(environment, name)).find(Boolean);
    return key ? [plainUpstream(settings, { ...vendor, keys: [key] })] : [];
  });
  const local = localServers.map((server) =>
    plainUpstream(settings, { ...server, dialect: "chat-completions", keys: [] }),
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
  readonly dialect: UpstreamDialect;
  readonly baseUrl: string;
  readonly keys: readonly string[];
}

/** Returns an upstream with defaults for everything else. */
function plainUpstream(
  settings: ProxySettings,
  { name, dialect, baseUrl, keys }: MinimalUpstream,
): UpstreamConfig {
  return {
    name,
    dialect,
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

/** Returns an environment variable, trimmed: values read from files often end in a line break. */
export function environmentValue(environment: Environment, name: string): string {
  return environment[name]?.trim() ?? "";
}

function resolveKeys(
  name: string,
  upstream: UpstreamSettings,
  environment: Environment,
  found: Found,
  refuse: Refuse,
): readonly string[] {
  if (upstream.api_keys) return upstream.api_keys.map((key) => secretText(key, found.secrets));
  if (upstream.api_key) return [secretText(upstream.api_key, found.secrets)];
  if (!upstream.api_key_env) return [];
  const key = environmentValue(environment, upstream.api_key_env);
  if (key) return [key];
  return refuse(
    ["upstreams", name, "api_key_env"],
    `the environment variable ${upstream.api_key_env} is not set`,
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

/** Converts prices. Cached tokens without their own price cost as much as input tokens. */
function tokenPrices(settings: Omit<PriceSettings, "long_prompt">): TokenPrices {
  const { input, output, cache_read = input, cache_write = input, cache_write_hour = cache_write } = settings;
  return { input, cacheRead: cache_read, cacheWrite: cache_write, cacheWriteHour: cache_write_hour, output };
}

import type { UpstreamDialect } from "../../proxy/dialects/index.ts";
import type { OutboundProxies } from "../outbound-proxy.ts";
import type { ProxySettings } from "./schema.ts";

/** The proxy's configuration as it is used: keys and environment variables looked up, times in milliseconds. */
export interface ProxyConfig {
  readonly host: string;
  readonly port: number;
  /** Processes that serve. */
  readonly workers: number;
  readonly authMode: ProxySettings["auth_mode"];
  readonly allowLanAccess: boolean;
  readonly keys: readonly ProxyKey[];
  readonly allowedOrigins: readonly string[];
  /** Further names that the proxy is reached by: lower-case patterns. */
  readonly hostnames: readonly string[];
  /** Addresses and CIDR ranges of the proxies in front of this one. */
  readonly trustedProxies: readonly string[];
  /** The address that clients use, where it is not the one listened on: without trailing slash. */
  readonly publicUrl: string | undefined;
  readonly upstreams: ReadonlyMap<string, UpstreamConfig>;
  readonly rules: readonly ModelRule[];
  /** HTTP proxies that connections to upstreams and MCP servers go through. */
  readonly outboundProxies: OutboundProxies;
  readonly mcp: ReadonlyMap<string, McpServerConfig>;
  readonly limits: Limits;
  readonly pingMs: number;
  /** From the first signal until the listener closes. */
  readonly drainDelayMs: number;
  /** That running calls may take to end after that; 0 is no limit. */
  readonly drainTimeoutMs: number;
  readonly logging: LoggingConfig;
  readonly strictTranslation: boolean;
  /** Every secret that is known, for redaction; longest first. */
  readonly secrets: readonly string[];
}

/** A key that clients may show. Only its SHA-256 is kept. */
export interface ProxyKey {
  readonly name: string;
  readonly sha256: Buffer;
}

export type { UpstreamDialect };

export interface UpstreamConfig {
  readonly name: string;
  /** `any`: the built-in echo, which answers in the client's own dialect. */
  readonly dialect: UpstreamDialect | "any";
  /** With its version segment, without trailing slash. */
  readonly baseUrl: string;
  readonly keys: readonly string[];
  readonly credentials: "config" | "client";
  readonly headers: Readonly<Record<string, string>>;
  /** Names of client headers that reach it besides those of the vendors: lower case. */
  readonly forwardHeaders: readonly string[];
  /** What it serves, where the configuration says; else it is asked. */
  readonly models: readonly string[] | undefined;
  readonly capabilities: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** By model pattern; the first that fits counts, instead of what vendors list. */
  readonly prices: ReadonlyMap<string, ModelPrice>;
  readonly timeouts: Timeouts;
  /** Its share of a rule's calls; undefined where the rule's order decides. */
  readonly weight: number | undefined;
}

/** US dollars for a million tokens of each kind. A kind that is not there has no price. */
export interface TokenPrices {
  /** Of input tokens that no cache gave or took. */
  readonly input: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** Of tokens that a cache keeps for an hour, where that costs more than `cacheWrite`. */
  readonly cacheWriteHour?: number;
  readonly output: number;
}

export interface ModelPrice extends TokenPrices {
  /** For the whole call where its input, cached tokens included, is longer than `above` tokens. */
  readonly longPrompt?: TokenPrices & { readonly above: number };
}

/** Milliseconds; 0 is no limit. */
export interface Timeouts {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
}

export interface ModelRule {
  readonly match: string;
  /** In the order in which they are asked. */
  readonly places: readonly RulePlace[];
  readonly when: RuleCondition | undefined;
}

/** Where a rule sends calls. */
export interface RulePlace {
  /** The upstream's name. */
  readonly upstream: string;
  /** The model's name there; undefined where it is the client's. */
  readonly model: string | undefined;
}

export interface RuleCondition {
  readonly requestClass?: string;
  readonly minTokens?: number;
  readonly hasImage?: boolean;
  readonly hasTools?: boolean;
  /** Lower-case header name to pattern. */
  readonly header?: Readonly<Record<string, string>>;
}

export interface McpServerConfig {
  readonly enabled: boolean;
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Bytes, and a number of connections. */
export interface Limits {
  readonly body: number;
  readonly utilityBody: number;
  readonly inFlight: number;
  readonly connections: number;
}

export interface LoggingConfig {
  readonly requests: boolean;
  readonly maxFile: number;
  readonly files: number;
  readonly to: "file" | "stdout";
}

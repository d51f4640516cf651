import type { UpstreamDialect } from "../../proxy/dialects/index.ts";
import type { OutboundProxies } from "../outbound-proxy.ts";
import type { DatabaseLocation } from "./database-location.ts";
import type { EffectiveSetting } from "./effective.ts";
import type { FallbackReason, Limits as KeyLimits, QueueSettings, Strategy, Subject } from "./limits.ts";
import type { McpGatewayConfig, McpServerConfig } from "./mcp-config.ts";
import type { VendorModels } from "./model-data.ts";
import type { OtelConfig } from "./otel.ts";
import type { ProxySettings } from "./schema.ts";
import type { TlsConfig } from "./tls.ts";

/**
 * The resolved configuration of the proxy, with the values of keys and environment variables. Times are in
 * milliseconds.
 */
export interface ProxyConfig {
  readonly host: string;
  readonly port: number;
  /** Number of processes that serve calls. */
  readonly workers: number;
  readonly authMode: ProxySettings["auth_mode"];
  readonly allowLanAccess: boolean;
  readonly keys: readonly ProxyKey[];
  readonly allowedOrigins: readonly string[];
  /** Additional allowed host names: lower-case patterns. */
  readonly hostnames: readonly string[];
  /** Addresses and CIDR ranges of the proxies in front of this one. */
  readonly trustedProxies: readonly string[];
  /** The URL that clients use, if it differs from the listening address; without trailing slash. */
  readonly publicUrl: string | undefined;
  /** Certificate and key of the HTTPS listener; undefined: HTTP. */
  readonly tls: TlsConfig | undefined;
  readonly upstreams: ReadonlyMap<string, UpstreamConfig>;
  readonly rules: readonly ModelRule[];
  /** HTTP proxies for connections to upstreams and MCP servers. */
  readonly outboundProxies: OutboundProxies;
  readonly mcp: ReadonlyMap<string, McpServerConfig>;
  readonly mcpGateway: McpGatewayConfig;
  readonly limits: Limits;
  readonly pingMs: number;
  /** Time from the first SIGTERM or SIGINT until the listener closes. */
  readonly drainDelayMs: number;
  /** Time for running calls to finish after the listener has closed; 0: no limit. */
  readonly drainTimeoutMs: number;
  readonly logging: LoggingConfig;
  readonly strictTranslation: boolean;
  /** Settings of Claude Code for all users; undefined: none. */
  readonly managedSettings: Readonly<Record<string, unknown>> | undefined;
  /** Whether signed thinking is kept for clients that do not send it back. */
  readonly rememberThinking: boolean;
  /** Whether event streams of the responses dialect end with `data: [DONE]`. */
  readonly responsesDone: boolean;
  /** The URL of the Redis server through which replicas share limits and cooldowns; undefined: they share none. */
  readonly redis: string | undefined;
  readonly redisFailure: "local" | "refuse";
  /**
   * The queue of calls that exceed a limit of concurrency or of an upstream; undefined: these calls are rejected.
   */
  readonly queue: QueueSettings | undefined;
  /**
   * Calls of models without a price, if the key or its team has a budget: `count` serves them at a cost of 0, `refuse`
   * rejects them.
   */
  readonly unpriced: "count" | "refuse";
  /** Milliseconds that a call may take; 0: no limit. */
  readonly totalMs: number;
  readonly database: DatabaseLocation;
  /**
   * Whether the settings name the database. The default database is opened after the listener, and the proxy
   * also runs without it.
   */
  readonly isDatabaseConfigured: boolean;
  readonly retention: Retention;
  readonly capture: CaptureConfig;
  readonly otel: OtelConfig;
  /** The configuration file; undefined if there is none. */
  readonly file: string | undefined;
  /** Every setting in force with its source; secrets are redacted. */
  readonly settings: readonly EffectiveSetting[];
  readonly modelData: ModelDataConfig;
  /** Known secrets, for redaction; longest first. */
  readonly secrets: readonly string[];
}

/** A key that clients may send. Only the SHA-256 of its text is kept. */
export interface ProxyKey {
  readonly name: string;
  readonly sha256: Buffer;
  /**
   * `key_…` for a virtual key, `config:NAME` for a named key of the configuration file; undefined for a key that the
   * file lists as a string, and for the key that the proxy created.
   */
  readonly id?: string | undefined;
  readonly team?: string | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /**
   * The permissions of the key; undefined for a key that is not in the database. Such a key may do what `user` may, and
   * may see the dashboard and the metrics.
   */
  readonly role?: "user" | "metrics" | "admin" | undefined;
  /** Patterns of the models that the key may call; undefined: all. */
  readonly models?: readonly string[] | undefined;
  /** The MCP servers and tools that the key may use, as `NAME` or `NAME/TOOL` with patterns; undefined: all. */
  readonly mcp?: readonly string[] | undefined;
  /** The calls whose bodies are kept; undefined: the value of the proxy's `capture`. */
  readonly capture?: CaptureConfig["calls"] | undefined;
  readonly limits?: KeyLimits | undefined;
  /** The limits of the key and of its team; undefined if they have none. */
  readonly subjects?: readonly Subject[] | undefined;
}

export type { KeyLimits, UpstreamDialect };

export interface UpstreamConfig {
  readonly name: string;
  /** `any`: the built-in echo, which responds in the client's dialect. */
  readonly dialect: UpstreamDialect | "any";
  /** The configured vendor, or the vendor to which the base URL's host belongs; see `vendors.ts`. */
  readonly vendor?: string | undefined;
  /** The cloud platform that serves the upstream; undefined if there is none. */
  readonly platform?: PlatformConfig | undefined;
  /** The header for the key, if it differs from the dialect's. */
  readonly keyHeader?: KeyHeader | undefined;
  /** The URL with its version segment, if the API has one, and without trailing slash. */
  readonly baseUrl: string;
  readonly keys: readonly string[];
  readonly credentials: "config" | "client";
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Names, in lower case, of client headers to forward in addition to known ones, if others than this machine's user
   * can call the proxy.
   */
  readonly forwardHeaders: readonly string[];
  /** Configured models; undefined: the upstream's own list. */
  readonly models: readonly string[] | undefined;
  readonly capabilities: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Prices by model pattern, instead of list prices; the first matching pattern applies. */
  readonly prices: ReadonlyMap<string, ModelPrice>;
  readonly timeouts: Timeouts;
  /** Whether responses are streamed over WebSockets. */
  readonly webSocket?: boolean | undefined;
  /** Whether paths that the proxy does not know are passed on. */
  readonly passThrough?: boolean | undefined;
  /**
   * Relative weight with which a rule selects a call's first target, unless the rule sets the target's weight.
   * Undefined counts as 1 if another target of the rule has a weight.
   */
  readonly weight: number | undefined;
  /** The upstream's limits; undefined if it has none. */
  readonly subject?: Subject | undefined;
}

/** The header of an API key; `prefix` precedes the key in the value. */
export interface KeyHeader {
  readonly name: string;
  readonly prefix: string;
}

/** A cloud platform with its own sign-in and its own form of some requests. */
export type PlatformConfig = BedrockPlatform | VertexPlatform | AzurePlatform;

export interface BedrockPlatform {
  readonly kind: "bedrock";
  readonly region: string;
  /** The profile in AWS's shared configuration files; undefined: the default credential provider chain selects one. */
  readonly profile: string | undefined;
  /** The role to assume with the credentials that were found. */
  readonly roleArn: string | undefined;
  /** The URL of the Security Token Service, for `roleArn`. */
  readonly stsUrl: string;
  /** The base URL of the control plane, which lists models. */
  readonly controlUrl: string;
}

export interface VertexPlatform {
  readonly kind: "vertex";
  readonly project: string;
  readonly location: string;
  /** The file with credentials; undefined: those of gcloud or of the metadata server. */
  readonly credentialsFile: string | undefined;
  /** gcloud's folder, if it is not the default one. */
  readonly gcloudFolder: string | undefined;
  /** Host and port of the metadata server. */
  readonly metadataHost: string;
}

export interface AzurePlatform {
  readonly kind: "azure";
  /** Whether the model is part of the path (`/deployments/{model}/chat/completions`). */
  readonly deployments: boolean;
  readonly entra: EntraSignIn;
}

/** Parameters for requesting a token of Microsoft Entra ID, if the upstream has no key. */
export interface EntraSignIn {
  readonly tenantId: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** The file with a federated token (workload identity). */
  readonly tokenFile: string | undefined;
  readonly scope: string;
  /** The base URL of the token service. */
  readonly authority: string;
  /** App Service's endpoint for managed identities, and the value of the header that it expects. */
  readonly identityEndpoint: string | undefined;
  readonly identityHeader: string | undefined;
  /** The base URL of the metadata service of virtual machines. */
  readonly metadataHost: string;
}

/** US dollars per million tokens of each kind. A missing kind has no price. */
export interface TokenPrices {
  /** Uncached input tokens. */
  readonly input: number;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  /** Tokens written to a cache with a lifetime of one hour. */
  readonly cacheWriteHour?: number | undefined;
  readonly output: number;
}

export interface ModelPrice extends TokenPrices {
  /** Prices of the whole call if its input, including cached tokens, exceeds `above` tokens. */
  readonly longPrompt?: (TokenPrices & { readonly above: number }) | undefined;
}

/** Time limits of calls to an upstream, in milliseconds; 0 stands for no limit. */
export interface Timeouts {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
}

export interface ModelRule {
  readonly match: string;
  /** The targets in the order of the configuration. */
  readonly targets: readonly RuleTarget[];
  /**
   * The order in which the targets are tried; undefined stands for `weighted` if a target or its upstream has a weight,
   * or otherwise for `order`.
   */
  readonly strategy?: Strategy | undefined;
  /** Failures after which the next target is tried; undefined: errors and rate limits. */
  readonly on?: readonly FallbackReason[] | undefined;
  readonly when: RuleCondition | undefined;
}

export interface RuleTarget {
  /** The upstream's name. */
  readonly upstream: string;
  /** The model's name at the upstream; undefined: the name that the client requested. */
  readonly model: string | undefined;
  /** The target's share of the rule's sessions and calls; undefined: the upstream's weight. */
  readonly weight?: number | undefined;
}

export interface RuleCondition {
  readonly requestClass?: string | undefined;
  readonly minTokens?: number | undefined;
  readonly hasImage?: boolean | undefined;
  readonly hasTools?: boolean | undefined;
  /** Patterns of header values, by header name in lower case. */
  readonly header?: Readonly<Record<string, string>> | undefined;
}

/** Limits of one request body and of all bodies in memory, in bytes, and of the number of connections. */
export interface Limits {
  readonly body: number;
  readonly utilityBody: number;
  readonly inFlight: number;
  readonly connections: number;
}

/** Sources of model data that take precedence over the bundled data. */
export interface ModelDataConfig {
  /** The data in the configured file. */
  readonly own: VendorModels | undefined;
  readonly url: string | undefined;
}

/** The times for which the database keeps data, in milliseconds. */
export interface Retention {
  readonly callsMs: number;
  readonly responsesMs: number;
  readonly capturesMs: number;
}

/** The calls whose bodies are kept, and the maximum bytes kept of each body. */
export interface CaptureConfig {
  readonly calls: "off" | "errors" | "all";
  readonly maxBytes: number;
}

export interface LoggingConfig {
  readonly requests: boolean;
  readonly maxFile: number;
  readonly files: number;
  readonly to: "file" | "stdout";
}

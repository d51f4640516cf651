/** The data that the dashboard receives. Metadata only: no content of calls, and of keys only their names. */
export interface DashboardState {
  /** The proxy's clock in milliseconds since 1970, so that a page on another machine can compute ages. */
  readonly now: number;
  readonly startedAt: number;
  readonly isDraining: boolean;
  readonly configuration: ConfigurationState;
  /** Whether callers need a key. */
  readonly needsKey: boolean;
  readonly live: readonly LiveCall[];
  /** Newest first; in an event, only the calls that the page does not have yet. */
  readonly calls: readonly FinishedCall[];
  readonly total: CallTotals;
  readonly models: readonly ModelTotals[];
  readonly upstreams: readonly UpstreamState[];
  readonly rules: readonly RuleState[];
  readonly mcp: readonly McpState[];
}

export interface ConfigurationState {
  /** Milliseconds since 1970. */
  readonly readAt: number;
  /** The last configuration file that was rejected; absent if a later one was applied. */
  readonly refused?: { readonly at: number; readonly reason: string };
}

export interface LiveCall {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly key?: string;
  readonly route: string;
  readonly model?: string;
  readonly upstream?: string;
  readonly stream: boolean;
}

export interface FinishedCall {
  readonly id: string;
  /** When the call ended, ISO 8601. */
  readonly time: string;
  readonly key?: string;
  readonly method: string;
  readonly route: string;
  readonly model?: string;
  /** Present if a rule has renamed the model. */
  readonly upstreamModel?: string;
  readonly upstream?: string;
  readonly status: number;
  readonly ms: number;
  readonly firstByteMs?: number;
  readonly stream: boolean;
  readonly tokens?: { readonly input?: number; readonly cached?: number; readonly output?: number };
  /** US dollars. */
  readonly cost?: number;
  readonly retries: number;
  readonly losses: readonly string[];
  /** Why the call failed, even if its status is a success; absent if it did not fail. */
  readonly errorCode?: string;
  readonly fault?: string;
}

/** Totals since the start. */
export interface CallTotals {
  readonly calls: number;
  readonly errors: number;
  /** Tokens; `cached` is the part of `input` that was read from a cache. */
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  /** US dollars, for the calls whose cost is known; absent if there are none. */
  readonly cost?: number;
  /** Calls that used tokens but whose cost is not known. */
  readonly unpriced: number;
  /** Approximate percentiles of the calls' durations, in milliseconds. */
  readonly p50?: number;
  readonly p95?: number;
}

export interface ModelTotals extends CallTotals {
  readonly upstream: string;
  readonly model: string;
}

/** The last call that failed; `time` is ISO 8601. */
export interface LastError {
  readonly time: string;
  readonly status: number;
  readonly fault?: string;
}

interface Served {
  readonly calls: number;
  readonly errors: number;
  /** When the last successful call ended, ISO 8601. */
  readonly lastSuccess?: string;
  readonly lastError?: LastError;
}

export interface UpstreamState extends Served {
  readonly name: string;
  readonly dialect: string;
  /** Without query and credentials; absent for the built-in upstream. */
  readonly url?: string;
  readonly keys: number;
  /** The cooldowns of the upstream and its keys. */
  readonly resting: readonly CooldownState[];
}

/** A key in cooldown for a model, or the whole upstream. */
export interface CooldownState {
  /** Counted from 1; present if the upstream has several keys. */
  readonly key?: number;
  readonly model?: string;
  /** The status that the upstream returned; absent if there was no response. */
  readonly status?: number;
  /** Milliseconds since 1970. */
  readonly until: number;
}

export interface RuleState {
  readonly match: string;
  readonly upstreams: readonly string[];
  readonly model?: string;
  /** The rule's conditions as short phrases. */
  readonly when: readonly string[];
}

export interface McpState extends Served {
  readonly name: string;
  readonly isEnabled: boolean;
  /** The server's address, or the program. */
  readonly url: string;
  /** Whether the proxy starts the server, which clients then reach at `/mcp` alone. */
  readonly isProgram?: boolean;
}

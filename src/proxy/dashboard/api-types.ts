/** The data that the dashboard receives: metadata of calls without their content, and the names of keys. */
export interface DashboardState {
  /** The proxy's clock in milliseconds since 1970, so that a page on another machine can compute ages. */
  readonly now: number;
  readonly startedAt: number;
  readonly isDraining: boolean;
  readonly configuration: ConfigurationState;
  /** Whether clients need a key. */
  readonly needsKey: boolean;
  readonly live: readonly LiveCall[];
  /** Ended calls, newest first. An event of the stream contains only the calls that the page has not received yet. */
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
  /** When and why the last change of the configuration was rejected; absent if a later change was applied. */
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
  /** The model's name at the upstream; absent if it is the same as `model`. */
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
  /** Why the call failed; absent if it did not fail. A call with a success status can have failed too. */
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
  /** Number of calls that used tokens and whose cost is not known. */
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
  /** When the last successful call ended, ISO 8601. A client disconnect is neither a success nor a failure. */
  readonly lastSuccess?: string;
  readonly lastError?: LastError;
}

export interface UpstreamState extends Served {
  readonly name: string;
  readonly dialect: string;
  /** The base URL without query and credentials; absent for the built-in upstream. */
  readonly url?: string;
  /** Number of keys. */
  readonly keys: number;
  /** The cooldowns of the upstream and its keys. */
  readonly resting: readonly CooldownState[];
}

/** The cooldown of one key for one model, or of a whole upstream. */
export interface CooldownState {
  /** The position of the key, from 1; absent for a whole upstream, and for an upstream with at most one key. */
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
  /** The server's URL without query and credentials, or the command of a program. */
  readonly url: string;
  /** Whether the server is a program that the proxy starts. Clients can call its tools only at `/mcp`. */
  readonly isProgram?: boolean;
}

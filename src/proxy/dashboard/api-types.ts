/** What the dashboard shows, as it is sent to the page. Metadata alone: nothing of what was said, no key but its name. */
export interface DashboardState {
  /** Milliseconds since 1970 here, so that a page on another machine can tell ages. */
  readonly now: number;
  readonly startedAt: number;
  readonly isDraining: boolean;
  readonly configuration: ConfigurationState;
  /** Whether callers need a key. */
  readonly needsKey: boolean;
  readonly live: readonly LiveCall[];
  /** Newest first; in an event those that the page has not got yet. */
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
  /** The last file that was not taken, where none was since. */
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
  /** ISO 8601, of its end. */
  readonly time: string;
  readonly key?: string;
  readonly method: string;
  readonly route: string;
  readonly model?: string;
  /** Where a rule has renamed it. */
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
  /** Why it failed, also where its status was sent before; absent where it did not. */
  readonly errorCode?: string;
  readonly fault?: string;
}

/** Since the start. */
export interface CallTotals {
  readonly calls: number;
  readonly errors: number;
  /** Tokens; `cached` is the part of `input` that a cache gave. */
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  /** US dollars, of the calls whose cost is known; absent where it is of none. */
  readonly cost?: number;
  /** Calls that took tokens whose cost is not known. */
  readonly unpriced: number;
  /** Milliseconds that half of the calls, and 95 of a hundred, took at most; about. */
  readonly p50?: number;
  readonly p95?: number;
}

export interface ModelTotals extends CallTotals {
  readonly upstream: string;
  readonly model: string;
}

/** ISO 8601, and what went wrong. */
export interface LastError {
  readonly time: string;
  readonly status: number;
  readonly fault?: string;
}

interface Served {
  readonly calls: number;
  readonly errors: number;
  /** ISO 8601, of the last call that went well. */
  readonly lastSuccess?: string;
  readonly lastError?: LastError;
}

export interface UpstreamState extends Served {
  readonly name: string;
  readonly dialect: string;
  /** Without a query; absent where it is built in. */
  readonly url?: string;
  readonly keys: number;
  /** What of it is asked last for a while. */
  readonly resting: readonly Resting[];
}

/** A key for a model, or the whole upstream where it could not be reached. */
export interface Resting {
  /** Counted from 1, where it has several. */
  readonly key?: number;
  readonly model?: string;
  /** What it answered with; absent where it could not be reached. */
  readonly status?: number;
  /** Milliseconds since 1970. */
  readonly until: number;
}

export interface RuleState {
  readonly match: string;
  readonly upstreams: readonly string[];
  readonly model?: string;
  /** Its conditions, each as a few words. */
  readonly when: readonly string[];
}

export interface McpState extends Served {
  readonly name: string;
  readonly isEnabled: boolean;
  readonly url: string;
}

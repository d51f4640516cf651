import type { IncomingMessage } from "node:http";
import type { InternalCall } from "../http/internal-call.ts";
import type { BodyMemory } from "./body/body-memory.ts";
import type { CallActivity } from "./dashboard/activity.ts";
import type { ConfigurationState } from "./dashboard/api-types.ts";
import type { Gateway } from "./gateway/gateway.ts";
import type { LimitStore } from "./gateway/limits.ts";
import type { ModelLabels } from "./models/model-labels.ts";
import type { MetricCounts, Metrics } from "./observability/metrics.ts";
import type { RecentCalls } from "./observability/recent-calls.ts";
import type { RequestLog } from "./observability/request-log.ts";
import type { BackgroundResponses } from "./pipeline/background-responses.ts";
import type { Limiter } from "./pipeline/limit-call.ts";
import type { CallObserver } from "./pipeline/observe-call.ts";
import type { Cooldowns } from "./routing/cooldowns.ts";
import type { KeyPolicy } from "./routing/key-policy.ts";
import type { UpstreamStats } from "./routing/upstream-stats.ts";
import type { Runtime } from "./runtime.ts";
import type { ConnectionLimit } from "./server/connections.ts";
import type { TelemetryRelay } from "./server/relay-telemetry.ts";
import type { createCallCache } from "./translate/conversations/call-memory.ts";
import type { ConversationStore } from "./translate/conversations/conversation-store.ts";
import type { OpenStreams } from "./upstream/open-streams.ts";
import type { Pools } from "./upstream/pools.ts";

/** The services that all handlers of a proxy share. */
export interface Services {
  /** Returns the runtime of the current configuration. Each call reads it once and keeps it. */
  readonly runtime: () => Runtime;
  readonly pools: Pools;
  readonly cooldowns: Cooldowns;
  readonly keyPolicy: KeyPolicy;
  /** Counts the usage of calls against the limits of keys, teams and upstreams. */
  readonly limits: LimitStore;
  readonly limiter: Limiter;
  /** Measurements of upstreams; recorded only if a rule uses them. */
  readonly stats: UpstreamStats;
  readonly streams: OpenStreams;
  readonly log: RequestLog;
  readonly metrics: Metrics;
  readonly modelLabels: ModelLabels;
  /** Returns the sum of the counts of all processes that serve this address. */
  readonly totals: () => MetricCounts | Promise<MetricCounts>;
  readonly recent: RecentCalls;
  /**
   * Returns the activity of all processes that serve this address, with the calls that ended at `since` (ISO 8601) or
   * later.
   */
  readonly activity: (since: string) => Promise<CallActivity>;
  /** When the first process of this proxy started, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Returns the time at which the current configuration was read, and why a later one was rejected, if one was. */
  readonly configuration: () => ConfigurationState;
  /** Loads the built dashboard; rejects if it was not built. */
  readonly dashboardPage: () => Promise<string>;
  /** The id by which the proxy detects forwarding loops. */
  readonly instanceId: string;
  readonly nextRequestId: () => string;
  /** Identifies this process in the ledger. The ids of its calls contain it. */
  readonly replicaId: string;
  readonly version: string;
  /** The keys and teams in the database, and the database's operations. */
  readonly gateway: Gateway;
  /** Counts the memory of request bodies. */
  readonly memory: BodyMemory;
  /** Stores conversations and responses for clients, and the data of `CallMemory`. */
  readonly conversations: ConversationStore;
  /** The responses that this process creates in the background. */
  readonly background: BackgroundResponses;
  /** Sends a request to the proxy's own routes, without a connection. */
  readonly sendInternally: (call: InternalCall) => Promise<IncomingMessage>;
  /** Caches data of tool calls that clients leave out when they send the calls back. */
  readonly callCache: ReturnType<typeof createCallCache>;
  /**
   * Returns whether the proxy is draining: it accepts no new connections, and serves the calls on open ones until it is
   * closing.
   */
  readonly isDraining: () => boolean;
  /** Returns whether the proxy rejects every request. */
  readonly isClosing: () => boolean;
  /** Returns whether the proxy is about to stop. It then still serves calls, and `/readyz` returns 503. */
  readonly isStopping: () => boolean;
  readonly connections: ConnectionLimit;
  readonly observer: CallObserver;
  readonly telemetryRelay: TelemetryRelay;
}

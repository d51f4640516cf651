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

/** The services that handlers share: one instance per proxy. */
export interface Services {
  /** Returns the current configuration. A call reads it once and keeps it. */
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
  /** Returns the sum of what all processes that serve this address have counted. */
  readonly totals: () => MetricCounts | Promise<MetricCounts>;
  readonly recent: RecentCalls;
  /**
   * Returns the calls of all processes that serve this address; of the ended ones, those from `since` (ISO 8601) on.
   */
  readonly activity: (since: string) => Promise<CallActivity>;
  /** Start of the first of these processes, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Returns the time when the current configuration was read, and the reason why a later one was rejected. */
  readonly configuration: () => ConfigurationState;
  /** Loads the built dashboard; rejects if it was not built. */
  readonly dashboardPage: () => Promise<string>;
  /** The instance id, by which forwarding loops are detected. */
  readonly instanceId: string;
  readonly nextRequestId: () => string;
  /** Identifies this process in the ledger: part of the ids of its calls. */
  readonly replicaId: string;
  readonly version: string;
  /** The keys of the database, and its queries for admins. */
  readonly gateway: Gateway;
  /** The memory that request bodies take. */
  readonly memory: BodyMemory;
  /** Stored conversations, for `previous_response_id` in the translation lane. */
  readonly conversations: ConversationStore;
  /** The responses that this process creates in the background. */
  readonly background: BackgroundResponses;
  /** Sends a request of a client to the proxy's own routes. */
  readonly sendInternally: (call: InternalCall) => Promise<IncomingMessage>;
  /** The memory, in this process, of data that clients leave out when they send calls back. */
  readonly callCache: ReturnType<typeof createCallCache>;
  /** Returns whether the proxy only waits for running calls, and those that arrive over open connections. */
  readonly isDraining: () => boolean;
  /** Returns whether every request is rejected. */
  readonly isClosing: () => boolean;
  /** Returns whether the proxy is about to stop. It still serves calls, and `/readyz` fails. */
  readonly isStopping: () => boolean;
  readonly connections: ConnectionLimit;
  readonly observer: CallObserver;
  readonly telemetryRelay: TelemetryRelay;
}

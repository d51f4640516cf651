import type { BodyRoom } from "./body/body-room.ts";
import type { CallActivity } from "./dashboard/activity.ts";
import type { ConfigurationState } from "./dashboard/api-types.ts";
import type { ModelLabels } from "./models/model-labels.ts";
import type { MetricCounts, Metrics } from "./observability/metrics.ts";
import type { RecentCalls } from "./observability/recent-calls.ts";
import type { RequestLog } from "./observability/request-log.ts";
import type { Cooldowns } from "./routing/cooldowns.ts";
import type { KeyPolicy } from "./routing/key-policy.ts";
import type { Runtime } from "./runtime.ts";
import type { ConnectionLimit } from "./server/connection-limit.ts";
import type { ConversationStore } from "./translate/conversations/conversation-store.ts";
import type { OpenStreams } from "./upstream/open-streams.ts";
import type { Pools } from "./upstream/pools.ts";

/** What handlers share; one of these per proxy. */
export interface Services {
  /** The configuration in force; a call takes it once and keeps it. */
  readonly runtime: () => Runtime;
  readonly pools: Pools;
  readonly cooldowns: Cooldowns;
  readonly keyPolicy: KeyPolicy;
  readonly streams: OpenStreams;
  readonly log: RequestLog;
  readonly metrics: Metrics;
  readonly modelLabels: ModelLabels;
  /** What was counted here, and by all others that serve the same address. */
  readonly totals: () => MetricCounts | Promise<MetricCounts>;
  readonly recent: RecentCalls;
  /** The calls here and at all others that serve the same address; of ended ones those from `since` (ISO 8601) on. */
  readonly activity: (since: string) => Promise<CallActivity>;
  /** Milliseconds since 1970, of the first of these. */
  readonly startedAt: number;
  /** How the configuration in force came to be. */
  readonly configuration: () => ConfigurationState;
  /** The dashboard as it was built; rejects where it was not. */
  readonly dashboardPage: () => Promise<string>;
  /** Marks our calls, so that one that comes back is known. */
  readonly via: string;
  readonly nextRequestId: () => string;
  /** The memory that request bodies take at this moment. */
  readonly room: BodyRoom;
  /** What was said before, for `previous_response_id` in the translation lane. */
  readonly conversations: ConversationStore;
  readonly isDraining: () => boolean;
  /** Whether the proxy is about to stop, though it still serves: `/readyz` says so to load balancers. */
  readonly isStopping: () => boolean;
  readonly connections: ConnectionLimit;
}

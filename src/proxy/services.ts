import type { MetricCounts, Metrics } from "./log/metrics.ts";
import type { RequestLog } from "./log/request-log.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { Runtime } from "./runtime.ts";
import type { ConversationStore } from "./translate/conversation-store.ts";
import type { Pools } from "./upstream/pools.ts";

/** What handlers share; one of these per proxy. */
export interface Services {
  /** The configuration in force; a call takes it once and keeps it. */
  readonly runtime: () => Runtime;
  readonly pools: Pools;
  readonly streams: OpenStreams;
  readonly log: RequestLog;
  readonly metrics: Metrics;
  /** What was counted here, and by all others that serve the same address. */
  readonly totals: () => MetricCounts | Promise<MetricCounts>;
  /** Marks our calls, so that one that comes back is known. */
  readonly via: string;
  readonly nextRequestId: () => string;
  /** Bytes of request bodies held at this moment. */
  readonly held: { bytes: number };
  /** What was said before, for `previous_response_id` in the translation lane. */
  readonly conversations: ConversationStore;
  readonly isDraining: () => boolean;
}

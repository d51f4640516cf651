import type { ProxyConfig } from "../../../config/proxy/config.ts";
import type { History } from "../../../proxy/create-proxy.ts";
import type { CallActivity } from "../../../proxy/dashboard/activity.ts";
import type { MetricCounts } from "../../../proxy/observability/metrics.ts";
import type { KeptEntry } from "../../../proxy/translate/conversations/shared-conversations.ts";

/** What a worker needs to serve. Secrets reach it by the pipe alone, never by arguments or the environment. */
export interface WorkerStart {
  /** With the worker's share of the limits. */
  readonly config: ProxyConfig;
  /** The mark of all workers' calls. */
  readonly via: string;
  readonly history: History;
}

/** What the primary does for a worker. */
export interface PrimaryCalls {
  /** It can be called from now on; `version` is its program's. */
  ready(version: string): void;
  /** Resolves when the lines are written. */
  log(lines: Uint8Array): Promise<void>;
  /** What it has counted by now, in case it ends without being asked. */
  counted(counts: MetricCounts): void;
  /** What all have counted. */
  totals(): Promise<MetricCounts>;
  /** The calls that all serve and have served last; of these, those from `since` (ISO 8601) on. */
  activity(since: string): Promise<CallActivity>;
  loadConversation(id: string): Uint8Array | undefined;
  saveConversation(entry: KeptEntry): void;
  deleteConversation(id: string): void;
}

/** What a worker does for the primary. */
export interface WorkerCalls {
  /** Resolves to the port. Throws `port_in_use` or `cannot_listen`. */
  serve(start: WorkerStart): Promise<number>;
  reload(config: ProxyConfig): void;
  counts(): MetricCounts;
  activity(since: string): CallActivity;
  noteRefused(reason: string): void;
  /** Tells load balancers that it stops soon. */
  announceStop(): void;
  /** Takes nothing new. */
  refuse(): void;
  /** Resolves, after `refuse`, when nothing is being served any more. */
  drained(): Promise<void>;
  /** Ends what is being served, and the process; never answered. */
  end(): Promise<void>;
}

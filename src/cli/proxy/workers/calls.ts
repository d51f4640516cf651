import type { ProxyConfig } from "../../../config/proxy/config.ts";
import type { Subject } from "../../../config/proxy/limits.ts";
import type { History } from "../../../proxy/create-proxy.ts";
import type { CallActivity } from "../../../proxy/dashboard/activity.ts";
import type { DatabaseState, GatewayStore } from "../../../proxy/gateway/gateway.ts";
import type { KeySnapshot } from "../../../proxy/gateway/key-store.ts";
import type { Decision, Reservation, SubjectState, Usage } from "../../../proxy/gateway/limits.ts";
import type { SpentBudget } from "../../../proxy/gateway/limits-spent.ts";
import type { MetricCounts } from "../../../proxy/observability/metrics.ts";
import type { KeptEntry } from "../../../proxy/translate/conversations/shared-conversations.ts";

/**
 * The data that a worker needs to serve. The secrets of the configuration are sent only through the pipe; they are not
 * added to the arguments or the environment.
 */
export interface WorkerStart {
  /** The configuration, with the worker's share of the limits. */
  readonly config: ProxyConfig;
  /** The instance id that all workers share. */
  readonly instanceId: string;
  readonly history: History;
  /** The keys of the database as they were last read, and the amounts spent from budgets. */
  readonly keys: KeySnapshot | undefined;
  readonly spent: readonly SpentBudget[];
  /**
   * The log that the ledger reads; undefined without a database. The worker writes a journal in the log's
   * folder.
   */
  readonly ledgerLog: string | undefined;
}

/** A call of a worker to the database of the primary. */
export interface StoreCall {
  readonly method: keyof GatewayStore;
  readonly given: readonly unknown[];
}

/** The functions of the primary that a worker can call. */
export interface PrimaryCalls {
  /** Reports that the worker can be called; `version` is the version of its program. */
  ready(version: string): void;
  /** Appends lines to the request log. Resolves when they are written. */
  log(lines: Uint8Array): Promise<void>;
  /** Stores the worker's counts, in case the worker ends unexpectedly. */
  counted(counts: MetricCounts): void;
  /** Returns the counts of all workers. */
  totals(): Promise<MetricCounts>;
  /** Returns the activity of all workers, with the calls that ended at `since` (ISO 8601) or later. */
  activity(since: string): Promise<CallActivity>;
  loadConversation(id: string): Uint8Array | undefined;
  saveConversation(entry: KeptEntry): void;
  deleteConversation(id: string): void;
  /** Calls a method of the database's store. */
  store(call: StoreCall): Promise<unknown>;
  databaseState(): Promise<DatabaseState>;
  /** Counts a call against the limits that all workers share; unused with Redis. */
  reserveLimits(reservation: Reservation): Decision;
  settleLimits(ended: EndedReservation): void;
  readLimits(subjects: readonly Subject[]): readonly SubjectState[];
}

/** A reservation and the usage of its call. */
export interface EndedReservation {
  readonly reservation: Reservation;
  readonly used: Usage;
}

/** The functions of a worker that the primary can call. */
export interface WorkerCalls {
  /** Starts to serve and resolves to the port. Throws an `AppError`, such as `port_in_use`. */
  serve(start: WorkerStart): Promise<number>;
  reload(config: ProxyConfig): void;
  /** Replaces the keys of the database; `spent` has the spent amounts of the budgets that are new. */
  setKeys(keys: { readonly snapshot: KeySnapshot; readonly spent: readonly SpentBudget[] }): Promise<void>;
  counts(): MetricCounts;
  activity(since: string): CallActivity;
  noteRefused(reason: string): void;
  /** Announces the stop to load balancers. */
  announceStop(): void;
  /**
   * Begins to drain: stops accepting connections, and still serves the calls on open ones. Resolves when the worker's
   * listener is closed.
   */
  refuse(): Promise<void>;
  /** Resolves, after `refuse`, when no call is running. */
  drained(): Promise<void>;
  /** Ends all calls and the process. The promise never resolves. */
  end(): Promise<void>;
}

import { AppError } from "../../../errors.ts";
import { type CallActivity, mergeActivity, NO_CALLS } from "../../../proxy/dashboard/activity.ts";
import type { SpentBudget } from "../../../proxy/gateway/limits-spent.ts";
import { lostCallLine } from "../../../proxy/gateway/lost-calls.ts";
import type { MetricCounts } from "../../../proxy/observability/metrics.ts";
import type { RotatingFile } from "../../../proxy/observability/rotating-file.ts";
import { NO_COUNTS, retired, sumCounts } from "../../../proxy/observability/sum-counts.ts";
import { createBoundedStore } from "../../../proxy/translate/conversations/conversation-store.ts";
import type { GatewayHost } from "../start/gateway-host.ts";
import type { PrimaryCalls } from "./calls.ts";
import type { WorkerProcess } from "./fork-worker.ts";
import { createWorkerLimits, type WorkerLimits } from "./worker-limits.ts";

/** The state that the primary keeps for all workers: the request log, counts, limits and stored conversations. */
export interface CommonState {
  /** Returns the functions that a worker can call. */
  getCalls(worker: () => WorkerProcess): Omit<PrimaryCalls, "ready">;
  /** Sets the amount already spent from each budget that this process does not count yet. */
  prime(spent: readonly SpentBudget[]): void;
  /** Keeps the counts of a worker that has ended, so that no counter decreases, and ends its reservations. */
  retire(worker: WorkerProcess): void;
}

/** Milliseconds to wait for a worker. After that, its last reported counts are used, and its activity is left out. */
const TIMEOUT_MS = 3_000;

/** Creates the state. `workers` is the live set of running workers; the state outlives each of them. */
export function createCommonState(
  logFile: RotatingFile,
  workers: ReadonlySet<WorkerProcess>,
  host: GatewayHost | undefined,
): CommonState {
  const conversations = createBoundedStore<Uint8Array>();
  const limits = createWorkerLimits();
  const limitsByWorker = new Map<WorkerProcess, WorkerLimits>();
  const limitsFor = (worker: WorkerProcess) => {
    const known = limitsByWorker.get(worker) ?? limits.open();
    limitsByWorker.set(worker, known);
    return known.calls;
  };
  let ended = NO_COUNTS;
  const totals = async (): Promise<MetricCounts> => {
    await Promise.all([...workers].filter(({ isReady }) => isReady).map(askForCounts));
    return sumCounts([ended, ...[...workers].map(({ counts }) => counts)]);
  };
  const activity = async (since: string): Promise<CallActivity> => {
    const asked = [...workers].filter(({ isReady }) => isReady);
    return mergeActivity(
      await Promise.all(
        asked.map(({ remote }) => withTimeout(remote.call("activity", since)).catch(() => NO_CALLS)),
      ),
    );
  };
  return {
    getCalls: (worker) => ({
      log: (lines) => logFile.append(lines),
      counted(counts) {
        worker().counts = counts;
      },
      totals,
      activity,
      loadConversation: (id) => conversations.load(id),
      saveConversation: ({ id, bytes, size }) => conversations.save(id, bytes, size),
      deleteConversation: (id) => conversations.delete(id),
      reserveLimits: (reservation) => limitsFor(worker()).reserveLimits(reservation),
      settleLimits: (ended) => limitsFor(worker()).settleLimits(ended),
      readLimits: (subjects) => limitsFor(worker()).readLimits(subjects),
      async store({ method, given }) {
        const store = await requireHost(host).store();
        return (store[method] as (...given: readonly unknown[]) => Promise<unknown>)(...given);
      },
      databaseState: async () => requireHost(host).state(),
    }),
    prime: limits.prime,
    retire(worker) {
      ended = retired(ended, worker.counts);
      for (const lost of limitsByWorker.get(worker)?.end() ?? []) {
        const line = lostCallLine(lost, Date.now());
        if (line !== undefined) logFile.write(line);
      }
      limitsByWorker.delete(worker);
    },
  };
}

/**
 * Returns the host of the database. Throws `internal` without a database, because workers use one only if it is
 * configured.
 */
function requireHost(host: GatewayHost | undefined): GatewayHost {
  if (host === undefined)
    throw new AppError("internal", "a worker called a database, and none is configured");
  return host;
}

/** Rejects if a worker does not respond within `TIMEOUT_MS`. */
async function withTimeout<Value>(asked: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the worker does not respond")), TIMEOUT_MS);
  });
  return Promise.race([asked, timeout]).finally(() => clearTimeout(timer));
}

async function askForCounts(worker: WorkerProcess): Promise<void> {
  worker.counts = await withTimeout(worker.remote.call("counts", undefined)).catch(() => worker.counts);
}

import { type CallActivity, mergeActivity, NO_CALLS } from "../../../proxy/dashboard/activity.ts";
import type { MetricCounts } from "../../../proxy/observability/metrics.ts";
import type { RotatingFile } from "../../../proxy/observability/rotating-file.ts";
import { NO_COUNTS, retired, sumOf } from "../../../proxy/observability/sum-counts.ts";
import { createBoundedStore } from "../../../proxy/translate/conversations/conversation-store.ts";
import type { PrimaryCalls } from "./calls.ts";
import type { WorkerProcess } from "./fork-worker.ts";

/** What the primary keeps for all workers: the request log's file, what was counted, and stored conversations. */
export interface CommonState {
  /** What a worker may ask of it. */
  callsOf(worker: () => WorkerProcess): Omit<PrimaryCalls, "ready">;
  /** Keeps what a worker that has ended has counted, so that no counter ever goes back. */
  retire(worker: WorkerProcess): void;
}

/** Milliseconds after which what a worker that does not answer has told last must do. */
const TIMEOUT_MS = 3_000;

/** `workers` are those that run now; what they have in common outlives each of them. */
export function createCommonState(logFile: RotatingFile, workers: ReadonlySet<WorkerProcess>): CommonState {
  const conversations = createBoundedStore<Uint8Array>();
  let ended = NO_COUNTS;
  const totals = async (): Promise<MetricCounts> => {
    await Promise.all([...workers].filter(({ isReady }) => isReady).map(askForCounts));
    return sumOf([ended, ...[...workers].map(({ counts }) => counts)]);
  };
  const activity = async (since: string): Promise<CallActivity> => {
    const asked = [...workers].filter(({ isReady }) => isReady);
    return mergeActivity(
      await Promise.all(
        asked.map(({ remote }) => inTime(remote.call("activity", since)).catch(() => NO_CALLS)),
      ),
    );
  };
  return {
    callsOf: (worker) => ({
      log: (lines) => logFile.append(lines),
      counted(counts) {
        worker().counts = counts;
      },
      totals,
      activity,
      loadConversation: (id) => conversations.load(id),
      saveConversation: ({ id, bytes, size }) => conversations.save(id, bytes, size),
      deleteConversation: (id) => conversations.delete(id),
    }),
    retire(worker) {
      ended = retired(ended, worker.counts);
    },
  };
}

/** Rejects after a time in which nobody that works is silent. */
async function inTime<Value>(asked: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("it does not answer")), TIMEOUT_MS);
  });
  return Promise.race([asked, timeout]).finally(() => clearTimeout(timer));
}

async function askForCounts(worker: WorkerProcess): Promise<void> {
  worker.counts = await inTime(worker.remote.call("counts", undefined)).catch(() => worker.counts);
}

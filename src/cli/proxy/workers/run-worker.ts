import { processEnvironment } from "../../../config/paths.ts";
import { AppError, getErrorMessage } from "../../../errors.ts";
import { listen } from "../../../http/listen.ts";
import { createProxy, type ProxyParts, type ProxyServer } from "../../../proxy/create-proxy.ts";
import { NO_CALLS } from "../../../proxy/dashboard/activity.ts";
import type { Gateway, GatewayStore } from "../../../proxy/gateway/gateway.ts";
import { createKeyDirectory, type KeyDirectory } from "../../../proxy/gateway/key-directory.ts";
import type { LimitStore } from "../../../proxy/gateway/limits.ts";
import { createLineBatches, type LineSink } from "../../../proxy/observability/line-batches.ts";
import { createJournal } from "../../../proxy/observability/line-journal.ts";
import type { MetricCounts } from "../../../proxy/observability/metrics.ts";
import { NO_COUNTS } from "../../../proxy/observability/sum-counts.ts";
import { createSharedConversations } from "../../../proxy/translate/conversations/shared-conversations.ts";
import type { Output } from "../../output.ts";
import { version } from "../../version.ts";
import { createCallLog } from "../start/call-log.ts";
import { dashboardPage } from "../start/dashboard-page.ts";
import { getInheritedListener } from "../start/inherited-listener.ts";
import { limitHeap } from "../start/limit-heap.ts";
import { loadTelemetry } from "../start/load-telemetry.ts";
import { openLimits, primeLimits } from "../start/open-limits.ts";
import type { PrimaryCalls, WorkerCalls, WorkerStart } from "./calls.ts";
import { createRemote, type Pipe, type Remote } from "./remote.ts";
import { createRemoteLimits } from "./worker-limits.ts";

/** Interval in milliseconds at which changed counts are sent to the primary, in case this process ends unexpectedly. */
const REPORT_INTERVAL_MS = 1_000;

/**
 * Runs one worker of `proxy start --workers N`: serves as the primary requests, until the primary ends it. If the
 * primary dies, node:cluster ends the worker. Throws `usage` if no primary has started the process.
 */
export async function runWorker(output: Output): Promise<number> {
  if (process.send === undefined)
    throw new AppError("usage", "`proxy worker` is internal: `proxy start --workers` runs it");
  // These signals are ignored, because Ctrl-C and service managers signal every process of the group. The primary ends
  // its workers.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  const primary: Remote<PrimaryCalls> = createRemote<PrimaryCalls>(
    pipeToPrimary(),
    createWorkerCalls(() => primary, output),
  );
  await primary.call("ready", version);
  return 0;
}

/** Creates the functions by which the primary controls a worker. */
export function createWorkerCalls(primary: () => Remote<PrimaryCalls>, output: Output): WorkerCalls {
  let proxy: ProxyServer | undefined;
  let config: WorkerStart["config"];
  let drained: Promise<void> | undefined;
  let limits: LimitStore | undefined;
  const directory = createKeyDirectory();
  return {
    async serve(start) {
      config = start.config;
      const gateway = start.ledgerLog === undefined ? undefined : createRemoteGateway(directory, primary());
      const lines = openLines(start, primary());
      const writeLine = (line: string) => lines.write(line);
      const shared = await openLimits(() => config, output, gateway, writeLine);
      limits = shared?.limits ?? createRemoteLimits(primary());
      await primeLimits(limits, start.spent);
      // The primary may have sent newer keys and a newer configuration while the worker was connecting to Redis.
      if (start.keys && !directory.isRead) directory.replace(start.keys);
      const telemetry = await loadTelemetry(config, output);
      // No await may follow until the proxy exists: a configuration that arrives meanwhile would be lost.
      const log = createCallLog(lines, () => config.logging.requests, output, gateway !== undefined);
      proxy = createSharingProxy({ ...start, config }, primary(), {
        log,
        limits,
        cooldownShare: shared?.cooldowns,
        telemetry,
        gateway,
        onInternal: (error) => output.note(`internal error: ${getErrorMessage(error)}`),
        note: (line) => output.note(line),
      });
      reportCounts(proxy.counts, primary());
      // The primary process has inherited the listener: `node:cluster` interprets descriptors as those of the
      // primary.
      const descriptor = getInheritedListener(processEnvironment, process.ppid);
      const port = await listen(proxy.app, { ...config, descriptor });
      limitHeap();
      return port;
    },
    reload(next) {
      proxy?.reload(next);
      config = next;
    },
    async setKeys({ snapshot, spent }) {
      if (limits) await primeLimits(limits, spent);
      directory.replace(snapshot);
    },
    counts: () => proxy?.counts() ?? NO_COUNTS,
    activity: (since) => proxy?.activity(since) ?? NO_CALLS,
    noteRefused: (reason) => proxy?.noteRefused(reason),
    announceStop: () => proxy?.announceStop(),
    async refuse() {
      drained ??= proxy?.drain();
      await proxy?.refuse();
    },
    drained: async () => drained,
    async end() {
      await proxy?.close();
      process.disconnect();
    },
  };
}

/** Opens the request log for this worker; the primary writes its lines. */
function openLines({ ledgerLog }: WorkerStart, primary: Remote<PrimaryCalls>): LineSink {
  const journal = ledgerLog === undefined ? undefined : createJournal(ledgerLog);
  // If the call fails because the primary has ended, this process ends too.
  return createLineBatches((batch) => primary.call("log", batch).catch(() => {}), journal);
}

/**
 * Creates a proxy that shares with the other workers the state that clients can observe: history, totals, activity and
 * stored conversations.
 */
function createSharingProxy(
  { config, instanceId, history }: WorkerStart,
  primary: Remote<PrimaryCalls>,
  parts: Pick<
    ProxyParts,
    "log" | "limits" | "cooldownShare" | "gateway" | "telemetry" | "onInternal" | "note"
  >,
): ProxyServer {
  return createProxy(config, {
    ...parts,
    version,
    dashboardPage,
    shared: {
      instanceId,
      history,
      totals: () => primary.call("totals", undefined),
      activity: (since) => primary.call("activity", since),
      conversations: createSharedConversations({
        load: (id) => primary.call("loadConversation", id),
        save: (entry) => primary.call("saveConversation", entry),
        delete: (id) => primary.call("deleteConversation", id),
      }),
    },
  });
}

/** Creates a gateway whose database is in the primary. */
function createRemoteGateway(directory: KeyDirectory, primary: Remote<PrimaryCalls>): Gateway {
  const store = new Proxy({} as GatewayStore, {
    get: (_target, method) =>
      // A promise can resolve to the store only if the store has no `then`.
      method === "then"
        ? undefined
        : (...given: readonly unknown[]) =>
            primary.call("store", { method: method as keyof GatewayStore, given }),
  });
  return {
    directory,
    store: async () => store,
    state: () => primary.call("databaseState", undefined),
  };
}

function reportCounts(counts: () => MetricCounts, primary: Remote<PrimaryCalls>): void {
  let reported = 0;
  const report = () => {
    const now = counts();
    const calls = now.series.reduce((sum, series) => sum + series.calls, 0);
    if (calls === reported) return;
    reported = calls;
    primary.call("counted", now).catch(() => {});
  };
  setInterval(report, REPORT_INTERVAL_MS).unref();
}

function pipeToPrimary(): Pipe {
  return {
    send: (packet, sent) => void process.send?.(packet, undefined, undefined, sent),
    onPacket: (take) => void process.on("message", take),
    onClose: (closed) => void process.on("disconnect", closed),
  };
}

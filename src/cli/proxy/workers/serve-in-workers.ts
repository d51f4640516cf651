import type { ProxyConfig } from "../../../config/proxy/config.ts";
import { AppError } from "../../../errors.ts";
import type { ConfigurationState } from "../../../proxy/dashboard/api-types.ts";
import type { KeySnapshot } from "../../../proxy/gateway/key-store.ts";
import type { SpentBudget } from "../../../proxy/gateway/limits-spent.ts";
import { createInstanceId } from "../../../proxy/instance-id.ts";
import type { RotatingFile } from "../../../proxy/observability/rotating-file.ts";
import type { Output } from "../../output.ts";
import { version } from "../../version.ts";
import type { GatewayHost } from "../start/gateway-host.ts";
import type { Serving } from "../start/serving.ts";
import { createCommonState } from "./common-state.ts";
import { forkWorker, setUpWorkers, type WorkerProcess } from "./fork-worker.ts";
import { ProcessExitedError } from "./remote.ts";

/** Milliseconds that a worker may take to end before it is killed. */
const END_MS = 5_000;

/**
 * Serves the proxy in `config.workers` processes behind one address. This process serves no calls: it keeps
 * the shared state and replaces workers that end. If this process is killed, its workers end too.
 */
export function serveInWorkers(
  config: ProxyConfig,
  logFile: RotatingFile,
  output: Output,
  host: GatewayHost | undefined,
): Serving {
  return new Workers(config, logFile, output, host);
}

class Workers implements Serving {
  readonly broken: Promise<never>;
  private readonly workers = new Set<WorkerProcess>();
  private readonly common;
  private readonly count: number;
  private readonly instanceId = createInstanceId();
  private readonly isTooMany = createCrashWatch();
  private readonly logFile: RotatingFile;
  private readonly output: Output;
  private readonly host: GatewayHost | undefined;
  private readonly startedAt = Date.now();
  private configuration: ConfigurationState = { readAt: this.startedAt };
  private config: ProxyConfig;
  private break: (error: unknown) => void = () => {};
  private isClosing = false;
  private isStopping = false;
  private closed: Promise<void> | undefined;

  constructor(config: ProxyConfig, logFile: RotatingFile, output: Output, host: GatewayHost | undefined) {
    this.host = host;
    this.config = config;
    this.count = config.workers;
    this.logFile = logFile;
    this.output = output;
    this.common = createCommonState(logFile, this.workers, host);
    this.broken = new Promise((_, reject) => {
      this.break = reject;
    });
    // `broken` may reject before anything awaits it.
    this.broken.catch(() => {});
    setUpWorkers();
  }

  async listen(): Promise<number> {
    const ports = Array.from({ length: this.count }, () => this.fill());
    const [port = this.config.port] = await Promise.all(ports);
    return port;
  }

  async reload(wanted: ProxyConfig): Promise<void> {
    const before = this.config;
    // Workers that start later must listen at the same address as the others.
    const tls = before.tls && (wanted.tls ?? before.tls);
    const next = { ...wanted, host: before.host, port: before.port, tls };
    this.config = next;
    try {
      await this.reloadAll(next);
    } catch (error) {
      this.config = before;
      await this.reloadAll(before).catch(() => {});
      throw error;
    }
    this.configuration = { readAt: Date.now() };
  }

  noteRefused(reason: string): void {
    this.configuration = { ...this.configuration, refused: { at: Date.now(), reason } };
    void this.all(({ remote }) => remote.call("noteRefused", reason));
  }

  readonly setKeys = async (snapshot: KeySnapshot, spent: readonly SpentBudget[]): Promise<void> => {
    this.common.prime(spent);
    await this.all(({ remote }) => remote.call("setKeys", { snapshot, spent }));
  };

  async announceStop(): Promise<void> {
    this.isStopping = true;
    await this.all(({ remote }) => remote.call("announceStop", undefined));
  }

  /** Returns undefined: `node:cluster` owns the sockets, so another process cannot inherit them. */
  listener(): undefined {}

  retire(): Promise<void> {
    return this.drained();
  }

  async refuse(): Promise<void> {
    this.isClosing = true;
    for (const worker of this.workers) if (!worker.isReady) worker.kill();
    await this.all(({ remote }) => remote.call("refuse", undefined));
  }

  async drained(): Promise<void> {
    await this.all(({ remote }) => remote.call("drained", undefined));
  }

  close(): Promise<void> {
    this.isClosing = true;
    this.closed ??= Promise.all([...this.workers].map(end)).then(() => this.logFile.close());
    return this.closed;
  }

  /**
   * Runs a worker and replaces it whenever it ends, until the proxy stops. Resolves to the port once one of these
   * workers listens.
   */
  private fill(): Promise<number> {
    return new Promise((listening) => {
      const keep = async () => {
        await this.runOne(listening);
        while (!this.isClosing)
          await this.runOne((port, { pid }) => {
            this.output.note(`Worker ${pid} replaces it.`);
            listening(port);
          });
      };
      keep().catch(this.break);
    });
  }

  private async runOne(listening: (port: number, worker: WorkerProcess) => void): Promise<void> {
    const worker = forkWorker((self) => ({
      ...this.common.getCalls(self),
      ready: (itsVersion) => this.begin(self(), itsVersion, listening),
    }));
    this.workers.add(worker);
    const how = await worker.ended;
    this.common.retire(worker);
    this.workers.delete(worker);
    if (this.host) await this.host.recover();
    if (!this.isClosing) this.noteEnd(worker, how);
  }

  private begin(
    worker: WorkerProcess,
    itsVersion: string,
    listening: (port: number, worker: WorkerProcess) => void,
  ): void {
    if (this.isClosing) worker.kill();
    else if (itsVersion !== version) this.break(createVersionError(itsVersion));
    else {
      worker.isReady = true;
      const history = { startedAt: this.startedAt, configuration: this.configuration };
      const start = {
        config: toWorkerShare(this.config, this.count),
        instanceId: this.instanceId,
        history,
        keys: this.host?.snapshot,
        spent: this.host?.spent ?? [],
        ledgerLog: this.host?.log,
      };
      worker.remote.call("serve", start).then(
        (port) => listening(port, worker),
        (error: unknown) => {
          if (!(error instanceof ProcessExitedError)) this.break(error);
        },
      );
      if (this.isStopping) worker.remote.call("announceStop", undefined).catch(() => {});
    }
  }

  private noteEnd({ pid }: WorkerProcess, how: string): void {
    if (this.isTooMany(performance.now())) {
      this.break(createRestartLimitError(how));
      return;
    }
    this.output.note(
      `Worker ${pid} ended unexpectedly (${how}). Its calls were interrupted. Starting another.`,
    );
    if (how === "SIGKILL") this.output.note("The system may be out of memory. Use fewer workers.");
  }

  /**
   * Sends the configuration to all workers. Rejects if the configuration cannot be used. Ignores a worker
   * that ends in the meantime.
   */
  private async reloadAll(config: ProxyConfig): Promise<void> {
    const share = toWorkerShare(config, this.count);
    const outcomes = await this.all(({ remote }) => remote.call("reload", share));
    for (const outcome of outcomes)
      if (outcome.status === "rejected" && !(outcome.reason instanceof ProcessExitedError))
        throw outcome.reason;
  }

  private all(ask: (worker: WorkerProcess) => Promise<void>): Promise<PromiseSettledResult<void>[]> {
    return Promise.allSettled([...this.workers].filter(({ isReady }) => isReady).map(ask));
  }
}

async function end(worker: WorkerProcess): Promise<void> {
  if (!worker.isReady) worker.kill();
  worker.remote.call("end", undefined).catch(() => {});
  const limit = setTimeout(() => worker.kill(), END_MS);
  await worker.ended;
  clearTimeout(limit);
}

function createVersionError(itsVersion: string): AppError {
  const message = `The program on disk is version ${itsVersion}, but version ${version} is running`;
  return new AppError("workers_failed", message, { hint: "Restart the proxy." });
}

function createRestartLimitError(how: string): AppError {
  const hint =
    "Look for the reason above and in the system's log. Without --workers, the proxy may print more.";
  return new AppError("workers_failed", `Workers ended repeatedly, the last one with ${how}`, { hint });
}

/** Maximum number of worker exits within `WINDOW_MS`. More exits mean that restarting does not help. */
const MAX_EXITS = 4;
const WINDOW_MS = 10_000;

/**
 * Returns a function that records a worker's exit, at a time in milliseconds, and returns whether there were
 * too many exits.
 */
export function createCrashWatch(): (now: number) => boolean {
  let recent: number[] = [];
  return (now) => {
    recent = [...recent, now].filter((at) => now - at < WINDOW_MS);
    return recent.length > MAX_EXITS;
  };
}

/**
 * Returns the configuration for one of several workers: divides `limits.inFlight` and `limits.connections` equally,
 * because connections are given to workers in turn. Each share has room for at least one request body if the undivided
 * limit does.
 */
export function toWorkerShare(config: ProxyConfig, workers: number): ProxyConfig {
  const { limits } = config;
  const inFlight = Math.max(Math.floor(limits.inFlight / workers), Math.min(limits.body, limits.inFlight));
  const connections = Math.max(1, Math.floor(limits.connections / workers));
  return { ...config, limits: { ...limits, inFlight, connections } };
}

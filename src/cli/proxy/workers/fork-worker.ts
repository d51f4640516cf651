import cluster, { type Worker } from "node:cluster";
import { isSea } from "node:sea";
import { processEnvironment } from "../../../config/paths.ts";
import type { MetricCounts } from "../../../proxy/observability/metrics.ts";
import { NO_COUNTS } from "../../../proxy/observability/sum-counts.ts";
import { ALLOCATOR_VARIABLES } from "../../spawn-detached.ts";
import type { PrimaryCalls, WorkerCalls } from "./calls.ts";
import { createRemote, type Pipe, type Remote } from "./remote.ts";
import { trackPendingConnections } from "./untaken-connections.ts";

/** A worker process as the primary sees it. */
export interface WorkerProcess {
  readonly pid: number | undefined;
  readonly remote: Remote<WorkerCalls>;
  /** Whether `remote` can call the worker's functions. An earlier call would be lost. */
  isReady: boolean;
  /** The last counts that the worker reported. */
  counts: MetricCounts;
  /** Resolves, when the worker has ended, to the name of the signal that ended it or to the exit code. */
  readonly ended: Promise<string>;
  kill(): void;
}

/**
 * Configures how workers are started: the same program, with the `proxy worker` command. Secrets are sent
 * later, through the pipe.
 */
export function setUpWorkers(): void {
  const args = ["proxy", "worker"];
  // A single executable has no script: its first argument is in the script's position.
  const program = isSea() ? args.shift() : process.argv[1];
  cluster.setupPrimary({
    ...(program === undefined ? {} : { exec: program }),
    args,
    // Messages are structured clones, because JSON loses maps and buffers.
    serialization: "advanced",
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    windowsHide: true,
  });
}

/** Starts a worker that can call the functions of `near`. */
export function forkWorker(near: (self: () => WorkerProcess) => PrimaryCalls): WorkerProcess {
  const worker = cluster.fork({ ...ALLOCATOR_VARIABLES, ...processEnvironment });
  const closePendingConnections = trackPendingConnections(worker);
  const forked: WorkerProcess = {
    pid: worker.process.pid,
    remote: createRemote<WorkerCalls>(
      pipeTo(worker),
      near(() => forked),
    ),
    isReady: false,
    counts: NO_COUNTS,
    ended: waitForExit(worker).finally(closePendingConnections),
    kill: () => void worker.process.kill("SIGKILL"),
  };
  return forked;
}

function pipeTo(worker: Worker): Pipe {
  const { process } = worker;
  return {
    send: (packet, sent) => void process.send(packet as object, undefined, undefined, sent),
    onPacket: (take) => void process.on("message", take),
    onClose: (closed) => void process.on("disconnect", closed),
  };
}

function waitForExit(worker: Worker): Promise<string> {
  return new Promise((resolve) => {
    // "close" follows the exit once everything that the worker sent is read.
    worker.process.once("close", (code, signal) => resolve(signal ?? `exit code ${code}`));
    worker.on("error", (error) => {
      // A program that could not be started never exits. If the program runs, the error concerns a message,
      // and the worker exits later.
      if (worker.process.pid === undefined) resolve(error.message);
    });
  });
}

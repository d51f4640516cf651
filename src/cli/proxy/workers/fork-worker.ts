import cluster, { type Worker } from "node:cluster";
import { isSea } from "node:sea";
import type { MetricCounts } from "../../../proxy/observability/metrics.ts";
import { NO_COUNTS } from "../../../proxy/observability/sum-counts.ts";
import type { PrimaryCalls, WorkerCalls } from "./calls.ts";
import { createRemote, type Pipe, type Remote } from "./remote.ts";
import { watchUntaken } from "./untaken-connections.ts";

/** A worker's process as the primary has it. */
export interface WorkerProcess {
  readonly pid: number | undefined;
  readonly remote: Remote<WorkerCalls>;
  /** It takes calls; before, they would be lost. */
  isReady: boolean;
  /** What it has counted, as far as that is known. */
  counts: MetricCounts;
  /** How it ended: the signal's name or the exit code. */
  readonly ended: Promise<string>;
  kill(): void;
}

/** Says how workers are started: this program again, whose secrets come later, by the pipe. */
export function setUpWorkers(): void {
  const words = ["proxy", "worker"];
  // A single executable has no script: what stands in a script's place is its first argument.
  const program = isSea() ? words.shift() : process.argv[1];
  cluster.setupPrimary({
    ...(program === undefined ? {} : { exec: program }),
    args: words,
    // Copies of maps and buffers, not what JSON leaves of them.
    serialization: "advanced",
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    windowsHide: true,
  });
}

/** Starts a worker, which calls the functions of `near`. */
export function forkWorker(near: (self: () => WorkerProcess) => PrimaryCalls): WorkerProcess {
  const worker = cluster.fork();
  const breakOffUntaken = watchUntaken(worker);
  const forked: WorkerProcess = {
    pid: worker.process.pid,
    remote: createRemote<WorkerCalls>(
      pipeTo(worker),
      near(() => forked),
    ),
    isReady: false,
    counts: NO_COUNTS,
    ended: endOf(worker).finally(breakOffUntaken),
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

function endOf(worker: Worker): Promise<string> {
  return new Promise((resolve) => {
    // When it has exited and all that it has sent is read.
    worker.process.once("close", (code, signal) => resolve(signal ?? `exit code ${code}`));
    worker.on("error", (error) => {
      // A program that cannot be started never exits; one that runs is only hard to reach, and will.
      if (worker.process.pid === undefined) resolve(error.message);
    });
  });
}

import { execFile } from "node:child_process";
import type { Server } from "node:http";
import type { Environment } from "../../../config/paths.ts";
import type { Output } from "../../output.ts";
import { spawnSelf } from "../../spawn-detached.ts";
import { withListener } from "./inherited-listener.ts";
import type { Serving } from "./serving.ts";
import { toServingArguments } from "./start-detached.ts";

/** The new process, which serves in place of this one. */
interface Successor {
  readonly pid: number;
}

/** A successor that could not be started, or that ended before it served. */
interface FailedSuccessor {
  readonly reason: string;
}

/**
 * Returns the descriptor of a server's listening socket, or undefined where another process cannot inherit
 * it: on Windows, and for a server that does not listen. Node.js has no public API for the descriptor.
 */
export function getListenerDescriptor(server: Server): number | undefined {
  const handle: unknown = Reflect.get(server, "_handle");
  const descriptor = typeof handle === "object" && handle !== null ? Reflect.get(handle, "fd") : undefined;
  return typeof descriptor === "number" && descriptor >= 0 ? descriptor : undefined;
}

/** The variable that makes a process wait until the process that it replaces has closed its socket. */
const AWAITS_PORT = "SALLYPORT_AWAITS_PORT";

/**
 * Starts the program on disk, which may be a newer version, with this process's arguments. The new process inherits
 * the listening socket; if it cannot, `release` is called to free the port before the new process binds it. Resolves
 * when the new process serves calls or has failed.
 */
function startSuccessor(
  listener: number | undefined,
  environment: Environment,
  release: () => Promise<void>,
): Promise<Successor | FailedSuccessor> {
  return new Promise((resolve) => {
    const child = spawnSelf(toServingArguments(process.argv.slice(2)), {
      env: listener === undefined ? { ...environment, [AWAITS_PORT]: "1" } : withListener(environment),
      stdio: ["ignore", "inherit", "inherit", listener ?? "ignore", "ipc"],
    });
    child.once("error", ({ message }) => resolve({ reason: message }));
    child.once("exit", (code, signal) =>
      resolve({ reason: `it ended with ${signal ?? `exit code ${code}`}` }),
    );
    child.on("message", (message) => {
      if (message === "waiting") {
        // If a listener cannot be closed, the new process reports the taken port.
        release().then(
          () => child.send("go"),
          () => child.send("go"),
        );
        return;
      }
      child.removeAllListeners("exit");
      if (child.connected) child.disconnect();
      child.unref();
      resolve({ pid: child.pid ?? 0 });
    });
  });
}

/**
 * Waits until the process that this one replaces has closed its socket. Returns immediately if this process inherited
 * the socket or replaces no process.
 */
export async function untilPortFree(environment: Environment): Promise<void> {
  if (environment[AWAITS_PORT] === undefined || process.send === undefined) return;
  await new Promise<void>((resolve) => {
    process.once("message", () => resolve());
    process.once("disconnect", () => resolve());
    process.send?.("waiting");
  });
}

/**
 * Reports to systemd that another process is now the service's main process. Without this report, systemd
 * would stop the service when this process ends. Does nothing without systemd. Never rejects.
 */
async function announceMainProcess(pid: number, environment: Environment): Promise<void> {
  if (!environment["NOTIFY_SOCKET"]) return;
  await new Promise<void>((resolve) => {
    execFile("systemd-notify", [`MAINPID=${pid}`], { timeout: 5_000 }, () => resolve());
  });
}

/** Reports to the process that started this one that calls are served. That process closes the channel. */
export function announceReady(): void {
  if (process.send === undefined || !process.connected) return;
  // The process that started this one may have been killed in the meantime.
  process.send({ ready: true }, () => {});
}

/**
 * Replaces this process with a new one on SIGUSR2, as nginx does. Calls on open connections are completed. Returns a
 * promise of the exit code, and a function that ends the wait for the signal.
 */
export function untilHandedOver(
  serving: Pick<Serving, "listener" | "retire" | "refuse" | "drained" | "close">,
  environment: Environment,
  output: Pick<Output, "note">,
  onHandedOver: () => Promise<void>,
): { readonly over: Promise<number>; readonly end: () => void } {
  // Windows has neither the signal nor sockets that a process can inherit.
  if (process.platform === "win32") return { over: new Promise(() => {}), end: () => {} };
  let isStarting = false;
  let handOver = () => {};
  const over = new Promise<number>((resolve, reject) => {
    const replace = async () => {
      let isReleased = false;
      const successor = await startSuccessor(serving.listener(), environment, async () => {
        isReleased = true;
        await serving.refuse();
      });
      if ("reason" in successor) {
        output.note(`The new process did not start: ${successor.reason}.`);
        if (!isReleased) {
          output.note("This process continues to serve calls.");
          return;
        }
      }
      process.off("SIGUSR2", handOver);
      if ("pid" in successor) {
        await announceMainProcess(successor.pid, environment);
        output.note(
          `Process ${successor.pid} serves new calls. This process ends after the calls of its open connections.`,
        );
      }
      await onHandedOver();
      await (isReleased ? serving.drained() : serving.retire());
      await serving.close();
      resolve("pid" in successor ? 0 : 1);
    };
    handOver = () => {
      if (isStarting) return;
      isStarting = true;
      replace().then(() => {
        isStarting = false;
      }, reject);
    };
    process.on("SIGUSR2", handOver);
  });
  return { over, end: () => void process.off("SIGUSR2", handOver) };
}

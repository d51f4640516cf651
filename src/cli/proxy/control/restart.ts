import { setTimeout as pause } from "node:timers/promises";
import { dataDirectory, processEnvironment } from "../../../config/paths.ts";
import { parsePort } from "../../../config/review/environment.ts";
import { AppError } from "../../../errors.ts";
import { mayStillRun } from "../../../files/running-process.ts";
import type { Output } from "../../output.ts";
import { chooseProxy, listRunningProxies, type RunningProxy } from "../running-proxies.ts";
import { getProxyLogFile, startDetached } from "../start/start-detached.ts";
import { requestStop, signal, untilEnded } from "./stop.ts";

export interface ProxyRestartFlags {
  readonly port?: string;
  readonly json: boolean;
}

/** Maximum milliseconds until a new process serves calls. */
const START_MS = 30_000;
const LOOK_MS = 50;

/**
 * Runs `sallyport proxy restart`: replaces a proxy with the program on disk, for example after an upgrade. No call is
 * lost if the proxy hands over its socket. A proxy that cannot do so, or that runs as a service of launchd or Windows,
 * refuses connections until the new process listens. Resolves to the exit code.
 */
export async function restartProxy(flags: ProxyRestartFlags, output: Output): Promise<number> {
  const data = dataDirectory(processEnvironment);
  const old = chooseProxy(await listRunningProxies(data), parsePort(flags.port, "--port"));
  const next = await replace(old, data, output);
  const { url, port, pid, version } = next;
  if (flags.json)
    await output.result(
      JSON.stringify({ url, port, pid, version, replaced: { pid: old.pid, version: old.version } }, null, 2),
    );
  else output.note(`${url} is served by pid ${pid}, version ${version}.`);
  return 0;
}

async function replace(old: RunningProxy, data: string, output: Output): Promise<RunningProxy> {
  // launchd and the Windows Task Scheduler track only the process that they started, not its successor.
  if (old.service === "launchd" || old.service === "windows") return restartService(old, data);
  if (!old.handsOver) output.note("Connections are refused until the new process listens.");
  if (process.platform !== "win32") {
    signal(old.pid, "SIGUSR2");
    return untilReplaced(old, data);
  }
  await requestStop(old);
  await untilEnded(old);
  const started = await startDetached(old.args, old.folder);
  if (!("exitCode" in started)) return started;
  throw new AppError("cannot_listen", `The new proxy did not start: ${started.report.trim()}`, {
    hint: "Correct the cause, then start the proxy: sallyport proxy start --detach",
  });
}

async function restartService(old: RunningProxy, data: string): Promise<RunningProxy> {
  const { createServiceManager } = await import("../service/create-service-manager.ts");
  const manager = createServiceManager();
  await requestStop(old);
  await untilEnded(old);
  await manager.start();
  return untilReplaced(old, data);
}

/**
 * Resolves to the process that replaces an old one on its port. Throws `cannot_listen` if no process replaces it within
 * 30 seconds.
 */
async function untilReplaced(old: RunningProxy, data: string): Promise<RunningProxy> {
  for (const until = performance.now() + START_MS; performance.now() < until; await pause(LOOK_MS)) {
    const running = await listRunningProxies(data);
    const next = running.find(({ port, pid }) => port === old.port && pid !== old.pid);
    if (next) return next;
  }
  throw new AppError("cannot_listen", `No new proxy serves ${old.url} after ${START_MS / 1000} s`, {
    hint: `${mayStillRun(old) ? "The old one continues. " : ""}See the messages in the terminal that started it, in ${getProxyLogFile()}, or with: sallyport proxy service logs`,
  });
}

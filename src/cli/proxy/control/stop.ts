import { writeFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { dataDirectory, processEnvironment } from "../../../config/paths.ts";
import { parsePort } from "../../../config/review/environment.ts";
import { AppError, getErrorMessage, systemErrorCode } from "../../../errors.ts";
import { mayStillRun } from "../../../files/running-process.ts";
import type { Output } from "../../output.ts";
import {
  chooseProxy,
  getStopRequestFile,
  listRunningProxies,
  type RunningProxy,
} from "../running-proxies.ts";

export interface ProxyStopFlags {
  readonly port?: string;
  readonly all: boolean;
  readonly json: boolean;
}

const LOOK_MS = 50;

/**
 * Runs `sallyport proxy stop`: ends running proxies once their running calls have ended or the drain timeout has
 * passed. Resolves to the exit code.
 */
export async function stopProxy(flags: ProxyStopFlags, output: Output): Promise<number> {
  const port = parsePort(flags.port, "--port");
  const running = await listRunningProxies(dataDirectory(processEnvironment));
  const fitting = running.filter((proxy) => port === undefined || proxy.port === port);
  const stopped = flags.all || fitting.length === 0 ? fitting : [chooseProxy(running, port)];
  for (const proxy of stopped) await requestStop(proxy);
  for (const proxy of stopped) {
    if (!flags.json) output.note(`Stopping ${proxy.url} (pid ${proxy.pid}) after its running calls…`);
    await untilEnded(proxy);
  }
  if (flags.json)
    await output.result(JSON.stringify({ stopped: stopped.map(({ url, pid }) => ({ url, pid })) }, null, 2));
  else if (stopped.length === 0)
    output.note(`No proxy runs${port === undefined ? "" : ` on port ${port}`}. Nothing was stopped.`);
  else output.note(`Stopped ${stopped.map(({ url }) => url).join(", ")}.`);
  return 0;
}

/**
 * Requests the stop of a proxy: with SIGTERM or, on Windows, with a file. Throws `forbidden` if the process belongs to
 * another user.
 */
export async function requestStop(
  { pid }: RunningProxy,
  platform: NodeJS.Platform = process.platform,
): Promise<void> {
  if (platform === "win32") {
    await writeFile(getStopRequestFile(dataDirectory(processEnvironment), pid), "", { mode: 0o600 });
    return;
  }
  signal(pid, "SIGTERM");
}

/** Sends a signal, if the process still runs. Throws `forbidden` if the process belongs to another user. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (cause) {
    if (systemErrorCode(cause) === "ESRCH") return;
    throw new AppError("forbidden", `Cannot signal the proxy with pid ${pid}: ${getErrorMessage(cause)}`, {
      cause,
      hint: "Run this command as the user who started the proxy.",
    });
  }
}

/** Resolves when the process of a proxy has ended. */
export async function untilEnded(proxy: RunningProxy): Promise<void> {
  while (mayStillRun(proxy)) await pause(LOOK_MS);
}

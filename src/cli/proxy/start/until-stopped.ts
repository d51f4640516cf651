import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { ProxyConfig } from "../../../config/proxy/config.ts";
import type { Output } from "../../output.ts";
import { getStopRequestFile } from "../running-proxies.ts";
import type { Serving } from "./serving.ts";
import { onFileChange } from "./watch-file.ts";

/**
 * Stops the proxy on SIGTERM or SIGINT. The first signal announces the stop to load balancers, closes the listener
 * after the drain delay, and waits for running calls until the drain timeout; the second signal ends the proxy at once.
 * `settings` is read at the first signal. Resolves to the exit code once the proxy is closed; rejects if it cannot be
 * stopped.
 */
export function untilStopped(
  serving: Pick<Serving, "announceStop" | "refuse" | "drained" | "close">,
  output: Pick<Output, "note">,
  settings: () => Pick<ProxyConfig, "drainDelayMs" | "drainTimeoutMs">,
): Promise<number> {
  return new Promise((resolve, reject) => {
    let stopping = false;
    let isStopping = false;
    const delay = new AbortController();
    const end = (code: number) => {
      if (isStopping) return;
      isStopping = true;
      delay.abort();
      process.off("SIGTERM", onSignal);
      process.off("SIGINT", onSignal);
      serving.close().then(() => resolve(code), reject);
    };
    const drain = async () => {
      const { drainDelayMs, drainTimeoutMs } = settings();
      await serving.announceStop();
      if (drainDelayMs > 0) {
        output.note(
          `Stopping in ${drainDelayMs / 1000} s: /readyz returns 503. A second signal ends the proxy at once.`,
        );
        await pause(drainDelayMs, undefined, { signal: delay.signal }).catch(() => {});
      }
      if (isStopping) return;
      const limit = drainTimeoutMs > 0 ? setTimeout(() => end(0), drainTimeoutMs) : undefined;
      try {
        await serving.refuse();
        const time = drainTimeoutMs > 0 ? `${drainTimeoutMs / 1000} s` : "no time limit";
        output.note(`Stopping: running calls have ${time} to finish. A second signal ends them at once.`);
        await serving.drained();
      } finally {
        clearTimeout(limit);
      }
    };
    const onSignal = (signal: NodeJS.Signals) => {
      if (stopping) return end(signal === "SIGINT" ? 130 : 143);
      stopping = true;
      drain().then(() => {
        if (!isStopping) end(0);
      }, reject);
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
  });
}

/**
 * Watches, until the returned function is called, for the file that requests this proxy's stop, and then stops the
 * proxy as SIGTERM would. Works on Windows only, where a signal from another process ends this one at once.
 */
export function watchStopRequest(
  dataDirectory: string,
  platform: NodeJS.Platform = process.platform,
  stop: () => void = () => void process.emit("SIGTERM", "SIGTERM"),
): () => void {
  if (platform !== "win32") return () => {};
  const path = getStopRequestFile(dataDirectory, process.pid);
  return onFileChange(path, "", () => {
    if (existsSync(path)) stop();
  });
}

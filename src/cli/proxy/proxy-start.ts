import { join } from "node:path";
import { dataDirectory, processEnvironment } from "../../config/paths.ts";
import type { ProxyConfig } from "../../config/proxy-config.ts";
import { generatedKeyFile } from "../../config/proxy-generated-key.ts";
import type { ProxyFlags } from "../../config/proxy-settings.ts";
import { proxyOn } from "../../doctor/places.ts";
import { AppError, messageOf } from "../../errors.ts";
import { createRotatingFile, type RotatingFile } from "../../proxy/log/rotating-file.ts";
import type { Output } from "../output.ts";
import { writeReadyFile } from "../ready-file.ts";
import { banner } from "./proxy-banner.ts";
import { readProxyConfiguration } from "./proxy-configuration.ts";
import type { Serving } from "./serving.ts";
import { onFileChange } from "./watch-file.ts";

export interface ProxyStartFlags extends ProxyFlags {
  readonly readyFile?: string;
}

/** How long running streams may take to end after the first signal. */
const DRAIN_MS = 30_000;

/** `sallyport proxy start`: serves until a signal ends it; resolves to the exit code. */
export async function startProxy(flags: ProxyStartFlags, output: Output): Promise<number> {
  const environment = processEnvironment;
  const first = await readProxyConfiguration(environment, flags, true);
  let config = first.config;
  const logPath = join(dataDirectory(environment), "proxy", "requests.ndjson");
  const logFile = createRotatingFile(
    logPath,
    () => config.logging,
    (error) => output.note(`The request log cannot be written: ${messageOf(error)}`),
  );
  const serving = await serve(config, logFile, output);
  const over = Promise.race([untilStopped(serving, output), serving.broken]);
  const reload = async () => {
    try {
      const next = await readProxyConfiguration(environment, flags, true);
      await serving.reload(next.config);
      if (next.newKey !== undefined) noteNewKey(next.newKey, output);
      if (needsRestart(config, next.config))
        output.note("The new port, host or number of workers takes effect at the next start.");
      config = next.config;
      output.note("The configuration was read again and is in force.");
    } catch (error) {
      const hint = error instanceof AppError && error.code === "configuration" ? "" : "internal error: ";
      const reason = `${hint}${messageOf(error)}`;
      serving.noteRefused(reason);
      output.note(`The old configuration stays in force. ${reason}`);
    }
  };
  // Before anybody can know that it runs: a SIGHUP that is not listened to ends the process, a save is not noticed.
  process.on("SIGHUP", reload);
  const unwatch = onFileChange(first.loaded.path, reload);
  try {
    const begun = await Promise.race([serving.listen(), over.then((exitCode) => ({ exitCode }))]);
    if (typeof begun === "object") return begun.exitCode;
    const file = { path: first.loaded.path, isThere: first.loaded.file !== undefined };
    for (const line of banner(config, begun, file)) output.note(line);
    if (first.newKey !== undefined) noteNewKey(first.newKey, output);
    if (flags.readyFile) await writeReadyFile(flags.readyFile, `http://localhost:${begun}`, begun);
    return await over;
  } catch (error) {
    await serving.close();
    throw await explained(error, config.port);
  } finally {
    unwatch();
    process.off("SIGHUP", reload);
  }
}

/** Loads what serves, and nothing of the other way. */
async function serve(config: ProxyConfig, logFile: RotatingFile, output: Output): Promise<Serving> {
  if (config.workers === 1) {
    const { serveAlone } = await import("./serve-alone.ts");
    return serveAlone(config, logFile, output);
  }
  const { serveInWorkers } = await import("./workers/serve-in-workers.ts");
  return serveInWorkers(config, logFile, output);
}

function needsRestart(before: ProxyConfig, after: ProxyConfig): boolean {
  return before.port !== after.port || before.host !== after.host || before.workers !== after.workers;
}

/** Starting it twice is how most ports come to be taken. */
async function explained(error: unknown, port: number): Promise<unknown> {
  if (!(error instanceof AppError) || error.code !== "port_in_use") return error;
  if ((await proxyOn(port)) === undefined) return error;
  return new AppError("port_in_use", error.message, {
    cause: error,
    hint: "A proxy answers there already: use that one, or choose another port with --port.",
  });
}

function noteNewKey(key: string, output: Output): void {
  output.note(`A key was made, as clients need one: ${key}`);
  output.note(`It is kept in ${generatedKeyFile(dataDirectory(processEnvironment))} and not shown again.`);
}

/** The first signal lets running answers end, the second ends at once. Resolves when it is over, to the exit code. */
function untilStopped(serving: Serving, output: Output): Promise<number> {
  return new Promise((resolve) => {
    let stopping = false;
    let ending = false;
    const end = async (code: number) => {
      if (ending) return;
      ending = true;
      process.off("SIGTERM", onSignal);
      process.off("SIGINT", onSignal);
      await serving.close();
      resolve(code);
    };
    const drain = async () => {
      const limit = setTimeout(() => void end(0), DRAIN_MS);
      await serving.refuse();
      output.note("Stopping: running answers have 30 s to end; a second signal ends them now.");
      await serving.drained();
      clearTimeout(limit);
      await end(0);
    };
    const onSignal = (signal: NodeJS.Signals) => {
      if (stopping) {
        void end(signal === "SIGINT" ? 130 : 143);
        return;
      }
      stopping = true;
      void drain();
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
  });
}

import { join } from "node:path";
import { dataDirectory, processEnvironment } from "../config/paths.ts";
import type { ProxyConfig } from "../config/proxy-config.ts";
import { generatedKeyFile } from "../config/proxy-generated-key.ts";
import type { ProxyFlags } from "../config/proxy-settings.ts";
import { proxyOn } from "../doctor/places.ts";
import { AppError, messageOf } from "../errors.ts";
import { listen } from "../http/listen.ts";
import { createProxy, type ProxyServer } from "../proxy/create-proxy.ts";
import { readableLine } from "../proxy/log/readable-line.ts";
import { createRefusalTeller } from "../proxy/log/refusals.ts";
import { type RequestLog, recordLine } from "../proxy/log/request-log.ts";
import { createRotatingFile } from "../proxy/log/rotating-file.ts";
import type { Output } from "./output.ts";
import { banner } from "./proxy-banner.ts";
import { readProxyConfiguration } from "./proxy-configuration.ts";
import { writeReadyFile } from "./ready-file.ts";
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
  const log = createLog(() => config, join(dataDirectory(environment), "proxy", "requests.ndjson"), output);
  const proxy = createProxy(config, {
    log,
    onInternal: (error) => output.note(`internal error: ${messageOf(error)}`),
  });
  const stopped = untilStopped(proxy, output);
  const reload = async () => {
    try {
      const next = await readProxyConfiguration(environment, flags, true);
      proxy.reload(next.config);
      if (next.newKey !== undefined) noteNewKey(next.newKey, output);
      if (next.config.port !== config.port || next.config.host !== config.host)
        output.note("The new port or host takes effect at the next start.");
      config = next.config;
      output.note("The configuration was read again and is in force.");
    } catch (error) {
      const hint = error instanceof AppError && error.code === "configuration" ? "" : "internal error: ";
      output.note(`The old configuration stays in force. ${hint}${messageOf(error)}`);
    }
  };
  // Before anybody can know that it runs: a SIGHUP that is not listened to ends the process, a save is not noticed.
  process.on("SIGHUP", reload);
  const unwatch = onFileChange(first.loaded.path, reload);
  try {
    const port = await listen(proxy.app, { port: config.port, host: config.host });
    const file = { path: first.loaded.path, isThere: first.loaded.file !== undefined };
    for (const line of banner(config, port, file)) output.note(line);
    if (first.newKey !== undefined) noteNewKey(first.newKey, output);
    if (flags.readyFile) await writeReadyFile(flags.readyFile, `http://localhost:${port}`, port);
    return await stopped;
  } catch (error) {
    await proxy.close();
    throw await explained(error, config.port);
  } finally {
    unwatch();
    process.off("SIGHUP", reload);
  }
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

/** Metadata into a file, and a line a call for the person at the terminal. */
function createLog(config: () => ProxyConfig, path: string, output: Output): RequestLog {
  const file = createRotatingFile(
    path,
    () => config().logging,
    (error) => output.note(`The request log cannot be written: ${messageOf(error)}`),
  );
  return {
    add(record) {
      if (config().logging.requests) file.write(recordLine(record));
      if (output.interactive) output.note(readableLine(record));
    },
    refused: createRefusalTeller((line) => {
      if (output.interactive) output.note(line);
    }),
    close: () => file.close(),
  };
}

/** The first signal lets running answers end, the second ends at once. Resolves when it is over, to the exit code. */
function untilStopped(proxy: ProxyServer, output: Output): Promise<number> {
  return new Promise((resolve) => {
    let stopping = false;
    const end = async (code: number) => {
      process.off("SIGTERM", onSignal);
      process.off("SIGINT", onSignal);
      await proxy.close();
      resolve(code);
    };
    const onSignal = (signal: NodeJS.Signals) => {
      if (stopping) {
        void end(signal === "SIGINT" ? 130 : 143);
        return;
      }
      stopping = true;
      output.note("Stopping: running answers have 30 s to end; a second signal ends them now.");
      const limit = setTimeout(() => void end(0), DRAIN_MS);
      void proxy.drain().then(() => {
        clearTimeout(limit);
        return end(0);
      });
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
  });
}

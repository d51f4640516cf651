import { dirname, join } from "node:path";
import { dataDirectory, processEnvironment } from "../../../config/paths.ts";
import type { ProxyConfig } from "../../../config/proxy/config.ts";
import { configurationPath, type ProxyFlags } from "../../../config/proxy/settings.ts";
import { AppError, getErrorMessage } from "../../../errors.ts";
import { effectiveMode } from "../../../proxy/auth/policy.ts";
import type { RotatingFile } from "../../../proxy/observability/rotating-file.ts";
import type { Output } from "../../output.ts";
import { noteNewKey, readProxyConfiguration } from "../../proxy-configuration.ts";
import { openReadyFile } from "../../ready-file.ts";
import { proxyOn } from "../../setup/doctor/disk-and-ports.ts";
import { version } from "../../version.ts";
import { addRunningProxy, removeRunningProxy, type ServiceManagerName } from "../running-proxies.ts";
import { banner, baseUrl } from "./banner.ts";
import { createLogOutput } from "./call-log.ts";
import { createGatewayHost, type GatewayHost } from "./gateway-host.ts";
import { announceReady, untilHandedOver, untilPortFree } from "./hand-over.ts";
import { ledgerPath, openLedgerLog } from "./ledger-log.ts";
import { limitHeapAfter } from "./limit-heap.ts";
import { type InForce, oneAtATime, reloadConfiguration } from "./reload-configuration.ts";
import type { Serving } from "./serving.ts";
import { untilStopped, watchStopRequest } from "./until-stopped.ts";
import { fileState, onFileChange } from "./watch-file.ts";
import { watchNamedFiles } from "./watch-named-files.ts";

export interface ProxyStartFlags extends ProxyFlags {
  readonly readyFile?: string;
  readonly detach?: boolean;
  readonly json?: boolean;
  /** The service manager that starts this process. */
  readonly service?: ServiceManagerName;
}

/** Exit codes above this one stand for the signal that ended the proxy before its calls were complete. */
const SIGNAL_EXIT_CODES = 128;

/** Runs `sallyport proxy start` in the foreground: serves until a signal ends it. Resolves to the exit code. */
export async function startProxy(flags: ProxyStartFlags, output: Output): Promise<number> {
  const environment = processEnvironment;
  const path = configurationPath(environment, flags);
  const read = () => readProxyConfiguration(environment, flags, true);
  const state = fileState(path);
  const first = await read();
  const inForce: InForce = { config: first.config, settings: first.loaded.settings };
  const logPath = join(dataDirectory(environment), "proxy", "requests.ndjson");
  const log = ledgerPath(logPath, first.config.logging);
  const host = createGatewayHost(() => inForce.config, log, dataDirectory(environment), output);
  const logFile = createLogOutput(
    logPath,
    () => inForce.config.logging,
    (error) => output.note(`Cannot write the request log: ${getErrorMessage(error)}`),
    process.stdout,
    host && (await openLedgerLog(log, host, first.config)),
  );
  const serving = await serve(inForce.config, logFile, output, host);
  if (host) host.passOn = serving.setKeys;
  const data = dataDirectory(environment);
  const replaced = untilHandedOver(serving, environment, output, () => removeRunningProxy(data));
  const over = Promise.race([
    untilStopped(serving, output, () => inForce.config),
    serving.broken,
    replaced.over,
  ]);
  let isForced = false;
  // Whether SIGHUP or a changed file has requested the next reload, and not only a secret's time to live.
  let isRequested = false;
  const update = oneAtATime(async () => {
    const onlyIfChanged = !isRequested;
    isRequested = false;
    await reloadConfiguration(inForce, read, serving, output, onlyIfChanged);
    named.watch(inForce.settings);
    await host?.refresh();
  });
  const reload = () => {
    isRequested = true;
    return update();
  };
  const named = watchNamedFiles(dirname(path), reload, update);
  // These handlers are registered before the proxy announces itself. Otherwise an early SIGHUP would end the
  // process, and an early change of the file would be missed.
  process.on("SIGHUP", reload);
  const unwatch = [onFileChange(path, state, reload), named.end, replaced.end, watchStopRequest(data)];
  named.watch(inForce.settings);
  try {
    if (host?.opensFirst) await host.open();
    await untilPortFree(environment);
    const begun = await Promise.race([serving.listen(), over.then((exitCode) => ({ exitCode }))]);
    if (typeof begun === "object") return begun.exitCode;
    const readyFile = flags.readyFile ? await openReadyFile(flags.readyFile) : undefined;
    const file = { path, isThere: first.loaded.file !== undefined };
    for (const line of banner(inForce.config, begun, file)) output.note(line);
    if (first.newKey !== undefined) noteNewKey(first.newKey, output);
    if (hasNoKeys(inForce.config, host?.snapshot)) output.note(NO_KEYS);
    limitHeapAfter(openLater(host, output));
    const url = baseUrl(inForce.config, begun);
    await addRunningProxy(data, {
      url,
      port: begun,
      version,
      since: new Date().toISOString(),
      configuration: path,
      workers: inForce.config.workers,
      handsOver: serving.listener() !== undefined,
      service: flags.service ?? null,
      args: process.argv.slice(2),
      folder: process.cwd(),
    });
    // The running file is written first, so that a script that receives the URL finds the proxy with `proxy status`.
    await readyFile?.write(url, begun);
    if (flags.json) await output.result(JSON.stringify({ url, port: begun, pid: process.pid }));
    announceReady();
    const exitCode = await over;
    isForced = exitCode > SIGNAL_EXIT_CODES;
    return exitCode;
  } catch (error) {
    await serving.close();
    throw await explained(error, inForce.config);
  } finally {
    for (const end of unwatch) end();
    await removeRunningProxy(data);
    process.off("SIGHUP", reload);
    if (isForced) host?.abandon();
    else await host?.close();
  }
}

const NO_KEYS = "No client can use the proxy yet. Create a key: sallyport proxy keys create NAME";

/** Returns whether calls need a key, and neither the configuration nor the open database has one for clients. */
function hasNoKeys(
  { authMode, allowLanAccess, keys }: ProxyConfig,
  snapshot: { readonly requiresKeys: boolean } | undefined,
): boolean {
  return (
    keys.length === 0 && effectiveMode(authMode, allowLanAccess) !== "off" && snapshot?.requiresKeys === false
  );
}

/**
 * Opens the default database once the proxy listens. If the database cannot be opened, calls are served, but
 * keys and usage are not stored.
 */
async function openLater(host: GatewayHost | undefined, output: Output): Promise<void> {
  if (host === undefined || host.opensFirst) return;
  try {
    await host.open();
  } catch (error) {
    output.note(`Keys and usage are not stored: ${getErrorMessage(error)}`);
  }
}

/** Serves the proxy in this process or in several workers. Imports only the modules of the mode in use. */
async function serve(
  config: ProxyConfig,
  logFile: RotatingFile,
  output: Output,
  host: GatewayHost | undefined,
): Promise<Serving> {
  if (config.workers === 1) {
    const { serveAlone } = await import("./serve-alone.ts");
    return serveAlone(config, logFile, output, host);
  }
  const { serveInWorkers } = await import("../workers/serve-in-workers.ts");
  return serveInWorkers(config, logFile, output, host);
}

/** Returns the error with a better hint if the port is taken by another proxy, the most common cause. */
async function explained(error: unknown, { port, host }: ProxyConfig): Promise<unknown> {
  if (!(error instanceof AppError) || error.code !== "port_in_use") return error;
  if ((await proxyOn({ port, host })) === undefined) return error;
  return new AppError("port_in_use", error.message, {
    cause: error,
    hint: "A Sallyport proxy already runs on this port. Use it, or choose another port with --port.",
  });
}

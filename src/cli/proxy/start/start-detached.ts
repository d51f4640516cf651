import { spawn } from "node:child_process";
import { open, readFile, rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isSea } from "node:sea";
import { dataDirectory, processEnvironment } from "../../../config/paths.ts";
import { AppError } from "../../../errors.ts";
import { makePrivateFolder } from "../../../files/private-folder.ts";
import type { Output } from "../../output.ts";
import { listRunningProxies, type RunningProxy } from "../running-proxies.ts";

/** A background process that ended before it served calls. */
export interface DetachFailure {
  readonly exitCode: number;
  /** What it wrote to its log. */
  readonly report: string;
}

/** Size at which the log of background proxies becomes `proxy.log.1`. */
const MAX_LOG_BYTES = 1024 * 1024;

/** Returns the file with the messages of proxies that run in the background. */
export function getProxyLogFile(folder = dataDirectory(processEnvironment)): string {
  return join(folder, "proxy", "proxy.log");
}

/** Runs `sallyport proxy start --detach`: prints the URL once the proxy serves calls. Resolves to the exit code. */
export async function startProxyDetached(json: boolean, output: Output): Promise<number> {
  const args = process.argv.slice(2).filter((arg) => arg !== "--detach" && arg !== "--json");
  const started = await startDetached(args);
  if ("exitCode" in started) {
    output.note(started.report.trimEnd());
    return started.exitCode;
  }
  const { url, port, pid } = started;
  if (!json) output.note(`The proxy runs in the background. Its messages are in ${getProxyLogFile()}`);
  await output.result(json ? JSON.stringify({ url, port, pid, log: getProxyLogFile() }) : url);
  return 0;
}

/**
 * Starts this program in the background with the arguments of `proxy start`. The new process has its own session, so
 * that neither a closed terminal nor the end of this process ends it.
 */
export async function startDetached(
  args: readonly string[],
  folder = process.cwd(),
): Promise<RunningProxy | DetachFailure> {
  const path = getProxyLogFile();
  const log = await openLog(path);
  const { size } = await log.stat();
  const script = isSea() ? [] : process.argv.slice(1, 2);
  const child = spawn(process.execPath, [...process.execArgv, ...script, ...args], {
    cwd: folder,
    detached: true,
    stdio: ["ignore", "ignore", log.fd, "ipc"],
    windowsHide: true,
  });
  try {
    const exitCode = await new Promise<number | undefined>((resolve, reject) => {
      child.once("error", (cause) => {
        reject(
          new AppError("internal", `The background process cannot be started: ${cause.message}`, { cause }),
        );
      });
      child.once("exit", (code) => resolve(code ?? 1));
      child.once("message", () => resolve(undefined));
    });
    if (exitCode !== undefined) return { exitCode, report: (await readFile(path)).subarray(size).toString() };
  } finally {
    child.removeAllListeners("exit");
    if (child.connected) child.disconnect();
    child.unref();
    await log.close();
  }
  const running = await listRunningProxies(dataDirectory(processEnvironment));
  const own = running.find(({ pid }) => pid === child.pid);
  if (own) return own;
  throw new AppError("storage", "The proxy runs, but the data directory is not writable", {
    hint: `Stop it with: kill ${child.pid}. Make the directory that sallyport doctor names writable.`,
  });
}

async function openLog(path: string) {
  await makePrivateFolder(dirname(path));
  const size = await stat(path).then(
    (entry) => entry.size,
    () => 0,
  );
  if (size > MAX_LOG_BYTES) await rename(path, `${path}.1`).catch(() => {});
  return open(path, "a", 0o600);
}

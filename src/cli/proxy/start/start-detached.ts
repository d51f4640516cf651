import { open, readFile, rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { dataDirectory, processEnvironment } from "../../../config/paths.ts";
import { AppError } from "../../../errors.ts";
import { makePrivateFolder } from "../../../files/private-folder.ts";
import { dataDirectoryFailure } from "../../data-directory-failure.ts";
import type { Output } from "../../output.ts";
import { type DetachFailure, spawnDetached } from "../../spawn-detached.ts";
import { listRunningProxies, type RunningProxy } from "../running-proxies.ts";

/** Size above which the start of a background proxy renames the log to `proxy.log.1`. */
const MAX_LOG_BYTES = 1024 * 1024;

/** Returns the file with the messages of proxies that run in the background. */
export function getProxyLogFile(folder = dataDirectory(processEnvironment)): string {
  return join(folder, "proxy", "proxy.log");
}

/** Runs `sallyport proxy start --detach`: prints the URL once the proxy serves calls. Resolves to the exit code. */
export async function startProxyDetached(json: boolean, output: Output): Promise<number> {
  const started = await startDetached(process.argv.slice(2));
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
 * Starts this program in the background with the arguments of `proxy start`. Its stderr goes to the log. Throws
 * `storage` if the data directory is not writable.
 */
export async function startDetached(
  args: readonly string[],
  folder = process.cwd(),
): Promise<RunningProxy | DetachFailure> {
  const data = dataDirectory(processEnvironment);
  const path = getProxyLogFile(data);
  const log = await openLog(path).catch((cause: unknown) => {
    throw dataDirectoryFailure(data, cause);
  });
  const { size } = await log.stat();
  const started = await spawnDetached(toServingArguments(args), { folder, stderr: log.fd }).finally(() =>
    log.close(),
  );
  if ("exitCode" in started) return { ...started, report: (await readFile(path)).subarray(size).toString() };
  const running = await listRunningProxies(data);
  const own = running.find(({ pid }) => pid === started.pid);
  if (own) return own;
  throw new AppError("storage", "The proxy runs, but the data directory is not writable", {
    hint: `Stop it with: ${formatKillCommand(started.pid)}. Make the data directory writable: sallyport doctor prints its path.`,
  });
}

/** Returns the system's command that ends a process. `proxy stop` does not find a proxy without a running file. */
export function formatKillCommand(pid: number | undefined, platform = process.platform): string {
  return platform === "win32" ? `taskkill /F /PID ${pid}` : `kill ${pid}`;
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

/** Returns the arguments of a process that serves: without `--detach`, and without `--json`, which writes to stdout. */
export function toServingArguments(args: readonly string[]): string[] {
  return args.filter((arg) => arg !== "--detach" && arg !== "--json");
}

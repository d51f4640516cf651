import { readdir, readFile, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { AppError } from "../../errors.ts";
import { replaceFile } from "../../files/durable-file.ts";
import { makePrivateFolder } from "../../files/private-folder.ts";
import { getProcessMark, mayStillRun } from "../../files/running-process.ts";

/** The service managers that can run the proxy. */
const serviceManagers = ["systemd", "launchd", "windows"] as const;
export type ServiceManagerName = (typeof serviceManagers)[number];

const runningFile = z.object({
  pid: z.number().int().positive(),
  host: z.string(),
  started: z.string().exactOptional(),
  url: z.string(),
  port: z.number().int(),
  version: z.string(),
  /** The time at which the proxy started to serve calls, in ISO 8601. */
  since: z.string(),
  /** The configuration file's full path, whether or not it exists. */
  configuration: z.string(),
  workers: z.number().int().positive(),
  /** Whether a new process can take over the listening socket, so that no connection is refused. */
  handsOver: z.boolean(),
  service: z.enum(serviceManagers).nullable(),
  /** The command line after the program's name, and the working directory. */
  args: z.array(z.string()),
  folder: z.string(),
});

/** A proxy that runs on this machine. */
export type RunningProxy = z.infer<typeof runningFile>;

function getFolder(dataDirectory: string): string {
  return join(dataDirectory, "proxy", "running");
}

/** Returns the path of the file whose creation stops a proxy, for systems without SIGTERM. */
export function getStopRequestFile(dataDirectory: string, pid: number): string {
  return join(getFolder(dataDirectory), `${pid}.stop`);
}

/** Writes the running file of this process. Never rejects: a proxy also runs on a read-only disk. */
export async function addRunningProxy(
  dataDirectory: string,
  proxy: Omit<RunningProxy, "pid" | "host" | "started">,
): Promise<void> {
  const folder = getFolder(dataDirectory);
  try {
    await makePrivateFolder(folder);
    await removeStale(folder);
    // Other commands may run in another folder.
    const configuration = resolve(proxy.configuration);
    const text = JSON.stringify({ ...proxy, configuration, ...getProcessMark() });
    // The file need not survive a power failure, which also ends the process.
    await replaceFile(join(folder, `${process.pid}.json`), text, 0o600, { durable: false });
  } catch {
    // Without the file, `proxy status` does not list this proxy.
  }
}

/** Removes the running file and the stop request of this process. Never rejects. */
export async function removeRunningProxy(dataDirectory: string): Promise<void> {
  for (const name of [`${process.pid}.json`, `${process.pid}.stop`])
    await rm(join(getFolder(dataDirectory), name), { force: true }).catch(() => {});
}

/** Returns the proxies of this machine whose process runs, newest first. */
export async function listRunningProxies(dataDirectory: string): Promise<readonly RunningProxy[]> {
  const folder = getFolder(dataDirectory);
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".json"));
  const files = await Promise.all(names.map((name) => readRunning(join(folder, name))));
  return files
    .filter((file) => file !== undefined)
    .filter((file) => file.host === hostname() && mayStillRun(file))
    .toSorted((one, other) => (one.since < other.since ? 1 : -1));
}

/**
 * Returns the running proxy on a port, or the only running proxy if `port` is undefined. Throws `not_found` if there is
 * none, and `usage` if there are several.
 */
export function chooseProxy(running: readonly RunningProxy[], port: number | undefined): RunningProxy {
  const fitting = port === undefined ? running : running.filter((proxy) => proxy.port === port);
  const [only, ...more] = fitting;
  if (only && more.length === 0) return only;
  if (only) {
    const list = fitting.map(({ url, pid }) => `  ${url}  pid ${pid}`).join("\n");
    throw new AppError("usage", `Several proxies run:\n${list}`, { hint: "Name one of them with --port." });
  }
  throw new AppError("not_found", port === undefined ? "No proxy runs" : `No proxy runs on port ${port}`, {
    hint: "Start one: sallyport proxy start",
  });
}

async function readRunning(path: string): Promise<RunningProxy | undefined> {
  try {
    const parsed = runningFile.safeParse(JSON.parse(await readFile(path, "utf8")));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the files of proxies that were killed. */
async function removeStale(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [pid = ""] = name.split(".");
    const running = await readRunning(join(folder, `${pid}.json`));
    if (running === undefined || running.host !== hostname() || mayStillRun(running)) continue;
    await rm(join(folder, name), { force: true });
  }
}

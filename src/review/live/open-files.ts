import { readdir } from "node:fs/promises";
import { basename } from "node:path";
import { logFolder } from "./log-folder.ts";
import { listRunning } from "./running-files.ts";

/** Returns the names of the logs and plans of reviews that are open on this machine. */
export async function openFiles(dataDirectory: string): Promise<ReadonlySet<string>> {
  const running = await listRunning(dataDirectory);
  const logs = await readdir(logFolder(dataDirectory)).catch(() => []);
  const ids = new Set(running.map(({ id }) => id));
  const plans = running.flatMap(({ file }) => (file === undefined ? [] : [basename(file)]));
  return new Set([...plans, ...logs.filter((name) => ids.has(/-([0-9a-z]+)\.jsonl$/.exec(name)?.[1] ?? ""))]);
}

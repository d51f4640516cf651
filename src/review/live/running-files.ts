import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import { mayStillRun } from "../../files/running-process.ts";
import type { ReviewEntry } from "../api-types.ts";
import { logFolder } from "./log-folder.ts";
import { runningFolder } from "./register-review.ts";

const entry = z.object({
  id: z.string().regex(/^[0-9a-z]{1,40}$/),
  mode: z.enum(["plan", "code", "pr", "files"]),
  live: z.boolean(),
  url: z.string(),
  title: z.string(),
  repository: z.string(),
  agent: z.string(),
  since: z.string(),
}) satisfies z.ZodType<ReviewEntry>;

const runningFile = entry.extend({
  pid: z.number().int().positive(),
  port: z.number().int(),
  token: z.string().min(32),
  host: z.string(),
  started: z.string().exactOptional(),
  file: z.string().exactOptional(),
  isPartial: z.boolean().exactOptional(),
});

/** A review that is open on this machine, with the data that a local program needs to call it. */
export type RunningReview = z.infer<typeof runningFile>;

/**
 * Returns the reviews whose process is running, newest first. Files that cannot be read and files of
 * processes that have ended are ignored.
 */
export async function listRunning(dataDirectory: string): Promise<readonly RunningReview[]> {
  const folder = runningFolder(dataDirectory);
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".json"));
  const files = await Promise.all(names.map((name) => readRunning(join(folder, name))));
  return files
    .filter((file) => file !== undefined)
    .sort((one, other) => (one.since < other.since ? 1 : one.since > other.since ? -1 : 0));
}

async function readRunning(path: string): Promise<RunningReview | undefined> {
  try {
    const parsed = runningFile.safeParse(JSON.parse(await readFile(path, "utf8")));
    return parsed.success && mayStillRun(parsed.data) ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a review as other programs and pages may see it, without its token. */
export function toEntry({
  id,
  mode,
  live,
  url,
  title,
  repository,
  agent,
  since,
}: RunningReview): ReviewEntry {
  return { id, mode, live, url, title, repository, agent, since };
}

/** Returns the names of the logs and plans of reviews that are open on this machine. */
export async function openFiles(dataDirectory: string): Promise<ReadonlySet<string>> {
  const running = await listRunning(dataDirectory);
  const logs = await readdir(logFolder(dataDirectory)).catch(() => []);
  const ids = new Set(running.map(({ id }) => id));
  const plans = running.flatMap(({ file }) => (file === undefined ? [] : [basename(file)]));
  return new Set([...plans, ...logs.filter((name) => ids.has(/-([0-9a-z]+)\.jsonl$/.exec(name)?.[1] ?? ""))]);
}

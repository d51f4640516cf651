import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { readJson } from "../../files/durable-file.ts";
import type { DecidedReview, InboxContent } from "../api-types.ts";
import { toReviewId } from "../live/register-review.ts";
import { listRunning, toEntry } from "../live/running-files.ts";

const record = z.object({
  sessionId: z.string(),
  kind: z.enum(["plan", "code", "pr"]),
  decidedAt: z.string(),
  project: z.string().exactOptional(),
  cwd: z.string(),
  caller: z.string(),
  title: z.string(),
  decision: z.object({ kind: z.enum(["approve", "deny", "feedback"]) }),
});

/** Returns the open reviews, and those that were decided since `since`, newest first. */
export async function readInbox(dataDirectory: string, since: Date): Promise<InboxContent> {
  const [running, decided] = await Promise.all([
    listRunning(dataDirectory),
    decidedSince(join(dataDirectory, "decisions"), since),
  ]);
  return { waiting: running.map(toEntry), decided };
}

/** Returns the start of the local day. */
export function startOfDay(now: Date): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate());
}

async function decidedSince(folder: string, since: Date): Promise<readonly DecidedReview[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".json"));
  // The name contains the time, so that earlier records need not be read.
  const first = since.toISOString().replaceAll(":", "-");
  const recent = names.filter((name) => (/^\d+-(\d{4}-.+?Z)-/.exec(name)?.[1] ?? "") >= first);
  const reviews = await Promise.all(recent.map((name) => readDecided(join(folder, name))));
  return reviews
    .filter((review) => review !== undefined)
    .sort((one, other) => (one.decidedAt < other.decidedAt ? 1 : one.decidedAt > other.decidedAt ? -1 : 0));
}

async function readDecided(path: string): Promise<DecidedReview | undefined> {
  const parsed = record.safeParse(await readJson(path));
  if (!parsed.success) return undefined;
  const { sessionId, kind, decidedAt, project, cwd, caller, title, decision } = parsed.data;
  return {
    id: toReviewId(sessionId),
    mode: kind,
    title,
    repository: project ?? cwd,
    agent: caller,
    decision: decision.kind,
    decidedAt,
  };
}

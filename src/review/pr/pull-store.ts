import { createHash } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import { readJson, writeDurably } from "../../files/durable-file.ts";
import type { Attempt, OutgoingItem } from "../forges/forge.ts";

const side = z.enum(["old", "new"]);
const text = { thread: z.string(), body: z.string() };

const outgoingItem = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("comment"),
    ...text,
    path: z.string(),
    side,
    lineStart: z.number(),
    lineEnd: z.number(),
  }),
  z.object({ kind: z.literal("file"), ...text, path: z.string() }),
  z.object({ kind: z.literal("general"), ...text }),
  z.object({ kind: z.literal("reply"), ...text, remote: z.string() }),
  z.object({ kind: z.enum(["resolve", "reopen"]), thread: z.string(), remote: z.string() }),
  z.object({
    kind: z.literal("verdict"),
    verdict: z.enum(["approve", "comment", "request_changes"]),
    body: z.string(),
  }),
]) satisfies z.ZodType<OutgoingItem>;

const plannedItem = z.object({ item: outgoingItem, messages: z.array(z.string()).readonly() });
const keptThread = z.object({ thread: z.string(), reason: z.string() });

const storedAttempt = z.object({
  preview: z.string(),
  verdict: z.enum(["approve", "comment", "request_changes"]),
  items: z.array(plannedItem).readonly(),
  kept: z.array(keptThread).readonly(),
  /** The records of all attempts, by name. */
  records: z.record(z.string(), z.array(z.string()).readonly()),
});

/** A review whose post has begun and may have been completed. */
export type StoredAttempt = z.infer<typeof storedAttempt>;

const stored = z.object({
  version: z.literal(1),
  url: z.string(),
  attempt: storedAttempt.optional(),
  /** Ids of threads on the page by the ids of their posted threads at the forge. */
  threads: z.record(z.string(), z.string()),
  /** Ids of messages on the page by the ids of their posted messages at the forge. */
  messages: z.record(z.string(), z.string()),
  /** Posted items whose ids at the forge are still unknown. */
  unlinked: z.array(plannedItem).readonly(),
});

type Stored = z.infer<typeof stored>;

/**
 * The stored state of a pull request's review: the unconfirmed attempt, and the ids of posted threads and messages.
 * Contains no credentials.
 */
export interface PullStore {
  readonly state: Stored;
  /** Changes the state. Resolves once it is on disk. Throws `storage`. */
  write(change: Partial<Omit<Stored, "version" | "url">>): Promise<void>;
}

/** Opens the store of a pull request. A file that cannot be parsed is treated as empty. */
export async function openPullStore(dataDirectory: string, url: string): Promise<PullStore> {
  const name = createHash("sha256").update(url).digest("hex").slice(0, 32);
  const path = join(dataDirectory, "pull-requests", `${name}.json`);
  const parsed = stored.safeParse(await readJson(path));
  let state: Stored = parsed.success
    ? parsed.data
    : { version: 1, url, threads: {}, messages: {}, unlinked: [] };
  let writing = Promise.resolve();
  return {
    get state() {
      return state;
    },
    write(change) {
      state = { ...state, ...change };
      const text = JSON.stringify(state);
      const next = writing.then(() => writeDurably(path, text));
      writing = next.catch(() => {});
      return next;
    },
  };
}

/** Returns the records of the stored attempt. */
export function attemptOf(store: PullStore): Attempt {
  return {
    get: (name) => store.state.attempt?.records[name],
    async record(name, values) {
      const { attempt } = store.state;
      if (attempt)
        await store.write({ attempt: { ...attempt, records: { ...attempt.records, [name]: [...values] } } });
    },
  };
}

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
  /** What the tries have recorded. */
  records: z.record(z.string(), z.array(z.string()).readonly()),
});

/** A review whose post has begun, and may have reached the forge. */
export type StoredAttempt = z.infer<typeof storedAttempt>;

const stored = z.object({
  version: z.literal(1),
  url: z.string(),
  attempt: storedAttempt.optional(),
  /** Id of a thread at the forge → id of the thread on the page that was posted as it. */
  threads: z.record(z.string(), z.string()),
  /** Id of a message at the forge → id of the message on the page. */
  messages: z.record(z.string(), z.string()),
  /** Posted items whose counterparts at the forge are not known yet. */
  unlinked: z.array(plannedItem).readonly(),
});

type Stored = z.infer<typeof stored>;

/**
 * What a pull request's review keeps between runs: the attempt that is not confirmed, and which messages of the page are
 * which ones at the forge. Contains no sign-in.
 */
export interface PullStore {
  readonly state: Stored;
  /** Changes the state. Resolves once it is on disk. Throws `storage`. */
  write(change: Partial<Omit<Stored, "version" | "url">>): Promise<void>;
}

/** Opens the store of a request. A file that cannot be parsed counts as empty. */
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

/** Returns the records of the store's attempt, for a forge. */
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

import { z } from "zod";
import type { CellPosition, LiveBatch, Thread, ThreadAnchor, ThreadMessage } from "../api-types.ts";

/** The lines of a diff, or the text of a plan, before and after an anchor, by which it is found in a changed text. */
export interface AnchorContext {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const author = z.object({ kind: z.enum(["person", "agent", "tool"]), name: z.string() });
const state = z.enum(["open", "resolved", "dismissed"]);

const cellPosition = z.object({
  cell: z.number(),
  id: z.string().exactOptional(),
  kind: z.enum(["code", "markdown", "raw"]),
  part: z.enum(["source", "output", "metadata"]),
  lineStart: z.number().exactOptional(),
  lineEnd: z.number().exactOptional(),
}) satisfies z.ZodType<CellPosition>;

const anchor = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("lines"),
    path: z.string(),
    side: z.enum(["old", "new"]),
    lineStart: z.number(),
    lineEnd: z.number(),
    code: z.string(),
    cell: cellPosition.exactOptional(),
  }),
  z.object({ kind: z.literal("file"), path: z.string() }),
  z.object({ kind: z.literal("plan"), start: z.number(), end: z.number(), quote: z.string() }),
  z.object({ kind: z.literal("review") }),
]) satisfies z.ZodType<ThreadAnchor>;

const message = z.object({
  id: z.string(),
  author,
  at: z.string(),
  markdown: z.string(),
  suggestedCode: z.string().exactOptional(),
  sentAt: z.string().nullable(),
  deliveredAt: z.string().nullable(),
  postedAt: z.string().exactOptional(),
}) satisfies z.ZodType<ThreadMessage>;

const thread = z.object({
  id: z.string(),
  anchor,
  type: z.enum(["comment", "suggestion", "concern", "question", "finding"]),
  state,
  severity: z.enum(["info", "warning", "error"]).nullable(),
  messages: z.array(message).readonly(),
  round: z.number(),
  outdated: z.boolean(),
  resolvedBy: author.nullable(),
  accepted: z.boolean().exactOptional(),
}) satisfies z.ZodType<Thread>;

const context = z.object({ before: z.array(z.string()).readonly(), after: z.array(z.string()).readonly() });

/** A thread as it was when its batch was sent: its messages are the first `count` of the thread. */
const sentThread = thread
  .pick({ id: true, anchor: true, state: true, outdated: true, resolvedBy: true, accepted: true })
  .extend({ count: z.number() });

const batch = z.object({
  id: z.string(),
  event: z.enum(["feedback", "approved", "ended"]),
  round: z.number(),
  feedback: z.string(),
  at: z.string(),
  threads: z.array(sentThread).readonly(),
});

/** A batch as it is stored. Its `at` is later than that of every earlier batch. */
export type StoredBatch = z.infer<typeof batch>;

const processMark = z.object({ pid: z.number(), host: z.string(), started: z.string().exactOptional() });

/** One line of the log of a review. Applying an entry twice has the same effect as applying it once. */
export const logEntry = z.discriminatedUnion("op", [
  z.object({ op: z.literal("open"), id: z.string(), process: processMark, at: z.string() }),
  z.object({ op: z.literal("thread"), thread, context: context.exactOptional() }),
  z.object({ op: z.literal("message"), thread: z.string(), message }),
  z.object({
    op: z.literal("change"),
    thread: z.string(),
    state: state.exactOptional(),
    resolvedBy: author.nullable().exactOptional(),
    /** The agent or tool that changed the state; absent if the person or the forge of a pull request changed it. */
    changedBy: author.exactOptional(),
    accepted: z.literal(true).exactOptional(),
  }),
  z.object({
    op: z.literal("anchor"),
    thread: z.string(),
    anchor,
    outdated: z.boolean(),
    context: context.exactOptional(),
  }),
  z.object({ op: z.literal("posted"), thread: z.string(), messages: z.array(z.string()), at: z.string() }),
  z.object({ op: z.literal("round"), round: z.number() }),
  z.object({ op: z.literal("batch"), batch }),
  z.object({ op: z.literal("delivered"), batch: z.string(), at: z.string() }),
  z.object({ op: z.literal("closed"), reason: z.enum(["final", "interrupted"]) }),
]);

export type LogEntry = z.infer<typeof logEntry>;

/** The state that the log of a review describes. `applyEntry` changes it; a live review also sets its first round. */
export interface LogState {
  /** The process that wrote the log last. */
  owner: Extract<LogEntry, { op: "open" }> | undefined;
  readonly threads: Map<string, Thread>;
  readonly contexts: Map<string, AnchorContext>;
  readonly batches: StoredBatch[];
  /** Times of delivery by batch id. */
  readonly delivered: Map<string, string>;
  /** Findings that the person accepted since the last batch. */
  readonly accepted: Set<string>;
  /** Open threads that an agent or a tool has reopened. */
  readonly reopenedByPrograms: Set<string>;
  round: number;
  closed: "final" | "interrupted" | undefined;
}

export function emptyState(): LogState {
  return {
    owner: undefined,
    threads: new Map(),
    contexts: new Map(),
    batches: [],
    delivered: new Map(),
    accepted: new Set(),
    reopenedByPrograms: new Set(),
    round: 1,
    closed: undefined,
  };
}

/** Applies one entry. Returns the ids of the threads that changed. */
export function applyEntry(log: LogState, entry: LogEntry): readonly string[] {
  switch (entry.op) {
    case "open":
      log.owner = entry;
      log.closed = undefined;
      return [];
    case "thread": {
      const { id } = entry.thread;
      if (log.threads.has(id)) return [];
      log.threads.set(id, entry.thread);
      if (entry.context) log.contexts.set(id, entry.context);
      return [id];
    }
    case "message":
      return change(log, entry.thread, ({ messages }) => {
        const { id, markdown } = entry.message;
        const known = messages.find((one) => one.id === id);
        if (!known) return { messages: [...messages, entry.message] };
        // The text of a message of a forge can change.
        if (known.markdown === markdown) return undefined;
        return { messages: messages.map((one) => (one.id === id ? { ...one, markdown } : one)) };
      });
    case "change": {
      const { op: _op, thread: id, changedBy, ...members } = entry;
      if (members.accepted) log.accepted.add(id);
      if (members.state === "open" && changedBy) log.reopenedByPrograms.add(id);
      else if (members.state) log.reopenedByPrograms.delete(id);
      return change(log, id, () => members);
    }
    case "anchor":
      if (entry.context) log.contexts.set(entry.thread, entry.context);
      return change(log, entry.thread, () => ({ anchor: entry.anchor, outdated: entry.outdated }));
    case "posted":
      return change(log, entry.thread, ({ messages }) => ({
        messages: messages.map((one) =>
          entry.messages.includes(one.id) ? { ...one, postedAt: entry.at } : one,
        ),
      }));
    case "round":
      log.round = Math.max(log.round, entry.round);
      return [];
    case "batch":
      return applyBatch(log, entry.batch);
    case "delivered":
      return applyDelivery(log, entry);
    case "closed":
      log.closed = entry.reason;
      return [];
  }
}

function change(
  log: LogState,
  id: string,
  members: (thread: Thread) => Partial<Thread> | undefined,
): readonly string[] {
  const known = log.threads.get(id);
  const changed = known && members(known);
  if (known === undefined || changed === undefined) return [];
  log.threads.set(id, { ...known, ...changed });
  return [id];
}

/** Reports whether a batch sends a message: it is unsent, and is the person's or the text of an accepted finding. */
function isSendable(thread: Thread, message: ThreadMessage): boolean {
  if (message.sentAt !== null) return false;
  return message.author.kind === "person" || (thread.accepted === true && message === thread.messages[0]);
}

function applyBatch(log: LogState, sent: StoredBatch): readonly string[] {
  if (log.batches.some(({ id }) => id === sent.id)) return [];
  log.batches.push(sent);
  // Logs of several interrupted reviews can be joined.
  log.batches.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
  return sent.threads.flatMap(({ id, count }) => {
    log.accepted.delete(id);
    return change(log, id, (known) => ({
      messages: known.messages.map((one, index) =>
        index < count && isSendable(known, one) ? { ...one, sentAt: sent.at } : one,
      ),
    }));
  });
}

function applyDelivery(log: LogState, { batch: id, at }: Extract<LogEntry, { op: "delivered" }>) {
  const sent = log.batches.find((one) => one.id === id);
  if (sent === undefined || log.delivered.has(id)) return [];
  log.delivered.set(id, at);
  return sent.threads.flatMap((one) =>
    change(log, one.id, (known) => ({
      messages: known.messages.map((part) =>
        part.sentAt === sent.at && part.deliveredAt === null ? { ...part, deliveredAt: at } : part,
      ),
    })),
  );
}

export interface BatchDraft {
  readonly id: string;
  readonly event: StoredBatch["event"];
  readonly feedback: string;
  /** The current time in milliseconds. */
  readonly now: number;
  /** Whether the person's unsent messages and newly accepted findings are included. */
  readonly withThreads: boolean;
}

/** Returns the batch of the person's unsent messages and newly accepted findings. */
export function composeBatch(log: LogState, draft: BatchDraft): StoredBatch {
  const { id, event, feedback, now, withThreads } = draft;
  const last = log.batches.at(-1);
  // Messages are matched with their batch by its time, so no two batches may have the same time.
  const at = new Date(Math.max(now, last ? Date.parse(last.at) + 1 : 0)).toISOString();
  const threads = [...log.threads.values()]
    .filter((one) => log.accepted.has(one.id) || one.messages.some((part) => isPersonsUnsent(part)))
    .map(({ id: thread, messages, anchor: where, state: current, outdated, resolvedBy, accepted }) => ({
      id: thread,
      count: messages.length,
      anchor: where,
      state: current,
      outdated,
      resolvedBy,
      ...(accepted === undefined ? {} : { accepted }),
    }));
  return { id, event, round: log.round, feedback, at, threads: withThreads ? threads : [] };
}

const isPersonsUnsent = ({ author: by, sentAt }: ThreadMessage) => by.kind === "person" && sentAt === null;

/**
 * Returns a batch as an agent receives it, with its threads as they were when the person sent it: a later reply or
 * change does not alter a batch, which can be delivered again.
 */
export function batchContent(log: LogState, sent: StoredBatch): LiveBatch {
  const threads = sent.threads.flatMap(({ id, count, ...members }) => {
    const known = log.threads.get(id);
    const messages = known?.messages
      .slice(0, count)
      .map((one) => (one.sentAt === sent.at ? { ...one, sentAt: null, deliveredAt: null } : one));
    return known && messages ? [{ ...known, ...members, messages }] : [];
  });
  return { event: sent.event, round: sent.round, threads, feedback: sent.feedback };
}

/** Returns the batches whose delivery is not recorded, in the order in which they were sent. */
export function pendingBatches(log: LogState): readonly StoredBatch[] {
  return log.batches.filter(({ id }) => !log.delivered.has(id));
}

/** Returns the last batch whose delivery is recorded. */
export function lastDelivered(log: LogState): StoredBatch | undefined {
  return log.batches.findLast(({ id }) => log.delivered.has(id));
}

import { createHash, randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { getProcessMark } from "../../files/running-process.ts";
import type {
  NewMessageBody,
  NewThreadBody,
  Thread,
  ThreadAnchor,
  ThreadAuthor,
  ThreadChangeBody,
  ThreadMessage,
} from "../api-types.ts";
import { createLogFile, readLog, replay } from "./log-file.ts";
import { logPath, takeOverLogs } from "./log-folder.ts";
import { type AnchorContext, applyEntry, emptyState, type LogEntry, type LogState } from "./session-log.ts";

/** An anchor that exists, with its code or quote, and the lines or text around it. */
export interface LocatedAnchor {
  readonly anchor: ThreadAnchor;
  readonly context?: AnchorContext | undefined;
}

/** The current position of an anchor; `outdated` if its lines or quote no longer exist. */
export interface FollowedAnchor extends LocatedAnchor {
  readonly outdated: boolean;
}

/** The threads and batches of one review, in memory and on disk. */
export interface ThreadStore {
  /** The current state. Reading it does not wait for writes. */
  readonly log: LogState;
  create(
    body: Omit<NewThreadBody, "anchor" | "author">,
    located: LocatedAnchor,
    author: ThreadAuthor,
  ): Promise<Thread>;
  /** Adds a message. Returns undefined for an unknown thread. */
  reply(id: string, body: NewMessageBody, author: ThreadAuthor): Promise<Thread | undefined>;
  /** Changes the state, or accepts a finding. Returns undefined for an unknown thread. */
  change(id: string, body: ThreadChangeBody, author: ThreadAuthor): Promise<Thread | undefined>;
  /** Moves every thread to the current position of its anchor. */
  follow(
    find: (thread: Thread, context: AnchorContext | undefined) => Promise<FollowedAnchor>,
  ): Promise<void>;
  /** Applies entries and resolves once they are on disk. */
  write(entries: readonly LogEntry[]): Promise<void>;
  close(): Promise<void>;
}

export interface ThreadStoreOptions {
  readonly dataDirectory: string;
  /** Id of the review. */
  readonly id: string;
  /**
   * Identifies what is under review, for example a plan, repository or pull request. With `takesOver`, the review takes
   * over logs of earlier reviews with the same subject; see `takeOverLogs`.
   */
  readonly subject: string;
  readonly takesOver: boolean;
  /** Called with each thread that has changed, once the change is on disk. */
  readonly onThread: (thread: Thread) => void;
}

/** Opens the threads of a review. Creates a log with the first write, or at once if it takes over other logs. */
export async function openThreadStore(options: ThreadStoreOptions): Promise<ThreadStore> {
  const { dataDirectory, id: review, subject, onThread } = options;
  const path = logPath(dataDirectory, subject, review);
  const header = {
    op: "open" as const,
    id: review,
    process: getProcessMark(),
    at: new Date().toISOString(),
  };
  if (options.takesOver) await takeOverLogs(dataDirectory, subject, header);
  const file = createLogFile(path);
  const entries = options.takesOver ? await readLog(path) : [];
  let log = entries.length === 0 ? emptyState() : replay(entries);
  let isNew = entries.length === 0;
  const write = async (added: readonly LogEntry[]) => {
    const lines = isNew ? [header, ...added] : added;
    isNew = false;
    const { round } = log;
    const changed = new Set(added.flatMap((entry) => applyEntry(log, entry)));
    try {
      await file.append(lines);
    } catch (error) {
      // A change that is not on disk must not be shown, so the state is read from the disk again.
      const onDisk = await readLog(path).catch(() => []);
      isNew = onDisk.length === 0;
      log = replay(onDisk);
      // The first round of a review is not in the log.
      log.round = Math.max(log.round, round);
      throw error;
    }
    for (const id of changed) {
      const thread = log.threads.get(id);
      if (thread) onThread(thread);
    }
  };
  const current = (id: string) => log.threads.get(id);
  return {
    get log() {
      return log;
    },
    async create(body, { anchor, context }, author) {
      const { type, markdown, severity, suggestedCode, idempotencyKey } = body;
      const repeatableId = deriveId("t", idempotencyKey, [anchor, type, markdown, suggestedCode, author]);
      const known = repeatableId && current(repeatableId);
      if (known && isUnsent(known.messages[0])) return known;
      const id = repeatableId && !known ? repeatableId : newId("t");
      const thread: Thread = {
        id,
        anchor,
        type,
        state: "open",
        severity: severity ?? null,
        messages: [
          createMessage({ markdown, ...(suggestedCode === undefined ? {} : { suggestedCode }) }, author),
        ],
        round: log.round,
        outdated: false,
        resolvedBy: null,
        ...(type === "finding" ? { accepted: false } : {}),
      };
      await write([{ op: "thread", thread, ...(context ? { context } : {}) }]);
      return log.threads.get(id) ?? thread;
    },
    async reply(id, body, author) {
      const thread = current(id);
      if (!thread) return undefined;
      const { markdown, suggestedCode, idempotencyKey } = body;
      const repeatableId = deriveId("m", idempotencyKey, [id, markdown, suggestedCode, author]);
      const known = thread.messages.find((each) => each.id === repeatableId);
      if (isUnsent(known)) return thread;
      const messageId = repeatableId && !known ? repeatableId : newId("m");
      await write([{ op: "message", thread: id, message: createMessage(body, author, messageId) }]);
      return current(id);
    },
    async change(id, { state, accepted }, author) {
      const known = current(id);
      if (!known) return undefined;
      const isChanged = state !== undefined && state !== known.state;
      const isAccepted = accepted && known.accepted !== true;
      if (!isChanged && !isAccepted) return known;
      await write([
        {
          op: "change",
          thread: id,
          ...(isChanged ? { state, resolvedBy: state === "resolved" ? author : null } : {}),
          ...(isChanged && author.kind !== "person" ? { changedBy: author } : {}),
          ...(isAccepted ? { accepted } : {}),
        },
      ]);
      return current(id);
    },
    async follow(find) {
      const entries = await Promise.all(
        [...log.threads.values()].map(async (thread): Promise<LogEntry | undefined> => {
          const { anchor, outdated, context } = await find(thread, log.contexts.get(thread.id));
          if (outdated === thread.outdated && isDeepStrictEqual(anchor, thread.anchor)) return undefined;
          return { op: "anchor", thread: thread.id, anchor, outdated, ...(context ? { context } : {}) };
        }),
      );
      const moved = entries.filter((entry) => entry !== undefined);
      if (moved.length > 0) await write(moved);
    },
    write,
    close: () => file.close(),
  };
}

function createMessage(
  { markdown, suggestedCode }: NewMessageBody,
  author: ThreadAuthor,
  id = newId("m"),
): ThreadMessage {
  return {
    id,
    author,
    at: new Date().toISOString(),
    markdown,
    ...(suggestedCode === undefined ? {} : { suggestedCode }),
    sentAt: null,
    deliveredAt: null,
  };
}

/** Returns a new id with a prefix for its kind. */
export function newId(kind: "t" | "m" | "b"): string {
  return `${kind}_${randomBytes(8).toString("hex")}`;
}

function isUnsent(message: ThreadMessage | undefined): boolean {
  return message?.sentAt === null && message.postedAt === undefined;
}

/** Returns the id that repeated requests with the same key and content share; undefined without a key. */
export function deriveId(
  kind: "t" | "m" | "b",
  idempotencyKey: string | undefined,
  content: readonly unknown[],
): string | undefined {
  if (idempotencyKey === undefined) return undefined;
  const hash = createHash("sha256").update(JSON.stringify([idempotencyKey, ...content]));
  return `${kind}_${hash.digest("hex").slice(0, 16)}`;
}

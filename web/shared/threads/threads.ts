import type { Thread, ThreadAuthor, ThreadMessage, ThreadSeverity } from "../../../src/review/api-types.ts";

/** Pure functions on threads: status, delivery, filters, order and counts. */

export type ThreadStatus = "open" | "outdated" | "resolved" | "dismissed";

/** Returns the status to show: `outdated` is an open thread whose lines or quote are gone. */
export function threadStatus({ state, outdated }: Thread): ThreadStatus {
  if (state !== "open") return state;
  return outdated ? "outdated" : "open";
}

/**
 * Returns the threads with `thread` added, or in place of the thread with the same id. Responses and events can arrive
 * in another order than they were sent: a thread with fewer messages is older, because messages are never removed.
 */
export function withThread(threads: readonly Thread[], thread: Thread): readonly Thread[] {
  const at = threads.findIndex(({ id }) => id === thread.id);
  const known = threads[at];
  if (!known) return [...threads, thread];
  return thread.messages.length < known.messages.length ? threads : threads.with(at, thread);
}

/**
 * `unsent`: in no batch. `sent`: in a batch that the agent has not fetched. `delivered`: fetched by the agent or posted
 * at the forge.
 */
export type Delivery = "unsent" | "sent" | "delivered";

export function getDelivery({ sentAt, deliveredAt, postedAt }: ThreadMessage): Delivery {
  if (deliveredAt || postedAt) return "delivered";
  return sentAt ? "sent" : "unsent";
}

/**
 * Returns whether the next batch contains the thread, because it has an unsent message of the person or is an accepted
 * finding that is neither sent nor dismissed.
 */
export function isInNextBatch(thread: Thread): boolean {
  const first = thread.messages[0];
  if (thread.accepted === true && thread.state !== "dismissed" && first && getDelivery(first) === "unsent")
    return true;
  return thread.messages.some((message) => isPersons(message) && getDelivery(message) === "unsent");
}

/** Returns whether a thread that is not dismissed has a message of the person that is not posted at the forge. */
export function isUnposted({ messages, state }: Thread): boolean {
  return (
    state !== "dismissed" && messages.some((message) => isPersons(message) && message.postedAt === undefined)
  );
}

/** The delivery state of the person's messages. */
export interface BatchState {
  /** Threads in the next batch. */
  readonly unsent: number;
  /** Threads that were sent and that the agent has not fetched. */
  readonly waiting: number;
  /** When the person last sent a batch; undefined before the first batch. ISO 8601. */
  readonly lastSentAt: string | undefined;
  /** Threads in which an agent or tool wrote after the last batch. */
  readonly replied: number;
}

export function batchState(threads: readonly Thread[]): BatchState {
  let waiting = 0;
  let unsent = 0;
  let lastSentAt: string | undefined;
  for (const thread of threads) {
    if (isInNextBatch(thread)) unsent++;
    if (thread.messages.some((message) => getDelivery(message) === "sent")) waiting++;
    for (const { sentAt, postedAt } of thread.messages) {
      // Messages of a forge are not sent to the agent.
      if (sentAt && postedAt === undefined && (lastSentAt === undefined || sentAt > lastSentAt))
        lastSentAt = sentAt;
    }
  }
  const last = lastSentAt;
  const replied =
    last === undefined
      ? 0
      : threads.filter(({ messages }) => messages.some((message) => !isPersons(message) && message.at > last))
          .length;
  return { unsent, waiting, lastSentAt, replied };
}

const isPersons = ({ author }: ThreadMessage) => author.kind === "person";

export interface ThreadFilter {
  readonly state: "all" | ThreadStatus;
  /** `all`, or the result of `authorKey`. */
  readonly author: string;
  readonly severity: "all" | ThreadSeverity;
}

export const NO_FILTER: ThreadFilter = { state: "all", author: "all", severity: "all" };

/**
 * Returns the threads that match the filter. The state `open` includes outdated threads. An author matches the threads
 * in which the author wrote any message.
 */
export function filterThreads(threads: readonly Thread[], filter: ThreadFilter): readonly Thread[] {
  const { state, author, severity } = filter;
  return threads.filter((thread) => {
    const status = threadStatus(thread);
    const isOfState = state === "all" || status === state || (state === "open" && status === "outdated");
    const isByAuthor = author === "all" || thread.messages.some((each) => authorKey(each.author) === author);
    return isOfState && isByAuthor && (severity === "all" || thread.severity === severity);
  });
}

/** Returns the name to show for an author; "You" for a person without a name or with a generic one. */
export function authorName({ kind, name }: ThreadAuthor): string {
  if (kind === "person") return name === "" || /^(?:you|person|reviewer)$/i.test(name) ? "You" : name;
  return name === "" ? (kind === "tool" ? "A tool" : "The agent") : name;
}

/** Returns the value by which the filter identifies an author: kind and name; the same value for all persons. */
export function authorKey({ kind, name }: ThreadAuthor): string {
  return kind === "person" ? "person" : `${kind} ${name}`;
}

/** Returns the authors of all messages, the person first, then by name. */
export function authorsIn(threads: readonly Thread[]): readonly ThreadAuthor[] {
  const known = new Map<string, ThreadAuthor>();
  for (const { messages } of threads)
    for (const { author } of messages)
      if (!known.has(authorKey(author))) known.set(authorKey(author), author);
  return [...known.values()].sort(
    (a, b) => Number(b.kind === "person") - Number(a.kind === "person") || a.name.localeCompare(b.name),
  );
}

/** Returns the severities of the threads, the most severe first. */
export function severitiesIn(threads: readonly Thread[]): readonly ThreadSeverity[] {
  const order: readonly ThreadSeverity[] = ["error", "warning", "info"];
  return order.filter((severity) => threads.some((thread) => thread.severity === severity));
}

/** Sorts threads: those on the whole review first, then by file, files before their lines, then by position. */
export function inReviewOrder(
  threads: readonly Thread[],
  orderOf: (path: string) => number = () => 0,
): readonly Thread[] {
  const rank = ({ anchor }: Thread) => ("path" in anchor ? orderOf(anchor.path) : -1);
  const path = ({ anchor }: Thread) => ("path" in anchor ? anchor.path : "");
  return threads.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      compare(path(a), path(b)) ||
      positionIn(a) - positionIn(b) ||
      compare(a.messages[0]?.at ?? "", b.messages[0]?.at ?? ""),
  );
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function positionIn({ anchor }: Thread): number {
  if (anchor.kind === "lines") return anchor.lineStart;
  return anchor.kind === "plan" ? anchor.start : -1;
}

/** Groups the threads on files and lines by path. */
export function byPath(threads: readonly Thread[]): ReadonlyMap<string, readonly Thread[]> {
  const groups = new Map<string, Thread[]>();
  for (const thread of threads) {
    if (!("path" in thread.anchor)) continue;
    const group = groups.get(thread.anchor.path);
    if (group) group.push(thread);
    else groups.set(thread.anchor.path, [thread]);
  }
  return groups;
}

/** Returns the summary of a thread's first message, for lists and announcements. */
export function threadSummary({ messages }: Thread): string {
  return markdownSummary(messages[0]?.markdown ?? "");
}

/**
 * Returns the first line that has a letter or digit, without Markdown markers and cut to 200 characters; empty if there
 * is none.
 */
export function markdownSummary(text: string): string {
  const line = text.split("\n").find((each) => /[\p{L}\p{N}]/u.test(each)) ?? "";
  return line
    .replace(/^(?:\s|>|#+\s|[*-]\s)+/, "")
    .replace(/!?\[([^\]]*)\]\([^()\s]*\)/g, "$1")
    .replace(/(\*\*|__|~~|`)(?=\S)(.+?)(?<=\S)\1/g, "$2")
    .slice(0, 200);
}

/** Describes what changed between two lists of files with fingerprints: "3 files changed since you sent". */
export function filesChangedSince(
  sent: ReadonlyMap<string, string>,
  files: readonly { readonly path: string; readonly fingerprint: string }[],
): string {
  const changed = files.filter(({ path, fingerprint }) => sent.get(path) !== fingerprint).length;
  const now = new Set(files.map(({ path }) => path));
  const removed = [...sent.keys()].filter((path) => !now.has(path)).length;
  const count = changed + removed;
  if (count === 0) return "No file changed since you sent";
  return `${count} ${count === 1 ? "file" : "files"} changed since you sent`;
}

import { createHash } from "node:crypto";
import type { Thread, ThreadMessage } from "../api-types.ts";
import type { ForgeThread } from "../forges/forge.ts";
import type { LogEntry } from "../live/session-log.ts";
import type { ThreadAnchors } from "../live/thread-anchors.ts";
import type { LocatedAnchor, ThreadStore } from "../live/thread-store.ts";
import { deletionsOf } from "./deleted-messages.ts";
import type { RemoteThread } from "./outgoing.ts";
import type { PullStore } from "./pull-store.ts";

/** Returns the page's id for a thread or message of the forge. The id is the same in each run. */
function localId(kind: "t" | "m", remote: string): string {
  return `${kind}_${createHash("sha256").update(remote).digest("hex").slice(0, 16)}`;
}

/**
 * Adds new threads, new replies, edited and deleted texts, and changed states of the forge to the page. Recognizes
 * threads and messages that were posted from the page and does not add them again. Returns the threads of the forge by
 * their ids on the page; `before` is the last result.
 */
export async function mergeThreads(
  remote: readonly ForgeThread[],
  store: ThreadStore,
  pullStore: PullStore,
  anchors: ThreadAnchors,
  before: ReadonlyMap<string, RemoteThread>,
): Promise<ReadonlyMap<string, RemoteThread>> {
  await linkPosted(remote, store, pullStore);
  const known = new Map(
    remote.map((thread) => [pullStore.state.threads[thread.id] ?? localId("t", thread.id), thread]),
  );
  const entries = await Promise.all(
    [...known].map(async ([id, thread]) => {
      const local = store.log.threads.get(id);
      if (!local) return [await openingOf(id, thread, store.log.round, anchors)];
      const moved = local.outdated ? await movedTo(id, thread, anchors) : [];
      return [...moved, ...changesOf(local, thread, before.get(id), pullStore)];
    }),
  );
  const { messages } = pullStore.state;
  const deletions = deletionsOf(store.log.threads.values(), {
    messages: new Set(
      remote.flatMap((thread) => thread.messages.map(({ id }) => messages[id] ?? localId("m", id))),
    ),
    threads: known,
    linked: new Set(Object.values(messages)),
  });
  const all = [...entries.flat(), ...deletions];
  if (all.length > 0) await store.write(all);
  return known;
}

async function openingOf(
  id: string,
  remote: ForgeThread,
  round: number,
  anchors: ThreadAnchors,
): Promise<LogEntry> {
  const located = await locate(remote, anchors);
  const thread: Thread = {
    id,
    anchor: located?.anchor ?? lastAnchor(remote),
    type: "comment",
    state: remote.resolved ? "resolved" : "open",
    severity: null,
    messages: remote.messages.map((message) => toMessage(message)),
    round,
    outdated: located === undefined,
    resolvedBy: remote.resolved ? { kind: "person", name: remote.resolvedBy ?? "" } : null,
  };
  return { op: "thread", thread, ...(located?.context ? { context: located.context } : {}) };
}

/** Returns the position of an outdated thread whose lines the forge finds in the diff. */
async function movedTo(
  id: string,
  remote: ForgeThread,
  anchors: ThreadAnchors,
): Promise<readonly LogEntry[]> {
  const located = await locate(remote, anchors);
  return located ? [{ op: "anchor", thread: id, outdated: false, ...located }] : [];
}

/**
 * Finds an anchor in the diff. Returns undefined if the forge reports it as outdated, or if the diff does not contain
 * its lines or file.
 */
async function locate(
  { anchor, outdated }: ForgeThread,
  anchors: ThreadAnchors,
): Promise<LocatedAnchor | undefined> {
  return outdated ? undefined : anchors.locate(anchor).catch(() => undefined);
}

function lastAnchor({ anchor, code = "" }: ForgeThread): Thread["anchor"] {
  return anchor.kind === "lines" ? { ...anchor, code } : anchor;
}

/** Returns a message of the forge as one that was sent and posted, so that no batch and no review contains it. */
function toMessage({ id, author, at, markdown }: ForgeThread["messages"][number]): ThreadMessage {
  return {
    id: localId("m", id),
    author: { kind: "person", name: author },
    at,
    markdown: markdown === "" ? " " : markdown,
    sentAt: at,
    deliveredAt: null,
    postedAt: at,
  };
}

/** Returns log entries for the changes of a thread at the forge. */
function changesOf(
  local: Thread,
  remote: ForgeThread,
  before: RemoteThread | undefined,
  { state }: PullStore,
): readonly LogEntry[] {
  const texts = new Map(local.messages.map(({ id, markdown }) => [id, markdown]));
  const entries: LogEntry[] = remote.messages
    // A message that was posted from the page can have another text at the forge.
    .filter(({ id }) => !texts.has(state.messages[id] ?? ""))
    .map((message) => toMessage(message))
    .filter(({ id, markdown }) => texts.get(id) !== markdown)
    .map((message) => ({ op: "message", thread: local.id, message }));
  const { resolved, resolvedBy } = remote;
  // A state that the person has changed and not posted is kept.
  const isUnchanged = before !== undefined && before.resolved === resolved;
  if (isUnchanged || resolved === undefined || resolved === (local.state === "resolved")) return entries;
  const isPersons = local.resolvedBy?.kind === "person" && local.resolvedBy.name === "";
  if (before === undefined && isPersons) return entries;
  const by = resolved ? ({ kind: "person", name: resolvedBy ?? "" } as const) : null;
  const change = {
    op: "change",
    thread: local.id,
    state: resolved ? "resolved" : "open",
    resolvedBy: by,
  } as const;
  return [...entries, change];
}

/**
 * Finds the posted items at the forge: a new thread by its position and text, a reply by its text. Stores their ids, so
 * that later runs recognize them too.
 */
async function linkPosted(
  remote: readonly ForgeThread[],
  store: ThreadStore,
  pullStore: PullStore,
): Promise<void> {
  const { unlinked, threads, messages } = pullStore.state;
  if (unlinked.length === 0) return;
  const linkedThreads: Record<string, string> = { ...threads };
  const linkedMessages: Record<string, string> = { ...messages };
  const isKnown = (id: string) => id in linkedMessages || hasMessage(store, localId("m", id));
  const left = unlinked.filter(({ item, messages: [message = ""] }) => {
    if (!("body" in item) || item.kind === "verdict") return false;
    const isSame = (markdown: string) => markdown.trim() === item.body.trim();
    if (item.kind === "reply") {
      const thread = remote.find(({ id }) => id === item.remote);
      const found = thread?.messages.find(({ id, markdown }) => isSame(markdown) && !isKnown(id));
      if (found) linkedMessages[found.id] = message;
      return !found;
    }
    const found = remote.find(
      ({ id, anchor, oldLineEnd, messages: [first] }) =>
        !(id in linkedThreads) &&
        first !== undefined &&
        !isKnown(first.id) &&
        (isSame(first.markdown) || (item.kind === "general" && first.markdown.includes(item.body.trim()))) &&
        hasAnchor({ anchor, oldLineEnd }, item),
    );
    const [first] = found?.messages ?? [];
    if (!found || !first) return true;
    linkedThreads[found.id] = item.thread;
    linkedMessages[first.id] = message;
    return false;
  });
  await pullStore.write({ unlinked: left, threads: linkedThreads, messages: linkedMessages });
}

function hasMessage({ log }: ThreadStore, id: string): boolean {
  for (const { messages } of log.threads.values())
    if (messages.some((message) => message.id === id)) return true;
  return false;
}

function hasAnchor(
  { anchor, oldLineEnd }: Pick<ForgeThread, "anchor" | "oldLineEnd">,
  item: PullStore["state"]["unlinked"][number]["item"],
): boolean {
  if (item.kind === "comment") {
    if (anchor.kind !== "lines" || anchor.path !== item.path) return false;
    if (item.side === "old" && oldLineEnd === item.lineEnd) return true;
    return anchor.side === item.side && anchor.lineEnd === item.lineEnd;
  }
  if (item.kind === "file") return anchor.kind === "file" && anchor.path === item.path;
  return anchor.kind === "review";
}

import { create } from "zustand";
import type {
  LiveAgent,
  LiveState,
  ReviewEntry,
  ReviewList,
  Thread,
  ThreadList,
  ThreadState,
} from "../../../src/review/api-types.ts";
import { explain, getJson, sendJson } from "../api/client.ts";
import { announce, showToast } from "../components/toast.tsx";
import { without, withoutEntry } from "../without.ts";
import { NO_FILTER, type ThreadFilter, threadSummary, withThread } from "./threads.ts";

/** A message of the person that is being written or waits for the next batch. */
export interface MessageDraft {
  readonly text: string;
  readonly isOpen: boolean;
}

interface ThreadsState {
  /** The threads in the order in which they were opened. */
  readonly threads: readonly Thread[];
  /** Undefined in a one-shot review. */
  readonly live: LiveState | undefined;
  /** Other reviews that are open on this machine. */
  readonly reviews: readonly ReviewEntry[];
  readonly filter: ThreadFilter;
  /** The thread on which keys act. */
  readonly activeId: string | undefined;
  /** Resolved and dismissed threads that are shown in full. */
  readonly unfolded: ReadonlySet<string>;
  /** The person's replies by thread id. */
  readonly drafts: ReadonlyMap<string, MessageDraft>;
  /** The general text of the next batch. */
  readonly batchText: string;
  /** Identifies the next batch from the first attempt to send it; undefined before that. */
  readonly batchKey: string | undefined;
  /** The general text of the review of a pull request, until it is posted. */
  readonly reviewText: string;
  readonly sending: boolean;
  /** The content under review when the last batch was sent; undefined before the first. */
  readonly sent: SentState | undefined;
  /** A new round that the person has not dismissed. */
  readonly news: RoundNews | undefined;
}

/** The content under review when a batch was sent, for the summary of the next round. */
export interface SentState {
  readonly round: number;
  /** Path and fingerprint of each file; only in code reviews. */
  readonly files?: readonly (readonly [path: string, fingerprint: string])[];
}

/** Loads a new round. Resolves to a description of the changes, or to undefined if the round cannot be loaded. */
export type ShowRound = () => Promise<string | undefined>;

export interface RoundNews {
  readonly round: number;
  /** A summary of the changes since the last batch, for example "3 files changed since you sent". */
  readonly summary: string;
  /** Whether the page still shows the previous round, because the person is writing. */
  readonly isPending: boolean;
}

export const useThreads = create<ThreadsState>(() => ({
  threads: [],
  live: undefined,
  reviews: [],
  filter: NO_FILTER,
  activeId: undefined,
  unfolded: new Set(),
  drafts: new Map(),
  batchText: "",
  batchKey: undefined,
  reviewText: "",
  sending: false,
  sent: undefined,
  news: undefined,
}));

const { getState: state, setState: set } = useThreads;

/** Returns whether this review is live. */
export const isLive = (): boolean => state().live !== undefined;

/** Returns the number of messages that the person has written in threads and not sent. */
export function countUnsentMessages({ drafts }: Pick<ThreadsState, "drafts">): number {
  return [...drafts.values()].filter(({ text }) => text.trim() !== "").length;
}

const fetchThreads = () => getJson<ThreadList>("/api/threads");

/**
 * For each request without a response: the threads that events have changed since the request began, by id.
 */
const requests = new Set<Map<string, Thread>>();
let requestCount = 0;
/** Number of the last request whose response is shown. */
let shownRequest = 0;

/** Returns whether threads were requested since the page was loaded. */
export const hasRequestedThreads = (): boolean => requestCount > 0;

/**
 * Fetches all threads. Keeps changes from events that arrived before the response. Ignores the response if that of a
 * later request has arrived. After a failure, the threads do not change.
 */
export async function loadThreads(fetchAll = fetchThreads): Promise<void> {
  const request = ++requestCount;
  const changed = new Map<string, Thread>();
  requests.add(changed);
  const result = await fetchAll();
  requests.delete(changed);
  if (!result.ok || !Array.isArray(result.value.threads) || request < shownRequest) return;
  shownRequest = request;
  const { threads } = result.value;
  set({ threads: [...changed.values()].reduce<readonly Thread[]>(withThread, threads) });
}

/** Fetches the state of a live review. Shows the round and the agent's state whose events were missed. */
export async function loadLive(showRound: ShowRound): Promise<void> {
  if (!isLive()) return;
  const result = await getJson<LiveState>("/api/live");
  if (!result.ok) return;
  receiveAgent(result.value.agent);
  receiveRound(result.value.round, showRound);
}

/** Fetches the other reviews that are open on this machine. */
export async function loadReviews(): Promise<void> {
  const result = await getJson<ReviewList>("/api/reviews");
  if (result.ok && Array.isArray(result.value.reviews)) set({ reviews: result.value.reviews });
}

/** Adds or updates a thread from an event. Announces new messages and changes of state that are not the person's. */
export function receiveThread(thread: Thread): void {
  const before = state().threads.find(({ id }) => id === thread.id);
  for (const changed of requests) changed.set(thread.id, thread);
  set(({ threads }) => ({ threads: withThread(threads, thread) }));
  const last = thread.messages.at(-1);
  const isNew = last && before?.messages.at(-1)?.id !== last.id;
  if (isNew && last.author.kind !== "person") {
    const act = before ? "replied" : "added a thread";
    announce(`${last.author.name || "The agent"} ${act}: ${threadSummary({ ...thread, messages: [last] })}`);
  } else if (before && before.state !== thread.state && thread.resolvedBy?.kind !== "person") {
    announce(`Thread ${thread.state === "open" ? "reopened" : thread.state}`);
  }
}

/** Updates the agent of a live review. Announces that the agent has disconnected, or its progress. */
export function receiveAgent(agent: LiveAgent): void {
  const { live } = state();
  if (!live) return;
  set({ live: { ...live, agent } });
  if (agent.state === "gone" && live.agent.state !== "gone") announce("The agent has disconnected");
  else if (agent.progress && agent.progress !== live.agent.progress) announce(agent.progress);
}

/** Resolves, reopens or dismisses a thread. */
export async function changeThreadState(thread: Thread, next: ThreadState): Promise<void> {
  const names = { open: "Thread reopened", resolved: "Thread resolved", dismissed: "Finding dismissed" };
  if (await patchThread(thread, { state: next })) {
    set(({ unfolded }) => ({ unfolded: without(unfolded, thread.id) }));
    announce(names[next]);
  }
}

/**
 * Accepts a finding, which in a live review becomes part of the next batch. Resolves to whether the server has stored
 * this.
 */
export async function acceptFinding(thread: Thread): Promise<boolean> {
  const isDone = await patchThread(thread, { accepted: true });
  if (isDone) announce("Finding accepted");
  return isDone;
}

async function patchThread(thread: Thread, body: object): Promise<boolean> {
  const result = await sendJson<Thread>("PATCH", `/api/threads/${encodeURIComponent(thread.id)}`, body);
  if (result.ok) set(({ threads }) => ({ threads: withThread(threads, result.value) }));
  else showToast(`Thread not changed: ${explain(result)}`, { tone: "danger" });
  return result.ok;
}

/**
 * Handles a new round. Shows it immediately or, if the person is writing, when they leave the field, because
 * an update would move or close the field. A round that cannot be loaded counts as not received.
 */
export function receiveRound(round: number, showRound: ShowRound): void {
  const { live } = state();
  if (!live || round <= live.round) return;
  set({ live: { ...live, round } });
  const show = async () => {
    pending = undefined;
    const summary = await showRound();
    if (summary === undefined) {
      forgetRound(round, live.round);
      return;
    }
    set({ news: { round, summary, isPending: false } });
    announce(`Round ${round}. ${summary}`);
  };
  if (!isWriting()) {
    void show();
    return;
  }
  set({ news: { round, summary: "", isPending: true } });
  announce(`Round ${round} is available. It is shown when you finish writing.`);
  if (!pending) document.addEventListener("focusout", showWhenDone);
  pending = show;
}

/** Returns to the round `before`, so that the next message about `round` loads it again. */
function forgetRound(round: number, before: number): void {
  set(({ live, news }) => ({
    live: live?.round === round ? { ...live, round: before } : live,
    news: news?.isPending && news.round === round ? undefined : news,
  }));
  showToast(`Cannot load round ${round}. The page tries again when it reconnects or when you send.`, {
    tone: "danger",
  });
}

let pending: (() => Promise<void>) | undefined;

/** Shows the pending round now. Typed text is kept in its field. */
export function showPendingRound(): void {
  document.removeEventListener("focusout", showWhenDone);
  void pending?.();
}

/** Waits for the next task, because the focus moves to the next element only after `focusout`. */
function showWhenDone(): void {
  setTimeout(() => {
    if (pending && !isWriting()) showPendingRound();
  });
}

/** Returns whether a field for a comment or reply has the focus. A field in a dialog is not affected by updates. */
function isWriting(): boolean {
  const field = document.activeElement?.closest("textarea, [contenteditable]");
  return field !== null && field !== undefined && !field.closest("dialog");
}

/** Opens the field for a reply. If a reply waits for the next batch, the field contains its text. */
export function writeMessage(id: string): void {
  const text = state().drafts.get(id)?.text ?? "";
  set(({ drafts, unfolded }) => ({
    drafts: new Map(drafts).set(id, { text, isOpen: true }),
    unfolded: new Set(unfolded).add(id),
    activeId: id,
  }));
}

export function changeMessage(id: string, text: string): void {
  set(({ drafts }) => ({ drafts: new Map(drafts).set(id, { text, isOpen: true }) }));
}

/** Closes the field of a reply and keeps its text for the next batch. */
export function closeMessage(id: string): void {
  const draft = state().drafts.get(id);
  if (!draft) return;
  set(({ drafts }) => ({
    drafts:
      draft.text.trim() === ""
        ? withoutEntry(drafts, id)
        : new Map(drafts).set(id, { ...draft, isOpen: false }),
  }));
}

/** Discards a reply, and offers to undo this. */
export function discardMessage(id: string): void {
  const draft = state().drafts.get(id);
  set(({ drafts }) => ({ drafts: withoutEntry(drafts, id) }));
  if (!draft || draft.text.trim() === "") return;
  const restore = () => set(({ drafts }) => ({ drafts: new Map(drafts).set(id, draft) }));
  showToast("Reply discarded", { action: { label: "Undo", run: restore } });
}

/** Removes the draft of a reply that was sent. */
export function forgetMessage(id: string): void {
  set(({ drafts }) => ({ drafts: withoutEntry(drafts, id) }));
}

export function toggleFolded(id: string): void {
  set(({ unfolded }) => ({
    unfolded: unfolded.has(id) ? without(unfolded, id) : new Set(unfolded).add(id),
    activeId: id,
  }));
}

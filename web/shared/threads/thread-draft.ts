import { mergeEntries, mergeText, mergeValue } from "../drafts/merge-entries.ts";
import { type MessageDraft, type SentState, useThreads } from "./thread-store.ts";

/** The person's unsent text in threads and the state of the last batch, as stored in the draft of the page. */
export interface ThreadDraft {
  readonly messages: readonly (readonly [thread: string, draft: MessageDraft])[];
  readonly batchText: string;
  /** `batchKey` and `reviewText` are those of the thread store. */
  readonly batchKey?: string | undefined;
  readonly reviewText?: string | undefined;
  readonly sent?: SentState | undefined;
}

/** Returns the unsent text and the state of the last batch; undefined if there is nothing to store. */
export function threadDraft(): ThreadDraft | undefined {
  const { drafts, batchText, batchKey, reviewText, sent } = useThreads.getState();
  if (drafts.size === 0 && batchText === "" && reviewText === "" && sent === undefined) return undefined;
  return {
    messages: [...drafts],
    batchText,
    ...(batchKey && { batchKey }),
    ...(reviewText && { reviewText }),
    ...(sent && { sent }),
  };
}

/** Restores the unsent text and the state of the last batch. Keeps text that was typed since the page was opened. */
export function restoreThreadDraft(stored: ThreadDraft | undefined): void {
  if (!stored || !Array.isArray(stored.messages)) return;
  useThreads.setState(({ drafts, batchText, batchKey, reviewText, sent }) => ({
    drafts: new Map([...stored.messages, ...drafts]),
    batchText: batchText || (stored.batchText ?? ""),
    batchKey: batchKey ?? stored.batchKey,
    reviewText: reviewText || (stored.reviewText ?? ""),
    sent: sent ?? stored.sent,
  }));
}

/**
 * Merges the unsent text and the state of the last batch that another tab has saved. `base` is the common ancestor.
 * Empty reply fields stay in their tab.
 */
export function mergeThreadDraft(base: ThreadDraft | undefined, theirs: ThreadDraft | undefined): void {
  const isWritten = ([, { text }]: ThreadDraft["messages"][number]) => text.trim() !== "";
  useThreads.setState(({ drafts, batchText, batchKey, reviewText, sent }) => {
    const mine = [...drafts];
    const merged = mergeEntries(
      (base?.messages ?? []).filter(isWritten),
      mine.filter(isWritten),
      (theirs?.messages ?? []).filter(isWritten),
      mergeMessage,
    );
    return {
      drafts: new Map([...mine.filter((entry) => !isWritten(entry)), ...merged]),
      batchText: mergeText(base?.batchText ?? "", batchText, theirs?.batchText ?? ""),
      batchKey: mergeValue(base?.batchKey, batchKey, theirs?.batchKey),
      reviewText: mergeText(base?.reviewText ?? "", reviewText, theirs?.reviewText ?? ""),
      sent: mergeValue(base?.sent, sent, theirs?.sent),
    };
  });
}

/** Merges two tabs' versions of a reply. A reply that one tab has sent or discarded is not added again. */
function mergeMessage(
  base: MessageDraft | undefined,
  mine: MessageDraft | undefined,
  theirs: MessageDraft | undefined,
): MessageDraft | undefined {
  const merged = mergeValue(base, mine, theirs);
  if (!merged || !mine || !theirs) return merged;
  return { ...merged, text: mergeText(base?.text ?? "", mine.text, theirs.text) };
}

/**
 * Calls the listener when the unsent text or the state of the last batch changes. Returns a function that unsubscribes.
 */
export function onThreadDraftChange(listener: () => void): () => void {
  return useThreads.subscribe((state, before) => {
    if (KEPT.some((member) => state[member] !== before[member])) listener();
  });
}

const KEPT = ["drafts", "batchText", "batchKey", "reviewText", "sent"] as const;

import { type MessageDraft, type SentState, useThreads } from "./thread-store.ts";

/** The person's unsent text in threads, as stored in the draft of the page. */
export interface ThreadDraft {
  readonly messages: readonly (readonly [thread: string, draft: MessageDraft])[];
  readonly batchText: string;
  readonly sent?: SentState | undefined;
}

/** Returns the unsent replies; undefined if there is nothing to store. */
export function threadDraft(): ThreadDraft | undefined {
  const { drafts, batchText, sent } = useThreads.getState();
  if (drafts.size === 0 && batchText === "" && sent === undefined) return undefined;
  return { messages: [...drafts], batchText, ...(sent && { sent }) };
}

/** Restores unsent replies. Keeps text that was typed since the page was opened. */
export function restoreThreadDraft(stored: ThreadDraft | undefined): void {
  if (!stored || !Array.isArray(stored.messages)) return;
  useThreads.setState(({ drafts, batchText, sent }) => ({
    drafts: new Map([...stored.messages, ...drafts]),
    batchText: batchText || (stored.batchText ?? ""),
    sent: sent ?? stored.sent,
  }));
}

/** Calls the listener when the person's unsent text changes. Returns a function that unsubscribes. */
export function onThreadDraftChange(listener: () => void): () => void {
  return useThreads.subscribe((state, before) => {
    if (state.drafts !== before.drafts || state.batchText !== before.batchText || state.sent !== before.sent)
      listener();
  });
}

import { flushSync } from "react-dom";
import type { Thread } from "../../../src/review/api-types.ts";
import { announce } from "../components/toast.tsx";
import { changeThreadState, useThreads, writeMessage } from "./thread-store.ts";

/** Returns the commands for the active thread. `canRespond` returns whether replies are possible. */
export const threadKeys = (canRespond: () => boolean) => ({
  respond: () => {
    const thread = activeThread();
    if (!thread) return;
    if (canRespond()) {
      // The field is rendered synchronously, so that the next key is typed into it.
      flushSync(() => writeMessage(thread.id));
      findCard(thread)?.querySelector("textarea")?.focus({ preventScroll: true });
    } else announce("Replies are possible only in a live review or on a pull request");
  },
  resolve: () => {
    const thread = activeThread();
    if (!thread) return;
    const isFinding = thread.type === "finding" && thread.accepted !== true;
    void changeThreadState(thread, thread.state !== "open" ? "open" : isFinding ? "dismissed" : "resolved");
  },
  accept: () => {
    const thread = activeThread();
    if (thread?.type !== "finding" || thread.state !== "open") return;
    // The button runs the page's own action for an accepted finding.
    findCard(thread)?.querySelector<HTMLElement>("[data-accept]")?.click();
  },
});

/** Returns a function that reverts what the thread keys opened. */
export function rememberThreads(): () => void {
  const { drafts, unfolded, activeId } = useThreads.getState();
  return () => useThreads.setState({ drafts, unfolded, activeId });
}

/** Returns the active thread. If there is none, announces how to select one. */
function activeThread(): Thread | undefined {
  const { threads, activeId } = useThreads.getState();
  const thread = threads.find(({ id }) => id === activeId);
  if (!thread) announce("Go to a thread first: N and P move between comments and threads");
  return thread;
}

function findCard({ id }: Thread): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-thread="${CSS.escape(id)}"]`);
}

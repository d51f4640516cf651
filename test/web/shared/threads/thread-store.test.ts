import { beforeEach, describe, expect, it } from "vitest";
import { liveStatus } from "../../../../src/render/live/live-status.ts";
import type { Thread, ThreadList } from "../../../../src/review/api-types.ts";
import type { Result } from "../../../../web/shared/api/client.ts";
import { restoreThreadDraft, threadDraft } from "../../../../web/shared/threads/thread-draft.ts";
import {
  changeMessage,
  closeMessage,
  discardMessage,
  loadThreads,
  receiveAgent,
  receiveThread,
  useThreads,
  writeMessage,
} from "../../../../web/shared/threads/thread-store.ts";
import type { BatchState } from "../../../../web/shared/threads/threads.ts";

const thread: Thread = {
  id: "t_1",
  anchor: { kind: "review" },
  type: "comment",
  state: "open",
  severity: null,
  messages: [
    {
      id: "m_1",
      author: { kind: "agent", name: "codex" },
      at: "2026-01-01T00:00:00Z",
      markdown: "Done.",
      sentAt: null,
      deliveredAt: null,
    },
  ],
  round: 1,
  outdated: false,
  resolvedBy: null,
};

beforeEach(() => useThreads.setState(useThreads.getInitialState(), true));

/** Begins to load the threads. The returned function ends it with a response. */
function beginLoading(): (...threads: readonly Thread[]) => Promise<void> {
  let respond: (result: Result<ThreadList>) => void = () => {};
  const response = new Promise<Result<ThreadList>>((resolve) => {
    respond = resolve;
  });
  const loading = loadThreads(() => response);
  return (...threads) => {
    respond({ ok: true, value: { threads } });
    return loading;
  };
}

describe("loading the threads", () => {
  const second: Thread = { ...thread, id: "t_2" };
  const resolved: Thread = { ...thread, state: "resolved" };

  it("keeps what events have added or changed since the request", async () => {
    const respond = beginLoading();
    receiveThread(resolved);
    receiveThread(second);
    await respond(thread);
    expect(useThreads.getState().threads).toEqual([resolved, second]);
  });

  it("takes the response for what events changed before the request", async () => {
    receiveThread(thread);
    await beginLoading()(resolved);
    expect(useThreads.getState().threads).toEqual([resolved]);
  });

  it("ignores a response that comes after that of a later request", async () => {
    const [first, later] = [beginLoading(), beginLoading()];
    await later(resolved, second);
    await first(thread);
    expect(useThreads.getState().threads).toEqual([resolved, second]);
  });
});

describe("the person's replies", () => {
  it("keep typed text through closing, an update of the thread and a restored draft", () => {
    receiveThread(thread);
    writeMessage("t_1");
    changeMessage("t_1", "Almost, but");
    receiveThread({ ...thread, state: "resolved" });
    expect(useThreads.getState().drafts.get("t_1")).toEqual({ text: "Almost, but", isOpen: true });
    restoreThreadDraft({ messages: [["t_1", { text: "older", isOpen: true }]], batchText: "General" });
    expect(useThreads.getState().drafts.get("t_1")?.text).toBe("Almost, but");
    expect(useThreads.getState().batchText).toBe("General");
    closeMessage("t_1");
    expect(threadDraft()?.messages).toEqual([["t_1", { text: "Almost, but", isOpen: false }]]);
  });

  it("leave nothing behind when they are closed empty or discarded", () => {
    writeMessage("t_1");
    closeMessage("t_1");
    expect(threadDraft()).toBeUndefined();
    writeMessage("t_1");
    changeMessage("t_1", "Never mind");
    discardMessage("t_1");
    expect(threadDraft()).toBeUndefined();
  });

  it("reads a draft of another version without failing", () => {
    restoreThreadDraft({} as never);
    restoreThreadDraft(undefined);
    expect(threadDraft()).toBeUndefined();
  });
});

describe("the status of a live review", () => {
  const batch: BatchState = { unsent: 0, waiting: 0, lastSentAt: undefined, replied: 0 };
  const sent: BatchState = { ...batch, lastSentAt: "2026-01-01T00:00:00Z" };

  it("names the next thing that happens", () => {
    const text = (state: "none" | "waiting" | "working" | "gone", of = batch) =>
      liveStatus({ name: "codex", state }, of).text;
    expect(text("none")).toContain("No agent has connected yet");
    expect(text("waiting")).toBe("codex is waiting for your feedback.");
    expect(text("working", { ...sent, waiting: 2 })).toBe("Sent, waiting for codex.");
    expect(text("working", sent)).toBe("codex is working on your feedback.");
    expect(text("gone", { ...sent, waiting: 1 })).toBe(
      "codex has disconnected. Your feedback is kept for the next one.",
    );
  });

  it("shows the agent's progress and forgets it with the next state", () => {
    useThreads.setState({ live: { round: 1, agent: { name: "codex", state: "working" } } });
    receiveAgent({ name: "codex", state: "working", progress: "Running the tests" });
    const { live } = useThreads.getState();
    expect(live && liveStatus(live.agent, sent).progress).toBe("Running the tests");
    receiveAgent({ name: "codex", state: "waiting" });
    expect(useThreads.getState().live?.agent.progress).toBeUndefined();
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ThreadList } from "../../../../src/review/api-types.ts";
import { receiveEvent } from "../../../../web/shared/threads/receive-event.ts";
import {
  type CommentToSend,
  finishReview,
  sendBatch,
  storeDrafts,
} from "../../../../web/shared/threads/send-batch.ts";
import { restoreThreadDraft, threadDraft } from "../../../../web/shared/threads/thread-draft.ts";
import { changeMessage, useThreads } from "../../../../web/shared/threads/thread-store.ts";
import { PLAN, planServer } from "../../../support/plan-server.ts";

beforeEach(() => useThreads.setState(useThreads.getInitialState(), true));
afterEach(() => void vi.unstubAllGlobals());

/** A page whose requests reach a plan server. The responses to the writes `lost`, counted from 1, do not arrive. */
async function openPage(...lost: readonly number[]) {
  const { app, context } = await planServer();
  let writes = 0;
  vi.stubGlobal("document", { querySelector: () => null, activeElement: null });
  vi.stubGlobal("fetch", async (url: string, { method = "GET", body }: RequestInit = {}) => {
    const headers = { host: "localhost", origin: "http://localhost", "content-type": "application/json" };
    const response = await app.inject({
      method: method as "GET" | "POST",
      url,
      headers,
      ...(body && { payload: String(body) }),
    });
    if (method === "POST" && lost.includes(++writes)) throw new TypeError("Failed to fetch");
    return Response.json(response.json(), { status: response.statusCode });
  });
  const readMessages = async () => {
    const { threads }: ThreadList = await (await fetch("/api/threads")).json();
    return threads.map(({ messages }) => messages.map(({ markdown }) => markdown));
  };
  const goLive = () => context.threads.goLive({ agent: "", firstRound: 1, idle: 3_600, onIdle: () => {} });
  return { readMessages, goLive };
}

let stored: string[] = [];
const comment = (id: string, markdown: string, end = 5): CommentToSend => ({
  id,
  body: { anchor: { kind: "plan", start: 0, end }, type: "comment", markdown },
  asText: `Text of ${markdown}`,
  onStored: () => stored.push(id),
});

describe("storing comments and replies after a lost response", () => {
  beforeEach(() => {
    stored = [];
  });

  it("adds each comment once", async () => {
    const { readMessages } = await openPage(1);
    const comments = [comment("a", "Dig deeper."), comment("b", "Dig deeper.")];
    expect(await storeDrafts(comments)).toContain("Can't reach Sallyport");
    expect(stored).toEqual([]);
    expect(await storeDrafts(comments)).toBeUndefined();
    expect(stored).toEqual(["a", "b"]);
    expect(await readMessages()).toEqual([["Dig deeper."], ["Dig deeper."]]);
  });

  it("adds a reply once", async () => {
    const { readMessages } = await openPage(2);
    await storeDrafts([comment("a", "Dig deeper.")]);
    const [thread] = useThreads.getState().threads;
    changeMessage(thread?.id ?? "", "And wider.");
    expect(await storeDrafts([])).toContain("Can't reach Sallyport");
    expect(await storeDrafts([])).toBeUndefined();
    expect(await readMessages()).toEqual([["Dig deeper.", "And wider."]]);
  });

  it("keeps both texts of a comment that was changed before the next attempt", async () => {
    const { readMessages } = await openPage(1);
    await storeDrafts([comment("a", "Dig deeper.")]);
    await storeDrafts([comment("a", "Dig wider.")]);
    expect(await readMessages()).toEqual([["Dig deeper."], ["Dig wider."]]);
  });

  it("adds a comment once that is sent without its position", async () => {
    const { readMessages } = await openPage(2);
    const beyond = [comment("a", "Dig deeper.", PLAN.length + 9)];
    expect(await storeDrafts(beyond)).toContain("Can't reach Sallyport");
    expect(await storeDrafts(beyond)).toBeUndefined();
    expect(await readMessages()).toEqual([["Text of Dig deeper."]]);
  });
});

const none = async () => [];

describe("the general text of a batch after a lost response", () => {
  /** A page of a live review. The response to its first write does not arrive. */
  async function openLivePage() {
    const { goLive } = await openPage(1);
    const { store } = await goLive();
    const write = (batchText: string) => useThreads.setState({ batchText });
    const readBatches = () => store.log.batches.map(({ event, feedback }) => [event, feedback]);
    return { write, readBatches };
  }

  it("is sent once", async () => {
    const { write, readBatches } = await openLivePage();
    write("Dig deeper.");
    expect((await sendBatch(none, "Dig deeper."))?.error).toContain("Can't reach Sallyport");
    expect(await sendBatch(none, "Dig deeper.")).toEqual({});
    expect(readBatches()).toEqual([["feedback", "Dig deeper."]]);
    expect(await sendBatch(none, "Dig deeper.")).toEqual({});
    expect(readBatches()).toEqual([
      ["feedback", "Dig deeper."],
      ["feedback", "Dig deeper."],
    ]);
  });

  it("is sent once from a page that was reloaded", async () => {
    const { write, readBatches } = await openLivePage();
    write("Dig deeper.");
    await sendBatch(none, "Dig deeper.");
    const stored = structuredClone(threadDraft());
    useThreads.setState(useThreads.getInitialState(), true);
    restoreThreadDraft(stored);
    expect(await sendBatch(none, useThreads.getState().batchText)).toEqual({});
    expect(readBatches()).toEqual([["feedback", "Dig deeper."]]);
  });

  it("is sent again if it was changed, and new comments are sent without it", async () => {
    const { readBatches } = await openLivePage();
    await sendBatch(none, "Dig deeper.");
    expect(await sendBatch(async () => [comment("a", "Here.")], "Dig deeper.")).toEqual({});
    expect(readBatches()).toEqual([
      ["feedback", "Dig deeper."],
      ["feedback", ""],
    ]);
    await sendBatch(none, "Dig wider.");
    expect(readBatches().at(-1)).toEqual(["feedback", "Dig wider."]);
  });

  it.each([
    [true, "approved"],
    [false, "ended"],
  ])("is not repeated by the end of the review (approved: %s)", async (approved, event) => {
    const { readBatches } = await openLivePage();
    await sendBatch(none, "Dig deeper.");
    expect(await finishReview(none, { approved, feedback: "Dig deeper.", round: 1 })).toEqual({});
    expect(readBatches()).toEqual([
      ["feedback", "Dig deeper."],
      [event, ""],
    ]);
  });
});

describe("a page that was disconnected", () => {
  it("shows the round that began in the meantime", async () => {
    const { goLive } = await openPage();
    const live = await goLive();
    useThreads.setState({ live: { round: 1, agent: { name: "codex", state: "waiting" } } });
    await live.nextRound(async () => true);
    const shown = new Promise<void>((resolve) => {
      const showRound = async () => {
        resolve();
        return "1 part changed";
      };
      // The first connection, then the one after the loss.
      for (const sessionId of ["session-1", "session-1"])
        receiveEvent({ event: "hello", sessionId }, showRound);
    });
    await shown;
    expect(useThreads.getState().live).toMatchObject({ round: 2, agent: { state: "none" } });
  });
});

describe("a second press while a batch is being sent", () => {
  it("sends nothing and does not end the review", async () => {
    const { goLive } = await openPage();
    const { store } = await goLive();
    let collected = (_: readonly CommentToSend[]) => {};
    const collect = () =>
      new Promise<readonly CommentToSend[]>((resolve) => {
        collected = resolve;
      });
    const sending = sendBatch(collect, "Dig deeper.");
    expect(await finishReview(none, { approved: true, feedback: "Dig deeper.", round: 1 })).toBeUndefined();
    expect(await sendBatch(none, "Dig deeper.")).toBeUndefined();
    collected([]);
    expect(await sending).toEqual({});
    expect(store.log.batches.map(({ event }) => event)).toEqual(["feedback"]);
  });
});

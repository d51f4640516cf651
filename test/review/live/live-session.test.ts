import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEventHub } from "../../../src/review/events.ts";
import { createLiveSession } from "../../../src/review/live/live-session.ts";
import { openThreadStore } from "../../../src/review/live/thread-store.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

async function startSession(firstRound = 1) {
  const folder = await temporaryFolder();
  const store = await openThreadStore({
    dataDirectory: folder,
    id: "0123456789ab",
    subject: "0".repeat(32),
    takesOver: false,
    onThread: () => {},
  });
  const events = createEventHub("session");
  const live = createLiveSession({ store, events, agent: "", firstRound, idle: 3_600, onIdle: () => {} });
  onTestFinished(async () => {
    live.stop();
    events.close();
    await store.close();
  });
  const wait = (agent: string, isDoubtful = false) => {
    const connection = new AbortController();
    const batch = live.take({ timeout: undefined, signal: connection.signal, agent, isDoubtful });
    return { batch, disconnect: () => connection.abort() };
  };
  return { store, live, wait, folder };
}

describe("live review", () => {
  it("counts a comment on the new content to its round, before the threads are moved", async () => {
    const { store, live } = await startSession();
    const round = await live.nextRound(async (onTaken) => {
      onTaken();
      const located = { anchor: { kind: "review" } } as const;
      const thread = await store.create({ type: "comment", markdown: "new" }, located, {
        kind: "person",
        name: "",
      });
      expect(thread.round).toBe(2);
      return true;
    });
    expect(round).toBe(2);
    expect(await live.nextRound(async () => false)).toBe(2);
    expect(await live.nextRound(async () => true)).toBe(3);
  });

  it("keeps its round after a write has failed", async () => {
    const { store, live, folder } = await startSession(5);
    await writeFile(join(folder, "threads"), "not a folder");
    await expect(live.send("lost")).rejects.toMatchObject({ code: "storage" });
    expect(live.state.round).toBe(5);
    await rm(join(folder, "threads"));
    expect(await live.nextRound(async () => true)).toBe(6);
    expect(store.log.batches).toEqual([]);
  });

  it("serves an agent that reads the result before one that may not, whichever waited first", async () => {
    const { live, wait } = await startSession();
    const abandoned = wait("gemini-cli", true);
    expect(live.state.agent.state).toBe("gone");
    const present = wait("gemini-cli");
    expect(live.state.agent.state).toBe("waiting");
    await live.send("first");
    const first = await present.batch;
    expect(first?.content.feedback).toBe("first");
    await first?.confirm();
    expect(live.state.agent.state).toBe("working");
    expect(live.isDeserted).toBe(false);
    abandoned.disconnect();
    expect(await abandoned.batch).toBeUndefined();
  });

  it("keeps a batch whose only recipient may not read it", async () => {
    const { live, wait } = await startSession();
    const abandoned = wait("gemini-cli", true);
    await live.send("kept");
    (await abandoned.batch)?.release();
    expect(live.state.agent.state).toBe("gone");
    expect(live.isDeserted).toBe(true);
    const next = await wait("gemini-cli").batch;
    expect(next?.content.feedback).toBe("kept");
  });
});

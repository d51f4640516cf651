import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ThreadList } from "../../../../src/review/api-types.ts";
import { type CommentToSend, storeDrafts } from "../../../../web/shared/threads/send-batch.ts";
import { changeMessage, useThreads } from "../../../../web/shared/threads/thread-store.ts";
import { PLAN, planServer } from "../../../support/plan-server.ts";

beforeEach(() => useThreads.setState(useThreads.getInitialState(), true));
afterEach(() => void vi.unstubAllGlobals());

/** A page whose requests reach a plan server. The responses to the writes `lost`, counted from 1, do not arrive. */
async function openPage(...lost: readonly number[]) {
  const { app } = await planServer();
  let writes = 0;
  vi.stubGlobal("document", { querySelector: () => null });
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
  return { readMessages };
}

let stored: string[];
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

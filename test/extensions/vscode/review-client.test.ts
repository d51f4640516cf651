import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { createReviewClient } from "../../../extensions/vscode/src/review-client.ts";
import type { Thread } from "../../../src/review/live-api-types.ts";
import { AGENT_TOKEN, PAGE_TOKEN, PLAN, planServer } from "../../support/plan-server.ts";

async function reviewOnPort() {
  const server = await planServer();
  await server.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.app.server.address() as AddressInfo;
  return { ...server, port, client: createReviewClient(port) };
}

const anchor = { kind: "plan", start: 0, end: 5 } as const;

describe("the extension's client of a review", () => {
  it("writes as the person, and reads what agents wrote", async () => {
    const { app, client } = await reviewOnPort();
    const thread = await client.createThread({ anchor, type: "comment", markdown: "Größe?" });
    expect(thread.messages[0]?.author.kind).toBe("person");
    expect(thread.anchor).toMatchObject({ quote: PLAN.slice(0, 5) });
    await app.inject({
      method: "POST",
      url: `/api/threads/${thread.id}/messages`,
      headers: { host: "localhost", authorization: `Bearer ${AGENT_TOKEN}` },
      payload: { markdown: "Renamed.", author: { kind: "agent", name: "codex" } },
    });
    await client.reply(thread.id, "Thanks.");
    expect(await client.change(thread.id, { state: "resolved" })).toMatchObject({ state: "resolved" });
    const [stored] = await client.threads();
    expect(stored?.messages.map(({ markdown }) => markdown)).toEqual(["Größe?", "Renamed.", "Thanks."]);
  });

  it("follows changes of threads until it is stopped", async () => {
    const { client } = await reviewOnPort();
    const stopping = new AbortController();
    const seen: Thread[] = [];
    const handlers = { onThread: (thread: Thread) => void seen.push(thread), onAgent: () => {} };
    const following = client.follow(handlers, stopping.signal).catch(() => "stopped");
    await expect
      .poll(async () => {
        await client.createThread({ anchor, type: "comment", markdown: "x" });
        return seen.length;
      })
      .toBeGreaterThan(0);
    stopping.abort();
    await following;
  });

  it("finds the URL under which an editor may frame the page", async () => {
    const { client } = await reviewOnPort();
    expect(await client.embeddedPath()).toBe(`/?embed=${PAGE_TOKEN}`);
  });

  it("rejects with the review's own message", async () => {
    const { client } = await reviewOnPort();
    await expect(client.reply("t_none", "x")).rejects.toThrow('This review has no thread "t_none".');
    await expect(client.send()).rejects.toThrow("not live");
  });
});

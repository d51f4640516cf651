import { describe, expect, it } from "vitest";
import type { Thread } from "../../../src/review/api-types.ts";
import { AGENT_TOKEN, PLAN, planServer } from "../../support/plan-server.ts";

const ANCHOR = { kind: "plan", start: 0, end: 5 };
const FINDING = { anchor: ANCHOR, type: "finding", markdown: "found" };
const PAGE = { host: "localhost", origin: "http://localhost" };
const AGENT = { host: "localhost", authorization: `Bearer ${AGENT_TOKEN}` };

async function threadServer() {
  const { app } = await planServer();
  const call = async (method: "POST" | "PATCH", url: string, headers: object, payload: object) => {
    const response = await app.inject({ method, url, headers: { ...headers }, payload });
    return { status: response.statusCode, body: response.json<Thread>() };
  };
  return { app, call };
}

describe("the routes of threads", () => {
  it("recognize the page by its origin and agents by the token, and reject all others", async () => {
    const { call } = await threadServer();
    const page = await call("POST", "/api/threads", PAGE, { ...FINDING, type: "comment" });
    expect(page.body.messages[0]?.author.kind).toBe("person");
    expect(page.body.anchor).toEqual({ ...ANCHOR, quote: PLAN.slice(0, 5) });
    const agent = await call("POST", "/api/threads", AGENT, FINDING);
    expect(agent.body.messages[0]?.author.kind).toBe("agent");
    const strangers = [
      { host: "localhost" },
      { ...AGENT, authorization: "Bearer wrong" },
      { ...PAGE, authorization: AGENT_TOKEN },
    ];
    for (const headers of strangers)
      expect((await call("POST", "/api/threads", headers, FINDING)).status).toBe(401);
  });

  it("let only the person accept, dismiss and decide", async () => {
    const { app, call } = await threadServer();
    const { body } = await call("POST", "/api/threads", AGENT, FINDING);
    const path = `/api/threads/${body.id}`;
    expect((await call("PATCH", path, AGENT, { accepted: true })).status).toBe(403);
    expect((await call("PATCH", path, AGENT, { state: "dismissed" })).status).toBe(403);
    expect((await call("PATCH", path, PAGE, { accepted: true })).body.accepted).toBe(true);
    for (const url of ["/api/approve", "/api/deny", "/api/send", "/api/finish"])
      expect((await call("POST", url, AGENT, {})).status).toBe(403);
    const draft = { generation: 1, content: {} };
    const response = await app.inject({ method: "PUT", url: "/api/draft", headers: AGENT, payload: draft });
    expect(response.statusCode).toBe(403);
  });

  it("name the agent that resolved a thread", async () => {
    const { call } = await threadServer();
    const { body } = await call("POST", "/api/threads", PAGE, { ...FINDING, type: "question" });
    const author = { kind: "agent", name: "codex" };
    const resolved = await call("PATCH", `/api/threads/${body.id}`, AGENT, { state: "resolved", author });
    expect(resolved.body.resolvedBy).toEqual(author);
  });

  it("reject the routes of live reviews in a one-shot review", async () => {
    const { app, call } = await threadServer();
    expect((await app.inject({ url: "/api/live", headers: PAGE })).statusCode).toBe(400);
    expect((await call("POST", "/api/wait", AGENT, { timeout: 0 })).status).toBe(400);
    expect((await call("POST", "/api/send", PAGE, {})).status).toBe(400);
  });
});

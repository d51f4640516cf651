import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createOutboundFetch } from "../../../src/http/outbound-fetch.ts";
import { type AskTarget, askUrl } from "../../../src/review/ask/ask-target.ts";
import { composePrompt, promptText } from "../../../src/review/ask/compose-prompt.ts";
import { codeServer } from "../../support/code-server.ts";
import { startConnectProxy } from "../../support/connect-proxy.ts";
import { AGENT_TOKEN } from "../../support/plan-server.ts";
import { testRepository } from "../../support/test-repository.ts";

interface Received {
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly body: {
    readonly model: string;
    readonly stream: boolean;
    readonly messages: readonly { content: string }[];
  };
}

/** A model API that responds to every question with these bytes, and its requests. */
async function modelApi(status: number, type: string, content: string) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece) => pieces.push(piece));
    request.on("end", () => {
      const { url, headers } = request;
      received.push({
        url,
        authorization: headers.authorization,
        body: JSON.parse(String(Buffer.concat(pieces))),
      });
      response.writeHead(status, { "content-type": type }).end(content);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
const PAGE = { host: "localhost", origin: "http://localhost" };
const anchor = { kind: "lines", path: "a.ts", side: "new", lineStart: 2, lineEnd: 2 };

async function serverWith(ask: Omit<AskTarget, "fetch"> | undefined, environment = {}) {
  const repository = await testRepository({ "a.ts": "one\ntwo\nthree\n", "unrelated.ts": "SECRET\n" });
  await repository.write({ "a.ts": "one\nzwei\nthree\n" });
  const { app } = await codeServer(
    repository,
    ask ? { ask: { ...ask, fetch: createOutboundFetch(environment) } } : {},
  );
  return app;
}

describe("POST /api/ask", () => {
  it("streams the response of the configured model, which receives only what the page shows", async () => {
    const { baseUrl, received } = await modelApi(
      200,
      "text/event-stream",
      `${chunk("It is ")}${chunk("German.")}data: [DONE]\n\n`,
    );
    const app = await serverWith({ baseUrl, model: "small", apiKey: "key-1" });
    const question = { anchor, question: "What is zwei?", earlier: [{ question: "Q1", response: "A1" }] };
    const response = await app.inject({ method: "POST", url: "/api/ask", payload: question, headers: PAGE });
    expect(response.headers["content-type"]).toContain("text/event-stream");
    expect(response.body).toBe(
      'event: delta\ndata: {"text":"It is "}\n\nevent: delta\ndata: {"text":"German."}\n\nevent: done\ndata: {}\n\n',
    );
    expect(received).toMatchObject([
      { url: "/v1/chat/completions", authorization: "Bearer key-1", body: { model: "small", stream: true } },
    ]);
    const [system, ...turns] = received[0]?.body.messages ?? [];
    expect(system?.content).toContain("a.ts, new side, line 2");
    expect(system?.content).toContain("+    2 zwei");
    expect(system?.content).not.toContain("SECRET");
    expect(turns.map(({ content }) => content)).toEqual(["Q1", "A1", "What is zwei?"]);
  });

  it("asks a model elsewhere through the HTTP proxy of the environment", async () => {
    const { baseUrl, received } = await modelApi(
      200,
      "text/event-stream",
      `${chunk("Yes.")}data: [DONE]\n\n`,
    );
    const carrier = await startConnectProxy();
    onTestFinished(carrier.close);
    const away = baseUrl.replace("127.0.0.1", "model.test");
    const environment = { HTTP_PROXY: `http://127.0.0.1:${carrier.port}` };
    const app = await serverWith({ baseUrl: away, model: "small" }, environment);
    const payload = { anchor, question: "Why?" };
    const response = await app.inject({ method: "POST", url: "/api/ask", payload, headers: PAGE });
    expect(response.body).toContain('data: {"text":"Yes."}');
    expect([received.length, carrier.tunnels]).toEqual([
      1,
      [{ target: new URL(away).host, authorization: undefined }],
    ]);
  });

  it.each([
    ["an error of the model", 401, "application/json", '{"error":"bad key"}', "HTTP 401: bad key. Ask again"],
    [
      "the message of an error",
      503,
      "application/json",
      '{"error":{"message":"too busy","code":7}}',
      "HTTP 503: too busy. Ask again",
    ],
    ["an error page", 502, "text/html", "<h1>Bad gateway</h1>", "HTTP 502: <h1>Bad gateway</h1>. Ask again"],
    [
      "an error within the stream",
      200,
      "text/event-stream",
      'data: {"error":{"message":"overloaded"}}\n\n',
      "completions: overloaded. Ask again",
    ],
    [
      "a last event that is too large",
      200,
      "text/event-stream",
      `data: ${"x".repeat(600_000)}\ndata: ${"y".repeat(600_000)}`,
      "completions: An event of the stream is larger than 1048576 characters. Ask again",
    ],
    ["a response in another form", 200, "text/html", "data: <html>\n\n", "not JSON"],
  ])("reports %s as an event", async (_what, status, type, body, expected) => {
    const { baseUrl } = await modelApi(status, type, body);
    const app = await serverWith({ baseUrl, model: "small" });
    const payload = { anchor, question: "?" };
    const response = await app.inject({ method: "POST", url: "/api/ask", payload, headers: PAGE });
    expect(response.body).toMatch(/^event: error\ndata: /);
    expect(response.body).toContain(expected);
  });

  it("is off until a model is configured, and for the person only", async () => {
    const off = await serverWith(undefined);
    const payload = { anchor, question: "?" };
    const refused = await off.inject({ method: "POST", url: "/api/ask", payload, headers: PAGE });
    expect(refused.statusCode).toBe(404);
    expect(refused.json().error).toContain("review.ask");
    const index = await off.inject({ method: "GET", url: "/api/diff/index", headers: PAGE });
    expect(index.json()).not.toHaveProperty("ask");

    const app = await serverWith({ baseUrl: "http://127.0.0.1:9", model: "small" });
    const headers = { host: "localhost", authorization: `Bearer ${AGENT_TOKEN}` };
    const byAgent = await app.inject({ method: "POST", url: "/api/ask", payload, headers });
    expect(byAgent.statusCode).toBe(403);
    const invalid = await app.inject({
      method: "POST",
      url: "/api/ask",
      payload: { question: "?" },
      headers: PAGE,
    });
    expect(invalid.statusCode).toBe(400);
  });
});

describe("GET /api/ask/prompt", () => {
  it("returns the messages that would be sent, and the URL", async () => {
    const app = await serverWith({ baseUrl: "http://127.0.0.1:9/v1/", model: "small" });
    const url = `/api/ask/prompt?anchor=${encodeURIComponent(JSON.stringify(anchor))}&question=Why%3F`;
    const prompt = (await app.inject({ method: "GET", url, headers: PAGE })).json();
    expect(prompt).toMatchObject({ url: "http://127.0.0.1:9/v1/chat/completions", model: "small" });
    expect(prompt.prompt).toContain("+    2 zwei");
    expect(prompt.prompt).toContain("[user]\nWhy?");
    const bad = await app.inject({ method: "GET", url: "/api/ask/prompt?anchor={", headers: PAGE });
    expect(bad.statusCode).toBe(400);
  });
});

describe("the prompt", () => {
  it("cuts a long subject and adds the thread", () => {
    const message = {
      id: "m",
      author: { kind: "agent", name: "codex" },
      at: "",
      markdown: "Done",
      sentAt: null,
      deliveredAt: null,
    } as const;
    const thread = {
      id: "t",
      anchor: { kind: "review" },
      type: "comment",
      state: "open",
      severity: null,
      messages: [message],
      round: 1,
      outdated: false,
      resolvedBy: null,
    } as const;
    const text = promptText(composePrompt({ title: "T", text: "x".repeat(30_000) }, thread, [], "Why?"));
    expect(text.length).toBeLessThan(26_000);
    expect(text).toContain("… (cut)");
    expect(text).toContain("codex: Done");
  });

  it.each([
    ["http://localhost:8045", "http://localhost:8045/v1/chat/completions"],
    ["http://localhost:8045/v1/", "http://localhost:8045/v1/chat/completions"],
    ["https://example.test/api/v1", "https://example.test/api/v1/chat/completions"],
  ])("of a base URL %s goes to %s", (baseUrl, url) => {
    expect(askUrl({ baseUrl })).toBe(url);
  });
});

import { createServer } from "node:http";
import OpenAI from "openai";
import { afterEach, describe, expect, it } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { closeHere, listenHere } from "../../support/mcp-servers.ts";
import { startTestProxy, until } from "../../support/start-proxy.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

type Members = Record<string, unknown>;
type Behavior = (socket: WebSocket, event: Members, count: number) => void;

const response = (id: string, text: string, status = "completed") => ({
  id,
  object: "response",
  created_at: 1,
  status,
  model: "m",
  output: [
    {
      id: "msg_1",
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text, annotations: [] }],
    },
  ],
  usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
});

const complete: Behavior = (socket, _event, count) => {
  const id = `resp_${count}`;
  const events = [
    { type: "response.created", response: { ...response(id, "", "in_progress"), output: [] } },
    {
      type: "response.output_text.delta",
      item_id: "msg_1",
      output_index: 0,
      content_index: 0,
      delta: "Hello",
    },
    { type: "response.completed", response: response(id, "Hello") },
  ];
  for (const [sequence_number, event] of events.entries())
    socket.send(JSON.stringify({ ...event, sequence_number }));
};

/** Starts a vendor that serves responses over WebSockets, and counts requests over HTTP. */
async function startVendor(respond: Behavior, accepts = true) {
  const state = {
    respond,
    events: [] as Members[],
    texts: [] as string[],
    sockets: 0,
    http: 0,
    authorization: [] as unknown[],
    closed: 0,
  };
  const server = createServer((request, reply) => {
    request.resume();
    state.http += 1;
    const event = { type: "response.completed", response: response("resp_http", "Over HTTP") };
    reply.writeHead(200, { "content-type": "text/event-stream" });
    reply.end(`event: response.completed\ndata: ${JSON.stringify(event)}\n\n`);
  });
  const webSockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, socket, head) => {
    if (!accepts) {
      socket.end("HTTP/1.1 426 Upgrade Required\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
      return;
    }
    state.authorization.push(request.headers.authorization);
    webSockets.handleUpgrade(request, socket, head, (client) => {
      state.sockets += 1;
      client.on("close", () => {
        state.closed += 1;
      });
      client.on("message", (data) => {
        const event: Members = JSON.parse(String(data));
        state.events.push(event);
        state.texts.push(String(data));
        state.respond(client, event, state.events.length);
      });
    });
  });
  const url = await listenHere(server);
  closers.push(async () => {
    for (const client of webSockets.clients) client.terminate();
    await closeHere(server);
  });
  return { url, state };
}

async function setUp(respond: Behavior = complete, accepts = true) {
  const vendor = await startVendor(respond, accepts);
  const proxy = await startTestProxy({
    upstreams: {
      main: {
        dialect: "responses",
        base_url: vendor.url,
        api_key: "sk-upstream-0123456789",
        websocket: true,
      },
    },
    models: [{ match: "*", upstream: "main" }],
  });
  closers.push(proxy.close);
  const client = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: "any", maxRetries: 0 });
  const ask = async (members: object = {}) => {
    const stream = await client.responses.create({ model: "m", input: "Hi", ...members, stream: true });
    const texts: string[] = [];
    for await (const event of stream)
      if (event.type === "response.completed")
        texts.push(event.response.output_text ?? JSON.stringify(event.response.output));
    return texts.join("");
  };
  return { vendor, state: vendor.state, proxy, client, ask };
}

describe("responses over WebSockets to upstreams", () => {
  it("use one connection for consecutive calls, and several for concurrent calls", async () => {
    const { ask, state, proxy } = await setUp();
    expect(await ask()).toContain("Hello");
    expect(await ask({ previous_response_id: "resp_1", store: false })).toContain("Hello");
    expect([state.sockets, state.http, state.authorization]).toEqual([
      1,
      0,
      ["Bearer sk-upstream-0123456789"],
    ]);
    expect(state.events).toEqual([
      { type: "response.create", model: "m", input: "Hi" },
      { type: "response.create", model: "m", input: "Hi", previous_response_id: "resp_1", store: false },
    ]);
    const waiting: (() => void)[] = [];
    state.respond = (...given) => {
      waiting.push(() => complete(...given));
      if (waiting.length === 3) for (const send of waiting) send();
    };
    await Promise.all([ask(), ask(), ask()]);
    expect(state.sockets).toBe(3);
    await until(() => proxy.records.length === 5);
    expect(proxy.records[0]).toMatchObject({
      status: 200,
      stream: true,
      usage: { input: { total: 3 }, output: { total: 4 } },
    });
  });

  it("send large integers with all their digits", async () => {
    const { proxy, state } = await setUp();
    const tool = '{"type":"function","name":"f","parameters":{"maximum":18446744073709551615}}';
    await fetch(`${proxy.url}/v1/responses`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: `{"model":"m","input":"Hi","stream":true,"tools":[${tool}]}`,
    }).then((received) => received.text());
    expect(state.texts).toEqual([expect.stringContaining(`"tools":[${tool}]`)]);
  });

  it("serve clients of other dialects, while calls without a stream use HTTP", async () => {
    const { proxy, client, state } = await setUp();
    const chat = await client.chat.completions.create({
      model: "m",
      stream: true,
      messages: [{ role: "user", content: "Hi" }],
    });
    let text = "";
    for await (const { choices } of chat) text += choices[0]?.delta.content ?? "";
    expect(text).toContain("Hello");
    expect([state.sockets, state.http]).toEqual([1, 0]);
    await fetch(`${proxy.url}/v1/responses`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "m", input: "Hi" }),
    }).then((received) => received.text());
    expect(state.http).toBe(1);
  });

  it("fall back to HTTP if the upgrade is refused, and do not try it again soon", async () => {
    const { ask, state } = await setUp(complete, false);
    expect(await ask()).toContain("Over HTTP");
    expect(await ask()).toContain("Over HTTP");
    expect([state.sockets, state.http]).toEqual([0, 2]);
  });

  it("fall back to HTTP if a connection ends before the first event, and replace an ended idle connection", async () => {
    const { ask, state } = await setUp((socket, event, count) => {
      if (count === 2) socket.terminate();
      else complete(socket, event, count);
    });
    expect(await ask()).toContain("Hello");
    // The second call finds the connection closed and uses another one.
    expect(await ask()).toContain("Hello");
    expect([state.sockets, state.http]).toEqual([2, 0]);
    state.respond = (socket) => socket.terminate();
    expect(await ask()).toContain("Over HTTP");
  });

  it("report errors with their status, and end a broken stream with an error", async () => {
    const { ask, state, client } = await setUp((socket) =>
      socket.send(
        JSON.stringify({
          type: "error",
          status: 400,
          error: { code: "bad", message: "No such model", param: null },
        }),
      ),
    );
    await expect(ask()).rejects.toThrow("No such model");
    await expect(ask()).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    expect(state.sockets).toBe(1);
    state.respond = (socket) => {
      socket.send(
        JSON.stringify({ type: "response.created", response: response("resp_9", "", "in_progress") }),
      );
      setTimeout(() => socket.terminate(), 20);
    };
    const stream = await client.responses.create({ model: "m", input: "Hi", stream: true });
    const types: string[] = [];
    const reading = (async () => {
      for await (const { type } of stream) types.push(type);
    })();
    await reading.catch(() => types.push("thrown"));
    expect(types.at(-1)).toMatch(/error|thrown/);
  });

  it("report the headers of an error, which say when to retry", async () => {
    const { ask } = await setUp((socket) =>
      socket.send(
        JSON.stringify({
          type: "error",
          status_code: 429,
          error: { code: "rate_limit_exceeded", message: "Slow down", param: null },
          headers: {
            "Retry-After": 900,
            "x-ratelimit-remaining-requests": "0",
            "content-length": "3",
            "openai-broken": "a\nb",
          },
        }),
      ),
    );
    const error = await ask().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    const { headers } = error as { headers: Headers };
    expect(headers.get("retry-after")).toBe("900");
    expect(headers.get("openai-broken")).toBeNull();
  });

  it("replace a connection that the vendor no longer accepts requests on", async () => {
    const { ask, state } = await setUp((socket, event, count) => {
      const code = "websocket_connection_limit_reached";
      if (count !== 2) complete(socket, event, count);
      else socket.send(JSON.stringify({ type: "error", status: 400, error: { code, message: "An hour" } }));
    });
    expect(await ask()).toContain("Hello");
    expect(await ask()).toContain("Hello");
    expect([state.sockets, state.http]).toEqual([2, 0]);
  });

  it("end the connection when the client disconnects", async () => {
    const { client, state } = await setUp((socket) =>
      socket.send(
        JSON.stringify({ type: "response.created", response: response("resp_9", "", "in_progress") }),
      ),
    );
    const stream = await client.responses.create({ model: "m", input: "Hi", stream: true });
    for await (const { type } of stream) if (type === "response.created") break;
    await until(() => state.closed === 1);
  });
});

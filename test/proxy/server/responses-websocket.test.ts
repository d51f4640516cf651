import { once } from "node:events";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import { events, type FakeUpstream, json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestProxy, type TestProxy, until } from "../../support/start-proxy.ts";

const KEY = "sk-sockets-0123456789abcdef";

type Json = Record<string, unknown> & { readonly response?: Json };

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Returns a response of a responses upstream as an event stream. */
function responseStream(id: string, text: string) {
  const message = { id: `msg_${id}`, type: "message", role: "assistant", status: "completed" };
  const output = [
    { id: `rs_${id}`, type: "reasoning", summary: [] },
    { ...message, content: [{ type: "output_text", text, annotations: [] }] },
  ];
  const response = { id, object: "response", status: "in_progress", output: [], previous_response_id: null };
  return events(
    [
      { type: "response.created", sequence_number: 0, response },
      { type: "response.output_text.delta", sequence_number: 1, delta: text },
      {
        type: "response.completed",
        sequence_number: 2,
        response: { ...response, status: "completed", output },
      },
    ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
  );
}

async function setUp(
  others: object = {},
): Promise<{ proxy: TestProxy; upstream: FakeUpstream; settings: object }> {
  const upstream = await startFakeUpstream();
  closers.push(upstream.close);
  const settings = {
    auth_mode: "strict",
    api_keys: [KEY],
    upstreams: { main: { dialect: "responses", base_url: upstream.url, api_key: "sk-upstream-0123456789" } },
    models: [{ match: "*", upstream: "main" }],
    ...others,
  };
  const proxy = await startTestProxy(settings);
  closers.push(proxy.close);
  return { proxy, upstream, settings };
}

/** Opens a client that collects the events that it receives. */
async function open(proxy: TestProxy, key = KEY) {
  const received: Json[] = [];
  const client = new WebSocket(`${proxy.url.replace("http", "ws")}/v1/responses`, {
    headers: { authorization: `Bearer ${key}`, "user-agent": "sockets/1" },
  });
  closers.push(async () => client.terminate());
  client.on("message", (data) => received.push(JSON.parse(data.toString()) as Json));
  await once(client, "open");
  const create = (members: Json) =>
    client.send(JSON.stringify({ type: "response.create", model: "m", ...members }));
  return { client, received, create };
}

const sentTo = ({ hits }: FakeUpstream) => hits.map(({ body }) => JSON.parse(body.toString()) as Json);

describe("a WebSocket of the responses dialect", () => {
  it("93: sends responses one after another, each with its events in order", async () => {
    const { proxy, upstream } = await setUp();
    upstream.respond = (hit, response) => responseStream(`resp_${upstream.hits.length}`, "Hi")(hit, response);
    const { received, create } = await open(proxy);
    create({ input: "one" });
    create({ input: "two", stream: true });
    await until(() => received.length === 6);
    expect(received.map(({ type }) => type)).toEqual([
      ...["response.created", "response.output_text.delta", "response.completed"],
      ...["response.created", "response.output_text.delta", "response.completed"],
    ]);
    expect(received.map(({ response }) => response?.["id"]).filter(Boolean)).toEqual([
      "resp_1",
      "resp_1",
      "resp_2",
      "resp_2",
    ]);
    const [first] = upstream.hits;
    expect([
      first?.headers["user-agent"],
      first?.headers["upgrade"],
      sentTo(upstream)[0]?.["stream"],
    ]).toEqual(["sockets/1", undefined, true]);
    await until(() => proxy.records.length === 2);
    expect(proxy.records.map(({ route, status, stream }) => [route, status, stream])).toEqual([
      ["/v1/responses", 200, true],
      ["/v1/responses", 200, true],
    ]);
    expect(proxy.internal).toEqual([]);
  });

  it("continues its last unstored response with all items, but without ids and unsigned reasoning", async () => {
    const { proxy, upstream } = await setUp();
    upstream.respond = responseStream("resp_1", "cobalt");
    const { received, create } = await open(proxy);
    create({ store: false, input: "Remember cobalt" });
    await until(() => received.length === 3);
    create({ store: false, previous_response_id: "resp_1", input: "Which?" });
    await until(() => received.length === 6);
    expect(sentTo(upstream)[1]).toEqual({
      model: "m",
      store: false,
      stream: true,
      input: [
        { type: "message", role: "user", content: "Remember cobalt" },
        {
          type: "message",
          role: "assistant",
          content: [{ type: "output_text", text: "cobalt", annotations: [] }],
        },
        { type: "message", role: "user", content: "Which?" },
      ],
    });
    expect(received[5]?.response?.["previous_response_id"]).toBe("resp_1");
  });

  it("forwards previous_response_id for a response that the vendor stores", async () => {
    const { proxy, upstream } = await setUp();
    upstream.respond = responseStream("resp_1", "Hi");
    const { received, create } = await open(proxy);
    create({ input: "one" });
    await until(() => received.length === 3);
    create({ previous_response_id: "resp_1", input: "two" });
    await until(() => received.length === 6);
    expect(sentTo(upstream)[1]).toMatchObject({ previous_response_id: "resp_1", input: "two" });
  });

  it("prepares a conversation without calling the model", async () => {
    const { proxy, upstream } = await setUp();
    upstream.respond = responseStream("resp_1", "Hi");
    const { received, create } = await open(proxy);
    create({ generate: false, instructions: "Be brief", input: "context" });
    await until(() => received.length === 3);
    expect(upstream.hits).toEqual([]);
    const id = received[2]?.response?.["id"];
    expect(received[2]).toMatchObject({
      type: "response.completed",
      response: { status: "completed", output: [] },
    });
    create({ store: false, previous_response_id: id, input: "Go" });
    await until(() => received.length === 6);
    expect(sentTo(upstream)[0]?.["input"]).toMatchObject([{ content: "context" }, { content: "Go" }]);
  });

  it("reports failures as events and stays open", async () => {
    const { proxy, upstream } = await setUp();
    const { client, received, create } = await open(proxy);
    client.send("not json");
    client.send('{"type":"session.update"}');
    create({ background: true, input: "later" });
    upstream.respond = json(
      { error: { message: "Not yet", type: "rate_limit_error", code: "rate_limit_exceeded", param: null } },
      429,
    );
    create({ input: "now" });
    await until(() => received.length === 4);
    expect(received.map(({ status }) => status)).toEqual([400, 400, 400, 429]);
    expect(received[3]).toMatchObject({
      type: "error",
      error: { code: "rate_limit_exceeded", message: expect.stringContaining("Not yet") },
    });
    upstream.respond = (_hit, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(
        'event: response.created\ndata: {"type":"response.created","response":{"id":"resp_1"}}\n\n',
      );
      setImmediate(() => response.destroy());
    };
    create({ input: "cut" });
    await until(() => received.some(({ type }, index) => index > 4 && type === "error"));
    expect(client.readyState).toBe(client.OPEN);
    expect(proxy.internal).toEqual([]);
  });

  it("rejects an event with too many values before parsing it", async () => {
    const { proxy, upstream } = await setUp();
    const { client, received } = await open(proxy);
    const input = `[${"{},".repeat(130_000)}{}]`;
    const parse = vi.spyOn(JSON, "parse");
    onTestFinished(() => parse.mockRestore());
    client.send(`{"type":"response.create","model":"m","input":${input}}`);
    await until(() => received.length === 1);
    expect(received[0]).toMatchObject({ type: "error", status: 413, error: { code: "too_large" } });
    expect(parse.mock.calls.filter(([text]) => text.length >= input.length)).toEqual([]);
    expect(upstream.hits).toEqual([]);
  });

  it("cancels the upstream's response when the client disconnects", async () => {
    const { proxy, upstream } = await setUp();
    upstream.respond = (_hit, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(
        'event: response.created\ndata: {"type":"response.created","response":{"id":"resp_1"}}\n\n',
      );
    };
    const { client, received, create } = await open(proxy);
    create({ input: "endless" });
    await until(() => received.length === 1);
    client.terminate();
    await upstream.hits[0]?.closed;
    await until(() => proxy.records.length === 1);
    expect(proxy.records[0]?.errorCode).toBe("client_gone");
  });

  it("is closed if messages that wait exceed the memory for request bodies", async () => {
    const { proxy, upstream } = await setUp({ limits: { in_flight: 10_000, body: 8_000 } });
    upstream.respond = () => {};
    const { client, create } = await open(proxy);
    create({ input: "endless" });
    await until(() => upstream.hits.length === 1);
    create({ input: "x".repeat(6_000) });
    create({ input: "x".repeat(6_000) });
    const [code] = await once(client, "close");
    expect(code).toBe(1013);
    // The memory is free again.
    const other = await open(proxy);
    upstream.respond = responseStream("resp_1", "Hi");
    other.create({ input: "x".repeat(6_000) });
    await until(() => other.received.at(-1)?.["type"] === "response.completed");
  });

  it("accepts messages up to the limit of the current configuration", async () => {
    const { proxy, upstream, settings } = await setUp({ limits: { body: 2_000 } });
    upstream.respond = responseStream("resp_1", "Hi");
    const small = await open(proxy);
    small.create({ input: "x".repeat(3_000) });
    expect((await once(small.client, "close"))[0]).toBe(1009);
    proxy.reload({ ...settings, limits: { body: 10_000 } });
    const large = await open(proxy);
    large.create({ input: "x".repeat(3_000) });
    await until(() => large.received.at(-1)?.["type"] === "response.completed");
  });

  it("needs a key if requests over HTTP need one", async () => {
    const { proxy } = await setUp();
    await expect(open(proxy, "sk-wrong-0123456789abcdef")).rejects.toThrow("401");
  });

  it("is closed with the code for a restart when the proxy stops, after its running response", async () => {
    const { proxy, upstream } = await setUp();
    const idle = await open(proxy);
    const busy = await open(proxy);
    let finish = () => {};
    upstream.respond = (hit, response) => {
      finish = () => responseStream("resp_1", "Hi")(hit, response);
    };
    busy.create({ input: "last words" });
    await until(() => upstream.hits.length === 1);
    const drained = proxy.server.drain();
    const [code] = await once(idle.client, "close");
    finish();
    const [later] = await once(busy.client, "close");
    expect([code, later, busy.received.at(-1)?.["type"]]).toEqual([1012, 1012, "response.completed"]);
    await drained;
  });

  it("creates no response for an event that waits when the proxy stops", async () => {
    const { proxy, upstream } = await setUp();
    const { client, create, received } = await open(proxy);
    let finish = () => {};
    upstream.respond = (hit, response) => {
      finish = () => responseStream("resp_1", "Hi")(hit, response);
    };
    create({ input: "first" });
    await until(() => upstream.hits.length === 1);
    create({ input: "second" });
    // A pong after the event shows that the proxy has received it.
    client.ping();
    await once(client, "pong");
    const drained = proxy.server.drain();
    finish();
    const [code] = await once(client, "close");
    await drained;
    expect([code, received.at(-1)?.["type"]]).toEqual([1012, "response.completed"]);
    expect(upstream.hits).toHaveLength(1);
    expect(proxy.records).toHaveLength(1);
  });
});

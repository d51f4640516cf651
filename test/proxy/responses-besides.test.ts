import OpenAI from "openai";
import { afterEach, describe, expect, it } from "vitest";
import { type FakeUpstream, json, startFakeUpstream } from "../support/fake-upstream.ts";
import { startTestProxy, type TestProxy, until } from "../support/start-proxy.ts";
import { type ClientDialect, WHOLE } from "../support/vendor-responses.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** OpenAI's client with a proxy in front of one upstream of this dialect. */
async function setUp(dialect: ClientDialect, stored: unknown) {
  const upstream: FakeUpstream = await startFakeUpstream(json(stored));
  closers.push(upstream.close);
  const proxy: TestProxy = await startTestProxy({
    upstreams: { main: { dialect, base_url: upstream.url, api_key: "sk-upstream-0123456789" } },
    models: [{ match: "*", upstream: "main" }],
  });
  closers.push(proxy.close);
  const client = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: "any", maxRetries: 0 });
  const asked = () => upstream.hits.map(({ method, url }) => `${method} ${url}`);
  return { client, proxy, upstream, asked };
}

const question = { model: "m", input: "How many words are these?" };

describe("other requests of responses clients", () => {
  it("are relayed unchanged to an upstream of their dialect", async () => {
    const usage = { input_tokens: 900, output_tokens: 40, total_tokens: 940 };
    const compacted = {
      id: "resp_1",
      object: "response.compaction",
      output: [{ type: "compaction" }],
      usage,
    };
    const { client, proxy, upstream, asked } = await setUp("responses", compacted);
    expect(await client.responses.compact({ model: "m", input: "long" })).toMatchObject(compacted);
    await until(() => proxy.records.length === 1);
    expect(proxy.records[0]).toMatchObject({
      status: 200,
      usage: { input: { total: 900 }, output: { total: 40 } },
    });
    upstream.respond = json({ object: "response.input_tokens", input_tokens: 11 });
    expect((await client.responses.inputTokens.count(question)).input_tokens).toBe(11);
    upstream.respond = json({ object: "list", data: [{ id: "msg_1" }], has_more: false });
    expect((await client.responses.inputItems.list("resp_1", { limit: 5 })).data).toEqual([{ id: "msg_1" }]);
    upstream.respond = json({ id: "resp_1", status: "cancelled" });
    expect((await client.responses.cancel("resp_1")).status).toBe("cancelled");
    expect(asked()).toEqual([
      "POST /v1/responses/compact",
      "POST /v1/responses/input_tokens",
      "GET /v1/responses/resp_1/input_items?limit=5",
      "POST /v1/responses/resp_1/cancel",
    ]);
  });

  it("may have a response without a body: to HEAD, and to a deletion", async () => {
    const { proxy, upstream, asked } = await setUp("responses", {});
    const url = `${proxy.url}/v1/responses/resp_1`;
    upstream.respond = ({ method }, response) => {
      if (method === "HEAD")
        response.writeHead(200, { "content-type": "application/json", "content-length": 70 });
      else response.writeHead(204);
      response.end();
    };
    const head = await fetch(url, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, "70"]);
    const deleted = await fetch(url, { method: "DELETE" });
    expect([deleted.status, deleted.headers.get("content-length"), await deleted.text()]).toEqual([
      204,
      null,
      "",
    ]);
    upstream.respond = json({ error: { message: "none" } }, 404);
    expect((await fetch(url, { method: "HEAD" })).status).toBe(404);
    expect(asked().map((line) => line.split(" ")[0])).toEqual(["HEAD", "DELETE", "HEAD"]);
    upstream.respond = (_hit, response) => response.writeHead(204).end();
    await expect(
      fetch(`${proxy.url}/v1/responses`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(question),
      }),
    ).resolves.toHaveProperty("status", 502);
  });

  it("return only the headers of a stored response for HEAD", async () => {
    const { client, proxy } = await setUp("messages", JSON.parse(WHOLE.messages));
    const { id } = await client.responses.create(question);
    const url = `${proxy.url}/v1/responses/${id}`;
    const whole = await fetch(url);
    const head = await fetch(url, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([
      200,
      String(Buffer.byteLength(await whole.text())),
      "",
    ]);
    const events = await fetch(`${url}?stream=true`, { method: "HEAD" });
    expect([events.status, events.headers.get("content-type")]).toEqual([
      200,
      "text/event-stream; charset=utf-8",
    ]);
    expect((await fetch(`${proxy.url}/v1/responses/resp_none`, { method: "HEAD" })).status).toBe(404);
  });

  it("are counted by an upstream of another dialect, or estimated if it cannot count", async () => {
    const { client, asked, upstream } = await setUp("messages", { input_tokens: 12 });
    const properties = { a: { type: "string" } };
    const schema = { type: "object", properties, required: ["a"], additionalProperties: false };
    const text = { format: { type: "json_schema" as const, name: "n", schema, strict: true } };
    expect(await client.responses.inputTokens.count({ ...question, text })).toMatchObject({
      object: "response.input_tokens",
      input_tokens: 12,
    });
    expect(asked()).toEqual(["POST /v1/messages/count_tokens"]);
    expect(JSON.parse(String(upstream.hits[0]?.body))).toMatchObject({
      output_config: { format: { type: "json_schema", schema } },
    });
    const other = await setUp("chat-completions", {});
    const { data, response } = await other.client.responses.inputTokens.count(question).withResponse();
    expect(response.headers.get("x-sallyport-estimated")).toBe("true");
    expect(data.input_tokens).toBeGreaterThan(4);
    expect(data.input_tokens).toBeLessThan(20);
    expect(other.asked()).toEqual([]);
  });

  it("are rejected with a reason if the upstream has no such route", async () => {
    const { client, proxy } = await setUp("messages", JSON.parse(WHOLE.messages));
    const { id } = await client.responses.create(question);
    await expect(client.responses.inputItems.list(id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await expect(client.responses.cancel(id)).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    expect((await client.responses.retrieve(id)).id).toBe(id);
    expect(proxy.internal).toEqual([]);
  });

  it("is compacted by the model's own summary where the vendor cannot compact", async () => {
    const { client, proxy, upstream, asked } = await setUp("messages", JSON.parse(WHOLE.messages));
    const input = [
      { role: "user" as const, content: "The launch is on Tuesday" },
      { type: "function_call" as const, call_id: "call_1", name: "notify", arguments: '{"who":"support"}' },
      { type: "function_call_output" as const, call_id: "call_1", output: "notified" },
    ];
    const compacted = await client.responses.compact({ model: "m", input });
    expect(compacted).toMatchObject({ object: "response.compaction" });
    const [item] = compacted.output;
    expect(item).toMatchObject({ type: "compaction", created_by: "sallyport" });
    const sent = upstream.hits[0]?.body.toString();
    for (const part of ["The launch is on Tuesday", "notify", "notified"]) expect(sent).toContain(part);
    // The summary replaces the conversation in the next call.
    const next = [item, { role: "user" as const, content: "When?" }] as OpenAI.Responses.ResponseInput;
    await client.responses.create({ model: "m", input: next });
    expect(upstream.hits[1]?.body.toString()).toContain("replaced by this summary");
    expect(asked()).toEqual(["POST /v1/messages", "POST /v1/messages"]);
    await until(() => proxy.records.length === 3);
    const used = proxy.records.filter(({ usage }) => usage !== undefined);
    expect(used.length).toBe(2);
    await expect(client.responses.compact({ input } as never)).rejects.toThrow(/'model'/);
    expect(proxy.internal).toEqual([]);
  });

  it("keeps the summary of one vendor for an upstream that receives the client's bytes", async () => {
    const first = await setUp("messages", JSON.parse(WHOLE.messages));
    const { output } = await first.client.responses.compact({
      model: "m",
      input: "The launch is on Tuesday",
    });
    const { client, upstream } = await setUp("responses", JSON.parse(WHOLE.responses));
    await client.responses.create({ model: "m", input: output as OpenAI.Responses.ResponseInput });
    const sent = JSON.parse(String(upstream.hits[0]?.body)) as { readonly input: readonly unknown[] };
    expect(sent.input).toMatchObject([{ type: "message", role: "user" }]);
    expect(JSON.stringify(sent)).toContain("replaced by this summary");
  });

  it("is created in the background, polled, continued and cancelled", async () => {
    const { client, proxy, upstream } = await setUp("messages", JSON.parse(WHOLE.messages));
    const queued = await client.responses.create({ ...question, background: true });
    expect(queued).toMatchObject({ status: "queued", background: true, output: [] });
    await expect.poll(async () => (await client.responses.retrieve(queued.id)).status).toBe("completed");
    const polled = await client.responses.retrieve(queued.id);
    expect(polled).toMatchObject({ id: queued.id, background: true });
    expect(polled.output_text).not.toBe("");
    const next = await client.responses.create({ ...question, previous_response_id: queued.id });
    expect(next.previous_response_id).toBe(queued.id);
    let isAborted = false;
    upstream.respond = (_hit, response) => {
      response.once("close", () => {
        isAborted = true;
      });
    };
    const endless = await client.responses.create({ ...question, background: true });
    await until(() => upstream.hits.length === 3);
    expect((await client.responses.cancel(endless.id)).status).toBe("cancelled");
    await until(() => isAborted);
    expect((await client.responses.retrieve(endless.id)).status).toBe("cancelled");
    expect((await client.responses.cancel(queued.id)).status).toBe("completed");
    for (const refused of [
      { ...question, background: true, stream: true as const },
      { ...question, background: true, store: false },
    ])
      await expect(client.responses.create(refused)).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    expect(proxy.internal).toEqual([]);
  });

  it("fails in the background with the upstream's words", async () => {
    const { client, upstream } = await setUp("messages", {});
    upstream.respond = json({ type: "error", error: { type: "invalid_request_error", message: "No" } }, 400);
    const { id } = await client.responses.create({ ...question, background: true });
    await expect.poll(async () => (await client.responses.retrieve(id)).status).toBe("failed");
    const polled = await client.responses.retrieve(id);
    expect(polled.error?.message).toContain("No");
  });

  it("compact a conversation, as Codex requests it: at upstreams of their dialect, or by a summary", async () => {
    const input = [{ role: "user", content: "A long story" }, { type: "compaction_trigger" }];
    const ask = ({ proxy }: Awaited<ReturnType<typeof setUp>>, members: object = {}) =>
      fetch(`${proxy.url}/v1/responses`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: "m", input, ...members }),
      });
    const response = {
      id: "resp_1",
      object: "response",
      output: [{ type: "compaction", encrypted_content: "x" }],
    };
    expect(await (await ask(await setUp("responses", response))).json()).toEqual(response);
    const other = await setUp("messages", JSON.parse(WHOLE.messages));
    const whole = await ask(other);
    expect([whole.status, whole.headers.get("x-sallyport-compaction")]).toEqual([200, "summary"]);
    const compacted = (await whole.json()) as {
      readonly output: readonly unknown[];
      readonly usage: { readonly output_tokens: number };
    };
    expect(compacted).toMatchObject({
      object: "response",
      status: "completed",
      output: [{ type: "compaction", created_by: "sallyport" }],
    });
    expect(compacted.usage.output_tokens).toBeGreaterThan(0);
    const stream = await (await ask(other, { stream: true })).text();
    expect([...stream.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.output_item.done",
      "response.completed",
    ]);
    const [item] = compacted.output;
    await ask(other, { input: [item, { role: "user", content: "Go on" }] });
    const { body } = other.upstream.hits.at(-1) ?? { body: "" };
    expect(body.toString()).toContain("déjà");
    expect(other.asked().length).toBe(3);
    other.upstream.respond = json({ type: "error", error: { type: "api_error", message: "No" } }, 500);
    expect((await ask(other, { stream: true })).status).toBe(500);
    expect(other.proxy.internal).toEqual([]);
  });

  it("do not compact at another dialect if the first upstream is overloaded, because its error can be retried", async () => {
    const upstream = await startFakeUpstream(json({ error: { message: "No room" } }, 503));
    closers.push(upstream.close);
    const settings = { base_url: upstream.url, api_key: "sk-upstream-0123456789" };
    const proxy = await startTestProxy({
      upstreams: {
        first: { ...settings, dialect: "responses" },
        second: { ...settings, dialect: "messages" },
      },
      models: [{ match: "*", upstream: ["first", "second"] }],
    });
    closers.push(proxy.close);
    for (const [path, input] of [
      ["/v1/responses/compact", "long"],
      ["/v1/responses", [{ type: "compaction_trigger" }]],
    ]) {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ model: "m", input });
      const refused = await fetch(`${proxy.url}${path}`, { method: "POST", headers, body });
      expect(refused.status).toBe(503);
    }
    expect(upstream.hits.map(({ url }) => url)).toEqual(["/v1/responses/compact", "/v1/responses"]);
  });
});

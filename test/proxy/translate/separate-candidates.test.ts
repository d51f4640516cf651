import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FakeUpstream, json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestProxy, type TestProxy, until } from "../../support/start-proxy.ts";
import { type Json, messagesResponse, messagesStream, sse } from "./harness.ts";

let upstream: FakeUpstream;
let proxy: TestProxy;

beforeAll(async () => {
  upstream = await startFakeUpstream();
  const base_url = upstream.url;
  proxy = await startTestProxy({
    upstreams: {
      messages: { dialect: "messages", base_url },
      responses: { dialect: "responses", base_url },
      // An upstream of chat completions that rejects `n`.
      single: {
        dialect: "chat-completions",
        base_url,
        capabilities: { "*": { rejectedMembers: ["n"] } },
      },
    },
    models: [{ match: "two-upstreams", upstream: ["messages", "responses"], model: "m" }],
  });
});
beforeEach(() => {
  upstream.hits.length = 0;
});
afterAll(async () => {
  await proxy.close();
  await upstream.close();
  expect(proxy.internal).toEqual([]);
});

const hi = { role: "user", content: "Hi" };
const ask = (body: Json, path = "/v1/chat/completions") =>
  fetch(`${proxy.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const spoken = (text: string, more: Json = {}) =>
  messagesResponse([{ type: "text", text }], "end_turn", {
    usage: { input_tokens: 5, cache_read_input_tokens: 2, output_tokens: 3 },
    ...more,
  });
const streamed = (text: string) =>
  messagesStream([
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    { type: "content_block_stop", index: 0 },
  ]);
const eventData = (text: string) =>
  [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = ""]) => JSON.parse(data) as Json);
const bodies = () => upstream.hits.map(({ body }) => JSON.parse(body.toString()) as Json);

describe("several candidates from an upstream that returns one per call", () => {
  it("are requested by a call each, and their usage is added up", async () => {
    let calls = 0;
    upstream.respond = (hit, response) => json(spoken(`answer ${++calls}`))(hit, response);
    const response = await ask({ model: "messages/m", messages: [hi], n: 3 });
    const received = (await response.json()) as Json;
    expect(response.headers.get("x-sallyport-losses")).toBeNull();
    const choices = received["choices"] as { index: number; message: Json; finish_reason: string }[];
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(choices.map(({ message }) => message["content"]).sort()).toEqual([
      "answer 1",
      "answer 2",
      "answer 3",
    ]);
    expect(received["usage"]).toMatchObject({
      prompt_tokens: 21,
      completion_tokens: 9,
      prompt_tokens_details: { cached_tokens: 6 },
    });
    expect(bodies()).toHaveLength(3);
    await until(() => proxy.records.at(-1)?.usage?.output.total === 9);
    expect(proxy.records.at(-1)?.usage?.input.total).toBe(21);
  });

  it("reach a client of generative language", async () => {
    upstream.respond = json(spoken("hello"));
    const response = await ask(
      { contents: [{ role: "user", parts: [{ text: "Hi" }] }], generationConfig: { candidateCount: 2 } },
      "/v1beta/models/messages%2Fm:generateContent",
    );
    expect(await response.json()).toMatchObject({
      candidates: [
        { index: 0, content: { parts: [{ text: "hello" }] }, finishReason: "STOP" },
        { index: 1, content: { parts: [{ text: "hello" }] }, finishReason: "STOP" },
      ],
      usageMetadata: { promptTokenCount: 14, candidatesTokenCount: 6 },
    });
  });

  it("are streamed as their events arrive, with one end and the usage of all", async () => {
    const finishFirst: (() => void)[] = [];
    upstream.respond = (_hit, response) => {
      const isFirst = upstream.hits.length === 1;
      response.writeHead(200, { "content-type": "text/event-stream" });
      const text = streamed(isFirst ? "slow" : "fast");
      if (!isFirst) return response.end(text);
      const half = text.indexOf("event: content_block_delta");
      response.write(text.slice(0, half));
      finishFirst.push(() => response.end(text.slice(half)));
      return undefined;
    };
    const response = await ask({
      model: "messages/m",
      messages: [hi],
      n: 2,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes("fast") && text.includes('"stop"')) finishFirst.pop()?.();
    }
    const chunks = eventData(text);
    const choices = chunks.flatMap(
      (chunk) => chunk["choices"] as { index: number; delta: Json; finish_reason: string | null }[],
    );
    const textOf = (which: number) =>
      choices
        .filter(({ index }) => index === which)
        .map(({ delta }) => delta["content"] ?? "")
        .join("");
    expect([textOf(0), textOf(1)].sort()).toEqual(["fast", "slow"]);
    expect(choices.filter(({ finish_reason }) => finish_reason !== null)).toHaveLength(2);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 6, completion_tokens: 4 } });
    expect(text.match(/data: \[DONE\]/g)).toHaveLength(1);
  });

  it("are each returned from a responses upstream that streams although no stream was requested", async () => {
    const item = {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "ok", annotations: [] }],
    };
    const completed = {
      id: "resp_1",
      object: "response",
      status: "completed",
      output: [item],
      usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
    };
    upstream.respond = (_hit, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(
        sse("responses", [
          { type: "response.created", response: { ...completed, status: "in_progress", output: [] } },
          { type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } },
          { type: "response.output_item.done", output_index: 0, item },
          { type: "response.completed", response: completed },
        ]),
      );
    };
    const received = (await (await ask({ model: "responses/m", messages: [hi], n: 2 })).json()) as Json;
    expect(received["choices"]).toMatchObject([
      { message: { content: "ok" } },
      { message: { content: "ok" } },
    ]);
    expect(received["usage"]).toMatchObject({ total_tokens: 10 });
  });

  it("have different seeds if the upstream supports seeds", async () => {
    upstream.respond = json({
      id: "x",
      choices: [{ index: 0, message: { content: "a" }, finish_reason: "stop" }],
    });
    const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
    await ask(
      { contents, generationConfig: { candidateCount: 3, seed: 7 } },
      "/v1beta/models/single%2Fm:generateContent",
    );
    expect(
      bodies()
        .map(({ seed }) => seed)
        .sort(),
    ).toEqual([7, 8, 9]);
    expect(bodies().every((body) => !("n" in body))).toBe(true);
  });

  it("each keep their signed thinking for the next turn", async () => {
    let calls = 0;
    upstream.respond = (hit, response) => {
      calls += 1;
      const blocks = [
        { type: "thinking", thinking: `Hmm ${calls}`, signature: `c2ln${calls}` },
        { type: "tool_use", id: `toolu_${calls}`, name: "f", input: {} },
      ];
      return json(messagesResponse(blocks, "tool_use"))(hit, response);
    };
    const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
    const first = { model: "messages/m", messages: [hi], tools, reasoning_effort: "low" };
    const { choices } = (await (await ask({ ...first, n: 2 })).json()) as {
      choices: { message: { tool_calls: { id: string; type: string; function: Json }[] } }[];
    };
    for (const { message } of choices) {
      const [call] = message.tool_calls;
      const assistantTurns = [
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: call?.id, content: "1" },
      ];
      await ask({ ...first, messages: [hi, ...assistantTurns] });
      const number = call?.id.replace(/\D/g, "");
      expect(bodies().at(-1)?.["messages"]).toMatchObject([
        {},
        { content: [{ type: "thinking", signature: `c2ln${number}` }, { type: "tool_use" }] },
        {},
      ]);
    }
  });

  it("are at most eight; more are a loss", async () => {
    upstream.respond = json(spoken("a"));
    const response = await ask({ model: "messages/m", messages: [hi], n: 128 });
    const received = (await response.json()) as Json;
    expect(received["choices"]).toHaveLength(8);
    expect(upstream.hits).toHaveLength(8);
    expect(response.headers.get("x-sallyport-losses")).toBe("candidates");
  });

  it("are an error if one call fails, and the other calls are canceled", async () => {
    upstream.respond = (hit, response) => {
      if (upstream.hits.length === 1)
        return json({ type: "error", error: { type: "invalid_request_error", message: "No." } }, 400)(
          hit,
          response,
        );
      // The other response never ends.
      response.writeHead(200, { "content-type": "application/json" });
      return response.write("{");
    };
    const response = await ask({ model: "messages/m", messages: [hi], n: 2 });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("No.")]);
    await until(() => upstream.open() === 0);
  });

  it("end a stream with an error if one of the streams breaks", async () => {
    upstream.respond = (_hit, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const text = streamed("abc");
      if (upstream.hits.length > 1) return response.end(text);
      response.write(text.slice(0, text.indexOf("event: content_block_stop")));
      setTimeout(() => response.destroy(), 20);
      return undefined;
    };
    const text = await (await ask({ model: "messages/m", messages: [hi], n: 2, stream: true })).text();
    expect(text).toContain('"error"');
    expect(text).not.toContain("[DONE]");
  });

  it("cancel every call if the client disconnects", async () => {
    upstream.respond = (_hit, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(streamed("abc").slice(0, 300));
    };
    const controller = new AbortController();
    const response = await fetch(`${proxy.url}/v1/chat/completions`, {
      method: "POST",
      signal: controller.signal,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "messages/m", messages: [hi], n: 3, stream: true }),
    });
    await until(() => upstream.open() === 3);
    controller.abort();
    await response.text().catch(() => "");
    await until(() => upstream.open() === 0);
  });

  it("continue at the next target, in its own form", async () => {
    upstream.respond = (hit, response) => {
      if (hit.url.endsWith("/messages"))
        return json({ type: "error", error: { type: "overloaded_error", message: "Busy" } }, 529)(
          hit,
          response,
        );
      const output = [
        {
          type: "message",
          id: "m",
          role: "assistant",
          content: [{ type: "output_text", text: "other", annotations: [] }],
        },
      ];
      return json({ id: "resp_1", object: "response", status: "completed", output })(hit, response);
    };
    const received = (await (await ask({ model: "two-upstreams", messages: [hi], n: 2 })).json()) as Json;
    expect(received["choices"]).toMatchObject([
      { message: { content: "other" } },
      { message: { content: "other" } },
    ]);
  });
});

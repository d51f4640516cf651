import OpenAI from "openai";
import { afterEach, describe, expect, it } from "vitest";
import { replayResponse } from "../../../src/proxy/pipeline/replay-response.ts";
import { createSseParser } from "../../../src/sse/parse.ts";
import { json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestProxy } from "../../support/start-proxy.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A messages upstream that returns thinking, text and a tool call, behind a proxy that OpenAI's client calls. */
async function setUp() {
  const upstream = await startFakeUpstream(
    json({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      stop_reason: "tool_use",
      content: [
        { type: "thinking", thinking: "It rains there.", signature: "c2ln" },
        { type: "text", text: "Let me look." },
        { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Paris", n: 1 } },
      ],
      usage: { input_tokens: 3, output_tokens: 9 },
    }),
  );
  closers.push(upstream.close);
  const proxy = await startTestProxy({
    upstreams: { main: { dialect: "messages", base_url: upstream.url } },
    models: [{ match: "*", upstream: "main" }],
  });
  closers.push(proxy.close);
  const client = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: "any", maxRetries: 0 });
  const response = await client.responses.create({
    model: "m",
    input: "How is the weather?",
    tools: [{ type: "function", name: "weather", parameters: { type: "object" }, strict: false }],
  });
  return { client, proxy, response };
}

/** The events of a text as their types, numbers and data. */
function eventsIn(text: string) {
  const parser = createSseParser();
  return [...parser.push(Buffer.from(text)), ...parser.end()].map(({ event, data }) => {
    const value = JSON.parse(data) as { type: string; sequence_number: number; response?: unknown };
    expect(value.type).toBe(event);
    return value;
  });
}

describe("a stored response as a stream", () => {
  it("gives OpenAI's client the same response", async () => {
    const { client, response } = await setUp();
    const stream = client.responses.stream({ response_id: response.id });
    const types: string[] = [];
    stream.on("event", ({ type }) => types.push(type));
    const { output } = await client.responses.retrieve(response.id);
    expect((await stream.finalResponse()).output).toMatchObject(output);
    expect(types).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.reasoning_summary_part.added",
      "response.reasoning_summary_text.delta",
      "response.reasoning_summary_text.done",
      "response.reasoning_summary_part.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done",
      "response.completed",
    ]);
  });

  it("starts after the last event that a client received, and always contains its end", async () => {
    const { proxy, response } = await setUp();
    const ask = async (query: string) => {
      const replayed = await fetch(`${proxy.url}/v1/responses/${response.id}?stream=true${query}`);
      expect([replayed.status, replayed.headers.get("content-type")]).toEqual([
        200,
        "text/event-stream; charset=utf-8",
      ]);
      return eventsIn(await replayed.text()).map(({ sequence_number }) => sequence_number);
    };
    const all = Array.from({ length: 19 }, (_, number) => number);
    expect(await ask("")).toEqual(all);
    expect(await ask("&starting_after=0")).toEqual(all.slice(1));
    expect(await ask("&starting_after=16")).toEqual([17, 18]);
    expect(await ask("&starting_after=400")).toEqual([401]);
  });

  it("is rejected for an invalid starting_after, and is JSON if no stream was requested", async () => {
    const { proxy, response } = await setUp();
    const url = `${proxy.url}/v1/responses/${response.id}`;
    const refused = await fetch(`${url}?stream=true&starting_after=soon`);
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { error: expect.objectContaining({ message: expect.stringContaining("starting_after") }) },
    ]);
    for (const query of ["", "?stream=false", "?starting_after=3"])
      expect(await (await fetch(`${url}${query}`)).json()).toMatchObject({
        id: response.id,
        object: "response",
      });
  });
});

it("keeps citations, refusals and truncation", () => {
  const annotation = { type: "url_citation", url: "https://example.com", start_index: 0, end_index: 4 };
  const text = { type: "output_text", text: "Here", annotations: [annotation], logprobs: [] };
  const message = (content: unknown) => ({
    id: "msg_1",
    type: "message",
    status: "completed",
    content: [content],
  });
  const kept = {
    id: "resp_1",
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
    completed_at: 7,
    output: [
      message(text),
      message({ type: "refusal", refusal: "No" }),
      { id: "ctc_1", type: "custom_tool_call", status: "completed", input: "ls" },
      { id: "ig_1", type: "image_generation_call", status: "completed", result: "aGk=" },
    ],
    usage: { total_tokens: 9007199254740993n },
  };
  const response = JSON.stringify(kept, (_, value) => (typeof value === "bigint" ? "BIG" : value)).replace(
    '"BIG"',
    "9007199254740993",
  );
  const replayed = replayResponse(response, -1);
  expect(replayed).toContain('"total_tokens":9007199254740993');
  const events = eventsIn(replayed);
  const of = (type: string) => events.filter((event) => event.type === type);
  expect(of("response.output_text.annotation.added")).toMatchObject([{ annotation, annotation_index: 0 }]);
  expect(of("response.refusal.delta")).toMatchObject([{ delta: "No", output_index: 1, content_index: 0 }]);
  expect(of("response.custom_tool_call_input.done")).toMatchObject([{ input: "ls", item_id: "ctc_1" }]);
  expect(of("response.output_item.added")).toMatchObject([
    { item: { content: [], status: "in_progress" } },
    { item: { content: [] } },
    { item: { input: "" } },
    { item: { id: "ig_1", status: "in_progress" } },
  ]);
  expect(events[0]?.response).toMatchObject({ status: "in_progress", output: [], incomplete_details: null });
  expect(events.at(-1)).toMatchObject({
    type: "response.incomplete",
    response: { id: "resp_1", completed_at: 7 },
  });
});

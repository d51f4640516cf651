import { describe, expect, it } from "vitest";
import { codec as responses } from "../../../../src/proxy/dialects/responses/index.ts";
import type { ExchangeEvent } from "../../../../src/proxy/exchange/event.ts";
import type { Part } from "../../../../src/proxy/exchange/parts.ts";
import type { ExchangeRequest } from "../../../../src/proxy/exchange/request.ts";
import {
  collect,
  decodeAll,
  encodeAll,
  encodeContext,
  parseEvents,
  readStreamFixture,
  request,
  text,
  wireEvents,
} from "../../../support/exchange.ts";

function lines(...events: Record<string, unknown>[]): string[] {
  return events.map((event) => JSON.stringify(event));
}

function decode(...events: Record<string, unknown>[]): ExchangeEvent[] {
  return decodeAll(responses, wireEvents(lines(...events)));
}

function encode(events: readonly ExchangeEvent[], value: ExchangeRequest = request()) {
  return parseEvents(encodeAll(responses, events, encodeContext({ request: value }))).map((event) => ({
    name: event.event,
    ...JSON.parse(event.data),
  }));
}

function whole(part: Part, index = 0): ExchangeEvent {
  return { type: "part-whole", index, part };
}

const start: ExchangeEvent = { type: "start", id: "resp_1", created: 1 };
const stop: ExchangeEvent[] = [{ type: "finish", finish: { unified: "stop" } }, { type: "end" }];

describe("decoding a stream of the responses dialect", () => {
  it("72: starts no part for a text without content", () => {
    const events = decodeAll(
      responses,
      wireEvents(readStreamFixture("responses", "openai-image-generation-tool.1.chunks.txt")),
    );
    expect(events.filter((event) => event.type === "part-start")).toEqual([]);
  });

  it("75: emits arguments as they arrive, and arguments that only the end event contains", () => {
    const streamed = decodeAll(
      responses,
      wireEvents(readStreamFixture("responses", "own-parallel-tools.chunks.txt")),
    );
    expect(streamed.filter((event) => event.type === "arguments-delta").length).toBeGreaterThan(2);
    const lumped = collect(
      decodeAll(responses, wireEvents(readStreamFixture("responses", "lmstudio-tool-call.1.chunks.txt"))),
    );
    expect(lumped.candidates[0]?.parts.at(-1)).toMatchObject({ arguments: '{"location":"San Francisco"}' });
  });

  it("76: decodes a stream that has its output only in the last event", () => {
    const output = [
      { type: "message", role: "assistant", id: "m", content: [{ type: "output_text", text: "Hi" }] },
      { type: "function_call", id: "f", call_id: "c1", name: "f", arguments: "{}" },
    ];
    const response = collect(
      decode({ type: "response.completed", response: { status: "completed", output } }),
    );
    expect(response.candidates[0]).toMatchObject({
      parts: [
        { type: "text", text: "Hi" },
        { type: "tool-call", id: "c1" },
      ],
      finish: { unified: "tool-calls" },
    });
  });

  it("77: joins several summaries to one thought, with a blank line between them", () => {
    const at = { item_id: "rs", output_index: 0 };
    const events = decode(
      { type: "response.created", response: { id: "resp_1" } },
      { type: "response.reasoning_summary_text.delta", ...at, summary_index: 0, delta: "One" },
      { type: "response.reasoning_summary_text.delta", ...at, summary_index: 1, delta: "Two" },
      {
        type: "response.output_item.done",
        output_index: 0,
        item: {
          type: "reasoning",
          id: "rs",
          summary: [{ text: "One" }, { text: "Two" }],
          encrypted_content: "seal",
        },
      },
      { type: "response.completed", response: { status: "completed", output: [] } },
    );
    expect(collect(events).candidates[0]?.parts).toMatchObject([
      { type: "reasoning", text: "One\n\nTwo", signature: "seal", summary: true },
    ]);
  });

  it("85: ends the stream with an error of the same kind after an error event", () => {
    const events = decodeAll(
      responses,
      wireEvents(readStreamFixture("responses", "openai-error.1.chunks.txt")),
    );
    expect(events.at(-1)).toMatchObject({ type: "error", error: { kind: "quota", status: 429 } });
    expect(decode({ type: "response.failed", response: { status: "failed" } }).at(-1)?.type).toBe("error");
  });

  it("86: reports a stream that ends before the response is complete as an error", () => {
    const events = decode({ type: "response.created", response: { id: "resp_1" } });
    expect(events.map((event) => event.type)).toEqual(["start", "error"]);
  });

  it("86: reports an event that is not JSON as an error", () => {
    expect(decodeAll(responses, [{ event: "message", data: '{"broken": ' }]).at(-1)).toMatchObject({
      type: "error",
      error: { kind: "upstream", status: 502 },
    });
  });

  it("57: reports a call that the token limit truncated as length", () => {
    const item = { type: "function_call", id: "f", call_id: "c1", name: "f", arguments: '{"a' };
    const events = decode(
      { type: "response.output_item.added", output_index: 0, item: { ...item, arguments: "" } },
      { type: "response.function_call_arguments.delta", output_index: 0, delta: '{"a' },
      {
        type: "response.incomplete",
        response: {
          status: "incomplete",
          incomplete_details: { reason: "max_output_tokens" },
          output: [item],
        },
      },
    );
    expect(events.at(-2)).toMatchObject({ type: "finish", finish: { unified: "length" } });
  });
});

describe("encoding a stream of the responses dialect", () => {
  it("81: numbers events consecutively, and writes the complete response in the last event", () => {
    const events = encode([start, whole(text("Hi")), ...stop]);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    expect(events.map((event) => event.type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(events.every((event) => event.name === event.type)).toBe(true);
    expect(events.at(-1).response).toMatchObject({
      id: "resp_1",
      status: "completed",
      model: "client-model",
    });
  });

  it("73: keeps interleaved parallel calls separate", () => {
    const open = (index: number): ExchangeEvent => ({
      type: "part-start",
      index,
      part: { type: "tool-call", id: `c${index}`, name: "f", arguments: "" },
    });
    const delta = (index: number, value: string): ExchangeEvent => ({
      type: "arguments-delta",
      index,
      text: value,
    });
    const events = encode([
      start,
      open(0),
      open(1),
      delta(0, '{"a"'),
      delta(1, '{"b"'),
      delta(0, ":1}"),
      delta(1, ":2}"),
      { type: "part-end", index: 1 },
      { type: "part-end", index: 0 },
      { type: "finish", finish: { unified: "tool-calls" } },
      { type: "end" },
    ]);
    const output = events.at(-1).response.output;
    expect(output.map((item: Record<string, unknown>) => [item["call_id"], item["arguments"]])).toEqual([
      ["c0", '{"a":1}'],
      ["c1", '{"b":2}'],
    ]);
  });

  it("25, 75: writes an empty object as the delta of a call without arguments", () => {
    const events = encode([start, whole({ type: "tool-call", id: "c", name: "f", arguments: "" }), ...stop]);
    const deltas = events.filter((event) => event.type === "response.function_call_arguments.delta");
    expect(deltas.map((event) => event.delta)).toEqual(["{}"]);
  });

  it("28: unwraps the argument of a function call of a custom tool", () => {
    const tools = [{ type: "custom", name: "patch" }] as const;
    const part: Part = { type: "tool-call", id: "c", name: "patch", arguments: '{"input":"*** Begin\\n"}' };
    const events = encode([start, whole(part), ...stop], request({ tools }));
    expect(events.at(-1).response.output).toMatchObject([
      { type: "custom_tool_call", call_id: "c", name: "patch", input: "*** Begin\n" },
    ]);
    expect(events.some((event) => event.type === "response.custom_tool_call_input.done")).toBe(true);
  });

  it("29: writes the namespace and the short name of a namespaced function in its call", () => {
    const tools = [
      { type: "function", name: "ns__f", extras: { namespace: { namespace: "ns", name: "f" } } },
    ] as const;
    const events = encode(
      [start, whole({ type: "tool-call", id: "c", name: "ns__f", arguments: "{}" }), ...stop],
      request({ tools }),
    );
    expect(events.at(-1).response.output).toMatchObject([
      { type: "function_call", namespace: "ns", name: "f" },
    ]);
  });

  it("42: writes another vendor's signature of a call as a reasoning item before the call", () => {
    const call: Part = { type: "tool-call", id: "c", name: "f", arguments: "{}", signature: "c2ln" };
    const output = encode([start, whole(call), ...stop]).at(-1).response.output;
    expect(output).toMatchObject([
      { type: "reasoning", encrypted_content: "sally1.generative-language.c2ln" },
      { type: "function_call" },
    ]);
    const read = responses.decodeRequest({ model: "m", input: output }, {}).value;
    expect(read.turns[0]?.parts).toMatchObject([{ type: "tool-call", signature: "c2ln" }]);
  });

  it("25: reports arguments that are not JSON as an error, unless the response was truncated", () => {
    const call = whole({ type: "tool-call", id: "c", name: "f", arguments: '{"a' });
    const broken = encode([
      start,
      call,
      { type: "finish", finish: { unified: "tool-calls" } },
      { type: "end" },
    ]);
    expect(broken.at(-1)).toMatchObject({ type: "response.failed", response: { status: "failed" } });
    const cut = encode([start, call, { type: "finish", finish: { unified: "length" } }, { type: "end" }]);
    expect(cut.at(-1)).toMatchObject({
      type: "response.incomplete",
      response: {
        incomplete_details: { reason: "max_output_tokens" },
        output: [{ status: "incomplete", arguments: '{"a' }],
      },
    });
  });

  it.each([
    ["length", "incomplete"],
    ["content-filter", "incomplete"],
    ["stop", "completed"],
  ] as const)(
    "57: the message in which a response ends with %s is %s, and earlier ones are completed",
    (unified, status) => {
      const parts: Part[] = [
        { type: "text", text: "First." },
        { type: "reasoning", text: "Then" },
        { type: "text", text: "And th" },
      ];
      const events = encode([
        start,
        ...parts.flatMap(whole),
        { type: "finish", finish: { unified } },
        { type: "end" },
      ]);
      const items = [
        { type: "message", status: "completed" },
        { type: "reasoning" },
        { type: "message", status },
      ];
      expect(events.at(-1).response).toMatchObject({ status, output: items });
      const done = events.filter(({ type }) => type === "response.output_item.done");
      expect(done.map(({ item }) => item)).toMatchObject(items);
      const response = { candidates: [{ parts, finish: { unified } }] };
      const { output } = responses.encodeResponse(response, encodeContext()).value as { output: unknown[] };
      expect(output).toMatchObject(items);
      const read = responses.decodeRequest({ model: "m", input: output }, {}).value;
      expect(read.turns[0]?.parts.at(-1)).toMatchObject({ type: "text", text: "And th" });
    },
  );

  it("56: reports a refusal without text as filtered", () => {
    const events = encode([start, { type: "finish", finish: { unified: "refusal" } }, { type: "end" }]);
    expect(events.at(-1).response).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "content_filter" },
    });
  });

  it("62: writes citations as annotations in their own event and in the complete response", () => {
    const cited: Part = {
      type: "text",
      text: "It is.",
      citations: [{ url: "https://e.org", title: "E", start: 0, end: 5 }],
    };
    const events = encode([start, whole(cited), ...stop]);
    const annotation = {
      type: "url_citation",
      url: "https://e.org",
      title: "E",
      start_index: 0,
      end_index: 5,
    };
    expect(events.find((event) => event.type === "response.output_text.annotation.added").annotation).toEqual(
      annotation,
    );
    expect(events.at(-1).response.output[0].content[0].annotations).toEqual([annotation]);
  });

  it("64: reports further candidates as a loss", () => {
    const encoder = responses.createStreamEncoder(encodeContext());
    for (const event of [start, { ...whole(text("x"), 1), candidate: 1 } as ExchangeEvent, ...stop])
      encoder.push(event);
    expect(encoder.losses.map((loss) => loss.code)).toEqual(["candidates"]);
  });

  it("67: writes an image as image_generation_call", () => {
    const source = { kind: "base64", mediaType: "image/png", data: "AAAA" } as const;
    const events = encode([start, whole({ type: "image", source }), ...stop]);
    expect(events.at(-1).response.output).toMatchObject([
      { type: "image_generation_call", result: "AAAA", output_format: "png", status: "completed" },
    ]);
  });

  it("82: writes no [DONE]", () => {
    expect(encodeAll(responses, [start, ...stop])).not.toContain("[DONE]");
  });

  it("84: writes a ping as a comment, before the start too", () => {
    expect(encodeAll(responses, [{ type: "ping" }])).toMatch(/^: .*\n\n$/);
  });

  it("85: writes an error as response.failed with the code that clients match, and no event after it", () => {
    const error = { kind: "context-overflow", status: 400, message: "prompt is too long" } as const;
    const events = encode([start, whole(text("Hi")), { type: "error", error }, ...stop]);
    expect(events.at(-1)).toMatchObject({
      type: "response.failed",
      response: { error: { code: "context_length_exceeded", message: "prompt is too long" } },
    });
  });
});

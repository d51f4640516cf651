import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultCapabilities } from "../../../../src/proxy/exchange/capabilities.ts";
import type { ExchangeRequest } from "../../../../src/proxy/exchange/request.ts";
import type { ExchangeResponse } from "../../../../src/proxy/exchange/response.ts";
import { createStreamChecker } from "../../../../src/proxy/exchange/stream-checker.ts";
import { enforceLimits } from "../../../../src/proxy/translate/request/enforced-limits.ts";
import { ResponseCollector } from "../../../../src/proxy/translate/response/response-events.ts";
import { streamOf } from "../../../support/exchange-arbitraries.ts";
import { runScene } from "../harness.ts";

const hi = { role: "user", content: "Hi" };
const tool = { type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } };
const output = (text: string) => ({
  id: "resp_1",
  object: "response",
  status: "completed",
  model: "m",
  output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text }] }],
  usage: { input_tokens: 1, output_tokens: 9 },
});

/** Returns an event stream of the responses dialect whose text arrives in these pieces. */
function outputStream(pieces: readonly string[]): string {
  const item = { type: "message", id: "msg_1", role: "assistant", content: [] };
  const at = { item_id: "msg_1", output_index: 0, content_index: 0 };
  const text = pieces.join("");
  const events: { type: string; [member: string]: unknown }[] = [
    { type: "response.created", response: { id: "resp_1", object: "response", model: "m", output: [] } },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.content_part.added", ...at, part: { type: "output_text", text: "" } },
    ...pieces.map((delta) => ({ type: "response.output_text.delta", ...at, delta })),
    { type: "response.output_text.done", ...at, text },
    { type: "response.content_part.done", ...at, part: { type: "output_text", text } },
    {
      type: "response.output_item.done",
      output_index: 0,
      item: { ...item, content: [{ type: "output_text", text }] },
    },
    { type: "response.completed", response: output(text) },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

describe("stop sequences that an upstream does not accept", () => {
  it("end the response of a responses upstream, and are reported as the vendor would", async () => {
    const scene = { client: "messages", upstream: "responses" } as const;
    const body = { model: "m", max_tokens: 50, messages: [hi], stop_sequences: ["STOP", "beta"] };
    const whole = await runScene({ ...scene, body, response: output("alpha beta gamma STOP") });
    expect([whole.losses, whole.json]).toMatchObject([
      ["stop"],
      { content: [{ type: "text", text: "alpha " }], stop_reason: "stop_sequence", stop_sequence: "beta" },
    ]);
    expect(whole.sent).not.toHaveProperty("stop");
    const streamed = await runScene({
      ...scene,
      body: { ...body, stream: true },
      response: outputStream(["alp", "ha be", "t", "a gam", "ma STOP"]),
    });
    expect(streamed.text).not.toMatch(/gam|STOP/);
    expect(streamed.data.map(({ delta }) => (delta as { text?: string })?.text).join("")).toBe("alpha ");
    expect(streamed.data).toContainEqual(
      expect.objectContaining({ delta: { stop_reason: "stop_sequence", stop_sequence: "beta" } }),
    );
    expect(streamed.outcome.usage).toMatchObject({ output: { total: 9 } });
  });

  it("leave a text unchanged that contains only the beginning of a stop sequence", async () => {
    const received = await runScene({
      client: "chat-completions",
      upstream: "responses",
      body: { model: "m", messages: [hi], stop: "beta", stream: true },
      response: outputStream(["alpha b", "e", "t"]),
    });
    const deltas = received.data.map(
      ({ choices }) => (choices as { delta?: { content?: string } }[] | undefined)?.[0]?.delta?.content ?? "",
    );
    expect(deltas.join("")).toBe("alpha bet");
    expect(received.text).toContain('"finish_reason":"stop"');
  });
});

describe("stop sequences of a messages upstream, which rejects whitespace and more than 100", () => {
  const filler = Array.from({ length: 99 }, (_, index) => `never ${index}`);
  const respond = (text: string) => ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 9 },
  });
  const run = (stop: readonly string[], text: string) =>
    runScene({
      client: "generative-language",
      upstream: "messages",
      body: {
        contents: [{ role: "user", parts: [{ text: "Hi" }] }],
        generationConfig: { stopSequences: stop },
      },
      response: respond(text),
    });

  it("end the response if they are whitespace, which is not sent", async () => {
    const { sent, losses, text } = await run(["\n\n"], "first\n\nsecond");
    expect(sent).not.toHaveProperty("stop_sequences");
    expect(losses).toEqual(["stop"]);
    expect(text).toContain("first");
    expect(text).not.toContain("second");
  });

  it("are either sent or enforced, also at the maximum", async () => {
    const stop = ["\n\n", ...filler, "last", "beyond"];
    const { sent, text } = await run(stop, "alpha last beta beyond gamma");
    expect(sent).toMatchObject({ stop_sequences: [...filler, "last"] });
    expect(text).toContain("alpha last beta");
    expect(text).not.toContain("gamma");
  });
});

describe("the limit of one tool call", () => {
  const parts = [
    { text: "Wait." },
    { functionCall: { name: "look", args: { at: 1 } } },
    { functionCall: { name: "look", args: { at: 2 } } },
  ];
  const response = { candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }] };

  it.each([false, true])("is enforced for an upstream without such a member (stream: %s)", async (stream) => {
    const scene = {
      client: "chat-completions",
      upstream: "generative-language",
      response: stream ? `data: ${JSON.stringify(response)}\n\n` : response,
    } as const;
    const body = { model: "m", messages: [hi], tools: [tool], stream };
    const limited = await runScene({ ...scene, body: { ...body, parallel_tool_calls: false } });
    expect(limited.losses).toEqual(["parallel-tool-calls"]);
    expect(limited.text).toMatch(/\\"at\\":1/);
    expect(limited.text).not.toMatch(/\\"at\\":2/);
    expect(limited.text).toContain('"finish_reason":"tool_calls"');
    expect((await runScene({ ...scene, body })).text).toMatch(/\\"at\\":2/);
  });
});

it("a shortened stream is valid and equals the shortened response, however the stream is split", () => {
  const request: ExchangeRequest = {
    model: "m",
    instructions: [],
    turns: [],
    tools: [{ type: "function", name: "f", schema: { type: "object" } }],
    sampling: { stop: ["ab", "bcb", "c"] },
    parallelToolCalls: false,
    extensions: {},
    stream: true,
  } as never;
  const limits = enforceLimits(
    request,
    { ...defaultCapabilities, acceptsStop: false },
    { limitsToolCalls: false },
  );
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c", "d"), maxLength: 12 });
  const part = fc.oneof(
    text.map((value) => ({ type: "text" as const, text: value })),
    text.map((value) => ({ type: "reasoning" as const, text: value })),
    fc.nat().map((id) => ({ type: "tool-call" as const, id: `${id}`, name: "f", arguments: "{}" })),
  );
  const property = fc.property(
    fc.array(part, { minLength: 1, maxLength: 5 }),
    fc.array(fc.nat({ max: 6 }), { maxLength: 20 }),
    (parts, cuts) => {
      const response: ExchangeResponse = { candidates: [{ parts, finish: { unified: "stop" } }] };
      const [candidate] = response.candidates;
      const whole = candidate && limits?.shorten(candidate);
      const checker = createStreamChecker();
      const collector = new ResponseCollector();
      const filter = limits?.createFilter();
      for (const event of streamOf(response, cuts))
        for (const kept of filter?.(event) ?? []) {
          expect(checker.check(kept)).toBeUndefined();
          collector.push(kept);
        }
      const [streamed] = collector.response().candidates;
      const plain = (each: typeof whole) => ({
        finish: each?.finish,
        parts: each?.parts.flatMap((one) =>
          one.type === "tool-call"
            ? [one.id]
            : (one.type === "text" || one.type === "reasoning") && one.text !== ""
              ? [one.text]
              : [],
        ),
      });
      expect(plain(streamed)).toEqual(plain(whole));
    },
  );
  fc.assert(property, { numRuns: 500 });
});

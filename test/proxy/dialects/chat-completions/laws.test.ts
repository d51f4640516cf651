import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codec as chat } from "../../../../src/proxy/dialects/chat-completions/index.ts";
import type { Part } from "../../../../src/proxy/exchange/parts.ts";
import type { ExchangeRequest, Tool, Turn } from "../../../../src/proxy/exchange/request.ts";
import type { ExchangeResponse, Finish } from "../../../../src/proxy/exchange/response.ts";
import {
  collect,
  decodeAll,
  encodeAll,
  encodeContext,
  everything,
  fixtureNames,
  parseEvents,
  readJsonFixture,
  readStreamFixture,
  request,
  wireEvents,
  withoutOrigin,
  writtenBody,
} from "../../../support/exchange.ts";
import {
  anyText,
  argumentsText,
  callId,
  toolName,
  usage,
  withLogprobs,
} from "../../../support/exchange-arbitraries.ts";
import { checkResponseLaws } from "../../../support/exchange-laws.ts";

const isResponse = (name: string) => !/error|completion-text|midway/.test(name);
const recordings = fixtureNames("chat-completions", ".json").filter(isResponse);
const streams = fixtureNames("chat-completions", ".chunks.txt").filter(isResponse);
const context = encodeContext({ request: request({ streamUsage: true }) });
const done = { event: "message", data: "[DONE]" };

const call = fc
  .record({ id: callId, name: toolName, arguments: argumentsText })
  .map((members): Part => ({ type: "tool-call", ...members }));

/** Responses with parts in the dialect's order: reasoning, one text, and tool calls. */
const response: fc.Arbitrary<ExchangeResponse> = fc
  .record({
    thought: fc.option(anyText),
    text: fc.option(anyText.chain(withLogprobs)),
    calls: fc.array(call, { maxLength: 3 }),
    usage,
    cut: fc.boolean(),
  })
  .map(({ thought, text, calls, usage: counts, cut }) => {
    const parts: Part[] = [
      ...(thought === null
        ? []
        : [{ type: "reasoning", text: thought, vendor: "chat-completions" } as const]),
      ...(text === null ? [] : [text]),
      ...calls,
    ];
    const finish: Finish = { unified: cut ? "length" : calls.length > 0 ? "tool-calls" : "stop" };
    return { id: "chatcmpl-a", model: "m", created: 1, candidates: [{ parts, finish }], usage: counts };
  });

describe("the chat-completions codec", () => {
  it.each(recordings)("preserves the recorded response %s through encoding and decoding", (name) => {
    const decoded = chat.decodeResponse(readJsonFixture("chat-completions", name)).value;
    const written = chat.encodeResponse(decoded, context).value;
    const spoken = (response: ExchangeResponse) => JSON.stringify(withoutOrigin(response).candidates);
    // Missing arguments are encoded as an empty object.
    const expected = spoken(decoded).replaceAll('"arguments":""', '"arguments":"{}"');
    expect(spoken(chat.decodeResponse(written).value)).toBe(expected);
  });

  it.each(streams)(
    "decodes the recorded stream %s to its end, and preserves it through encoding and decoding",
    (name) => {
      const events = decodeAll(chat, [...wireEvents(readStreamFixture("chat-completions", name)), done]);
      expect(events.at(-1)?.type).toBe("end");
      const again = collect(decodeAll(chat, parseEvents(encodeAll(chat, events, context))));
      expect(withoutOrigin(again).candidates).toEqual(withoutOrigin(collect(events)).candidates);
      expect(again.usage?.input.total).toBe(collect(events).usage?.input.total);
    },
  );

  checkResponseLaws(chat, { response, context });

  it("emits exactly one end or error for a stream, wherever the stream is cut off", () => {
    const lines = readStreamFixture("chat-completions", "own-parallel-interleaved.chunks.txt");
    for (let length = 0; length <= lines.length; length += 1) {
      const received = decodeAll(chat, wireEvents(lines.slice(0, length)));
      const terminal = received.filter((event) => event.type === "end" || event.type === "error");
      // The last line contains only usage: the finish reason before it already ends the response.
      expect(terminal.map((event) => event.type)).toEqual([length >= lines.length - 1 ? "end" : "error"]);
    }
  });

  it("decodes every request that it encodes", () => {
    const functionTool = fc
      .record({ name: toolName, description: anyText, strict: fc.boolean() })
      .map((members): Tool => ({ type: "function", schema: { type: "object", properties: {} }, ...members }));
    const image = fc.base64String({ minLength: 8 }).map(
      (data): Part => ({
        type: "image",
        source: { kind: "base64", mediaType: "image/x-test", data },
        detail: "high",
      }),
    );
    const textPart = anyText.map((text): Part => ({ type: "text", text }));
    const exchange = fc
      .tuple(fc.array(call, { minLength: 1, maxLength: 3 }), anyText, fc.option(anyText))
      .map(([calls, text, question]): Turn[] => [
        { role: "assistant", parts: calls },
        {
          role: "user",
          parts: [
            ...calls.map(
              (part): Part => ({
                type: "tool-result",
                callId: part.type === "tool-call" ? part.id : "",
                content: [{ type: "text", text }],
              }),
            ),
            ...(question === null ? [] : [{ type: "text", text: question } as const]),
          ],
        },
      ]);
    const conversation: fc.Arbitrary<ExchangeRequest> = fc
      .record({
        instructions: fc.array(textPart, { maxLength: 1 }),
        opening: fc.array(fc.oneof(textPart, image), { minLength: 1, maxLength: 3 }),
        exchanges: fc.array(exchange, { maxLength: 2 }),
        tools: fc.uniqueArray(functionTool, {
          maxLength: 3,
          selector: (tool) => (tool.type === "hosted" ? "" : tool.name),
        }),
        sampling: fc.record({
          maxOutputTokens: fc.integer({ min: 1, max: 9_000 }),
          temperature: fc.double({ min: 0, max: 2, noNaN: true }),
          seed: fc.nat(),
        }),
        user: anyText,
      })
      .map(({ opening, exchanges, ...rest }) =>
        request({ ...rest, turns: [{ role: "user", parts: opening }, ...exchanges.flat()] }),
      );
    fc.assert(
      fc.property(conversation, (value) => {
        const { body, losses } = writtenBody(chat, value, everything);
        expect(losses).toEqual([]);
        expect(chat.decodeRequest(body, {}).value).toEqual(value);
      }),
    );
  });
});

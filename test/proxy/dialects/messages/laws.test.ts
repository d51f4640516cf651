import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codec as messages } from "../../../../src/proxy/dialects/messages/index.ts";
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
import { anyText, argumentsText, callId, toolName, usage } from "../../../support/exchange-arbitraries.ts";
import { checkResponseLaws } from "../../../support/exchange-laws.ts";

const recordings = fixtureNames("messages", ".json").filter((name) => !/error-529/.test(name));
const streams = fixtureNames("messages", ".chunks.txt").filter((name) => !/midway/.test(name));

const nonBlank = anyText.filter((text) => text.trim() !== "");
const textPart = nonBlank.map((text): Part => ({ type: "text", text }));
const call = fc
  .record({ id: callId, name: toolName, arguments: argumentsText })
  .map((members): Part => ({ type: "tool-call", ...members }));
const thinking = fc
  .record({ text: nonBlank, signature: fc.base64String({ minLength: 4 }) })
  .map((members): Part => ({ type: "reasoning", vendor: "messages", ...members }));
const redacted = fc
  .base64String({ minLength: 4 })
  .map((signature): Part => ({ type: "reasoning", text: "", vendor: "messages", redacted: true, signature }));
const image = fc
  .base64String({ minLength: 8 })
  .map((data): Part => ({ type: "image", source: { kind: "base64", mediaType: "image/x-test", data } }));

const response: fc.Arbitrary<ExchangeResponse> = fc
  .record({
    parts: fc.array(fc.oneof(textPart, call, thinking, redacted), { maxLength: 6 }),
    usage,
    cut: fc.boolean(),
  })
  .map(({ parts, usage: counts, cut }) => {
    const unified = parts.some((part) => part.type === "tool-call") ? "tool-calls" : "stop";
    const finish: Finish = { unified: cut ? "length" : unified };
    return {
      id: "msg_a",
      model: "m",
      candidates: [{ parts, finish }],
      usage: { ...counts, output: { total: counts.output.total ?? 0 } },
    };
  });

/** Removes origins and adds the counts of cache reads and writes, which the dialect always reports. */
const normalize = (response: ExchangeResponse) => {
  const plain = withoutOrigin(response);
  const input = { cacheRead: 0, cacheWrite: 0, ...plain.usage?.input };
  return { ...plain, usage: { ...plain.usage, input } };
};

describe("the messages codec", () => {
  it.each(recordings)("preserves the recorded response %s through encoding and decoding", (name) => {
    const decoded = messages.decodeResponse(readJsonFixture("messages", name)).value;
    const written = messages.encodeResponse(decoded, encodeContext()).value;
    expect(normalize(messages.decodeResponse(JSON.parse(JSON.stringify(written))).value)).toEqual(
      normalize(decoded),
    );
  });

  it.each(streams)(
    "decodes the recorded stream %s to its end, and preserves it through encoding and decoding",
    (name) => {
      const events = decodeAll(messages, wireEvents(readStreamFixture("messages", name)));
      expect(events.at(-1)?.type).toBe("end");
      const again = collect(decodeAll(messages, parseEvents(encodeAll(messages, events))));
      const spoken = (response: ExchangeResponse) =>
        normalize(response).candidates.map(({ parts, finish }) => [
          finish,
          parts.filter((part) => !isEmptyText(part)),
        ]);
      expect(spoken(again)).toEqual(spoken(collect(events)));
    },
  );

  const isEmptyText = (part: unknown) => JSON.stringify(part) === '{"type":"text","text":""}';

  checkResponseLaws(messages, { response, normalize });

  it("emits exactly one end or error for a stream, wherever the stream is cut off", () => {
    const lines = readStreamFixture("messages", "own-thinking-tool.chunks.txt");
    for (let length = 0; length <= lines.length; length += 1) {
      const received = decodeAll(messages, wireEvents(lines.slice(0, length)));
      const terminal = received.filter((event) => event.type === "end" || event.type === "error");
      expect(terminal.map((event) => event.type)).toEqual([length === lines.length ? "end" : "error"]);
    }
  });

  it("decodes every request that it encodes", () => {
    const functionTool = fc
      .record({ name: toolName, description: nonBlank })
      .map((members): Tool => ({ type: "function", schema: { type: "object", properties: {} }, ...members }));
    const exchange = fc
      .tuple(
        fc.uniqueArray(call, {
          minLength: 1,
          maxLength: 3,
          selector: (part) => (part.type === "tool-call" ? part.id : ""),
        }),
        nonBlank,
        fc.option(thinking),
      )
      .map(([calls, text, thought]): Turn[] => [
        { role: "assistant", parts: [...(thought === null ? [] : [thought]), ...calls] },
        {
          role: "user",
          parts: calls.map(
            (part): Part => ({
              type: "tool-result",
              callId: part.type === "tool-call" ? part.id : "",
              content: [{ type: "text", text }],
            }),
          ),
        },
        { role: "assistant", parts: [{ type: "text", text: "done" }] },
        { role: "user", parts: [{ type: "text", text: "go on" }] },
      ]);
    const conversation: fc.Arbitrary<ExchangeRequest> = fc
      .record({
        instructions: fc.array(textPart, { maxLength: 2 }),
        opening: fc.array(fc.oneof(textPart, image), { minLength: 1, maxLength: 3 }),
        exchanges: fc.array(exchange, { maxLength: 2 }),
        tools: fc.uniqueArray(functionTool, {
          maxLength: 3,
          selector: (tool) => (tool.type === "hosted" ? "" : tool.name),
        }),
        sampling: fc.record({
          maxOutputTokens: fc.integer({ min: 1, max: 9_000 }),
          temperature: fc.double({ min: 0, max: 1, noNaN: true }),
          topK: fc.nat(50),
        }),
        stream: fc.boolean(),
      })
      .map(({ opening, exchanges, ...rest }) =>
        request({ ...rest, turns: [{ role: "user", parts: opening }, ...exchanges.flat()] }),
      );
    fc.assert(
      fc.property(conversation, (value) => {
        const { body, losses } = writtenBody(messages, value, everything);
        expect(losses).toEqual([]);
        expect(messages.decodeRequest(body, {}).value).toEqual(value);
      }),
    );
  });
});

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codec as generativeLanguage } from "../../../../src/proxy/dialects/generative-language/index.ts";
import type { Part } from "../../../../src/proxy/exchange/parts.ts";
import type { ExchangeRequest, Tool, Turn } from "../../../../src/proxy/exchange/request.ts";
import type { ExchangeResponse, Finish } from "../../../../src/proxy/exchange/response.ts";
import {
  collect,
  decodeAll,
  encodeAll,
  encodeContext,
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
  streamOf,
  toolName,
  usage,
} from "../../../support/exchange-arbitraries.ts";
import { checkResponseLaws } from "../../../support/exchange-laws.ts";

const dialect = "generative-language";
const recordings = fixtureNames(dialect, ".json").filter((name) => !/429|error/.test(name));
const streams = fixtureNames(dialect, ".chunks.txt").filter((name) => !/error/.test(name));

const textPart = anyText.map((value): Part => ({ type: "text", text: value }));
const signature = fc.option(fc.base64String({ minLength: 4 }), { nil: undefined });
const call = fc.record({ id: callId, name: toolName, arguments: argumentsText, signature }).map(
  ({ signature: sign, ...members }): Part => ({
    type: "tool-call",
    ...members,
    signature: sign,
  }),
);
const reasoning = fc.record({ text: anyText, signature }).map(
  ({ text, signature: sign }): Part => ({
    type: "reasoning",
    text,
    vendor: dialect,
    signature: sign,
  }),
);

/** Removes a text or thought after a part of the same kind, because the codec joins the two. */
function apart(parts: readonly Part[]): Part[] {
  return parts.filter((part, at) => part.type === "tool-call" || parts[at - 1]?.type !== part.type);
}

const response: fc.Arbitrary<ExchangeResponse> = fc
  .record({
    parts: fc.array(fc.oneof(textPart, call, reasoning), { minLength: 1, maxLength: 6 }).map(apart),
    usage,
    cut: fc.boolean(),
  })
  .map(({ parts, usage: counts, cut }) => {
    const unified = parts.some((part) => part.type === "tool-call") ? "tool-calls" : "stop";
    const finish: Finish = { unified: cut ? "length" : unified };
    return { id: "r", model: "m", candidates: [{ parts, finish }], usage: trimmed(counts) };
  });

/** Removes counts of zero, which this dialect omits. */
function trimmed(counts: ExchangeResponse["usage"]): NonNullable<ExchangeResponse["usage"]> {
  const { total = 0, cacheRead = 0 } = counts?.input ?? {};
  const { total: written = 0, reasoning: thoughts = 0 } = counts?.output ?? {};
  return {
    input: { total, ...(cacheRead > 0 ? { cacheRead, uncached: total - cacheRead } : {}) },
    output: { total: written, ...(thoughts > 0 ? { reasoning: thoughts } : {}) },
  };
}

describe("the generative-language codec", () => {
  it.each(recordings)("preserves the recorded response %s through encoding and decoding", (name) => {
    const decoded = generativeLanguage.decodeResponse(readJsonFixture(dialect, name)).value;
    const written = JSON.parse(
      JSON.stringify(generativeLanguage.encodeResponse(decoded, encodeContext()).value),
    );
    const { usage: counts, ...again } = withoutOrigin(generativeLanguage.decodeResponse(written).value);
    expect(again).toEqual({ candidates: withoutOrigin(decoded).candidates });
    expect(counts?.output.total).toBe(decoded.usage?.output.total);
  });

  it.each(streams)("preserves the recorded stream %s through encoding and decoding", (name) => {
    const received = decodeAll(generativeLanguage, wireEvents(readStreamFixture(dialect, name)));
    const again = decodeAll(generativeLanguage, parseEvents(encodeAll(generativeLanguage, received)));
    expect(withoutOrigin(collect(again)).candidates).toEqual(withoutOrigin(collect(received)).candidates);
  });

  checkResponseLaws(generativeLanguage, { response });

  it("encodes the same content as an array and as events", () => {
    fc.assert(
      fc.property(response, fc.array(fc.nat(40), { maxLength: 5 }), (response, cuts) => {
        const events = streamOf(response, cuts);
        const asEvents = parseEvents(encodeAll(generativeLanguage, events));
        const array = JSON.parse(encodeAll(generativeLanguage, events, encodeContext({ array: true })));
        expect(array).toEqual(asEvents.map((event) => JSON.parse(event.data)));
      }),
    );
  });

  it("emits exactly one end or error for a stream, wherever the stream is cut off", () => {
    for (const name of streams) {
      const lines = readStreamFixture(dialect, name);
      for (const length of [0, 1, lines.length - 1, lines.length]) {
        const received = decodeAll(generativeLanguage, wireEvents(lines.slice(0, length)));
        const terminal = received.filter((event) => event.type === "end" || event.type === "error");
        expect(terminal.map((event) => event.type)).toEqual([length === lines.length ? "end" : "error"]);
      }
    }
  });

  it("decodes every request that it encodes", () => {
    const tool = fc.record({ name: toolName, description: anyText }).map(
      (members): Tool => ({
        type: "function",
        schema: { type: "object", properties: { a: { type: "string" } } },
        ...members,
      }),
    );
    const exchange = fc.tuple(call, anyText).map(([part, value]): Turn[] => [
      { role: "assistant", parts: [part] },
      {
        role: "user",
        parts: [
          {
            type: "tool-result",
            callId: part.type === "tool-call" ? part.id : "",
            name: part.type === "tool-call" ? part.name : "",
            content: [{ type: "text", text: value }],
            structured: { output: value },
          },
        ],
      },
      { role: "assistant", parts: [{ type: "text", text: "done" }] },
      { role: "user", parts: [{ type: "text", text: "go on" }] },
    ]);
    const conversation: fc.Arbitrary<ExchangeRequest> = fc
      .record({
        instructions: fc.array(textPart, { maxLength: 3 }),
        turns: fc.array(exchange, { maxLength: 3 }),
        tools: fc.uniqueArray(tool, { maxLength: 3, selector: (one) => ("name" in one ? one.name : "") }),
        topK: fc.integer({ min: 1, max: 40 }),
        stop: fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 5 }),
      })
      .map(({ turns, topK, stop, ...members }) =>
        request({
          ...members,
          turns: [...opening, ...turns.flat()],
          sampling: { topK, stop, temperature: 1 },
        }),
      );
    fc.assert(
      fc.property(conversation, (value) => {
        const { body, losses } = writtenBody(generativeLanguage, value);
        expect(losses).toEqual([]);
        expect(generativeLanguage.decodeRequest(body, { model: "m" }).value).toEqual(value);
      }),
    );
  });
});

const opening: readonly Turn[] = [
  { role: "user", parts: [{ type: "text", text: "go" }] },
  { role: "assistant", parts: [{ type: "text", text: "well" }] },
  { role: "user", parts: [{ type: "text", text: "yes" }] },
];

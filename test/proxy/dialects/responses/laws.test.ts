import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codec as responses } from "../../../../src/proxy/dialects/responses/index.ts";
import type { Part } from "../../../../src/proxy/exchange/parts.ts";
import type { ExchangeRequest, Tool, Turn } from "../../../../src/proxy/exchange/request.ts";
import type { ExchangeResponse, Finish } from "../../../../src/proxy/exchange/response.ts";
import {
  bare,
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
  withLogprobs,
} from "../../../support/exchange-arbitraries.ts";
import { checkResponseLaws } from "../../../support/exchange-laws.ts";

const recordings = fixtureNames("responses", ".json").filter((name) => !/error/.test(name));
const streams = fixtureNames("responses", ".chunks.txt").filter((name) => !/error/.test(name));

const textPart = anyText.map((value): Part => ({ type: "text", text: value }));
const call = fc
  .record({ id: callId, name: toolName, arguments: argumentsText })
  .map((members): Part => ({ type: "tool-call", ...members }));
const reasoning = fc
  .record({ text: anyText, signature: fc.option(fc.base64String({ minLength: 4 }), { nil: undefined }) })
  .map(
    ({ text, signature }): Part => ({
      type: "reasoning",
      text,
      vendor: "responses",
      summary: true,
      signature,
    }),
  );
const image = fc
  .base64String({ minLength: 8 })
  .map((data): Part => ({ type: "image", source: { kind: "base64", mediaType: "image/x-test", data } }));

/**
 * Responses that the dialect can express without a loss. Consecutive texts are one message with several parts.
 */
const response: fc.Arbitrary<ExchangeResponse> = fc
  .record({
    parts: fc.array(fc.oneof(anyText.chain(withLogprobs), call, reasoning), { minLength: 1, maxLength: 6 }),
    usage,
    cut: fc.boolean(),
  })
  .map(({ parts, usage: counts, cut }) => {
    const unified = parts.some((part) => part.type === "tool-call") ? "tool-calls" : "stop";
    const finish: Finish = { unified: cut ? "length" : unified };
    return { id: "resp_a", model: "m", created: 1, candidates: [{ parts, finish }], usage: counts };
  });

describe("the responses codec", () => {
  it.each(recordings)("preserves the recorded response %s through encoding and decoding", (name) => {
    const decoded = responses.decodeResponse(readJsonFixture("responses", name)).value;
    const written = responses.encodeResponse(decoded, encodeContext()).value;
    expect(withoutOrigin(responses.decodeResponse(written).value)).toEqual(withoutOrigin(decoded));
  });

  it.each(streams)("decodes the recorded stream %s to the response in its last event", (name) => {
    const lines = readStreamFixture("responses", name);
    const last = JSON.parse(lines.at(-1) ?? "{}");
    const received = collect(decodeAll(responses, wireEvents(lines)));
    expect(withoutOrigin(received)).toEqual(withoutOrigin(responses.decodeResponse(last.response).value));
  });

  checkResponseLaws(responses, { response });

  it("ends a stream with the complete response", () => {
    fc.assert(
      fc.property(response, fc.array(fc.nat(40), { maxLength: 5 }), (response, cuts) => {
        const events = parseEvents(encodeAll(responses, streamOf(response, cuts)));
        const last = JSON.parse(events.at(-1)?.data ?? "{}").response;
        const whole = responses.encodeResponse(response, encodeContext()).value;
        expect(last).toEqual(JSON.parse(JSON.stringify(whole)));
      }),
    );
  });

  it("emits exactly one end or error for a stream, wherever the stream is cut off", () => {
    const lines = readStreamFixture("responses", "own-parallel-tools.chunks.txt");
    for (let length = 0; length <= lines.length; length += 1) {
      const received = decodeAll(responses, wireEvents(lines.slice(0, length)));
      const terminal = received.filter((event) => event.type === "end" || event.type === "error");
      expect(terminal.map((event) => event.type)).toEqual([length === lines.length ? "end" : "error"]);
    }
  });

  it("decodes every request that it encodes", () => {
    const functionTool = fc
      .record({ name: toolName, description: anyText, strict: fc.boolean() })
      .map((members): Tool => ({ type: "function", schema: { type: "object", properties: {} }, ...members }));
    const userTurn = fc
      .array(fc.oneof(textPart, image), { minLength: 1, maxLength: 3 })
      .map((parts): Turn => ({ role: "user", parts }));
    const exchange = fc
      .array(call, { minLength: 1, maxLength: 3 })
      .chain((calls) =>
        fc.tuple(fc.constant(calls), fc.array(anyText, { minLength: calls.length, maxLength: calls.length })),
      )
      .map(([calls, texts]): Turn[] => [
        { role: "assistant", parts: calls },
        {
          role: "user",
          parts: calls.map((part, at) => ({
            type: "tool-result",
            callId: part.type === "tool-call" ? part.id : "",
            content: [{ type: "text", text: texts[at] ?? "" }],
          })),
        },
        { role: "assistant", parts: [{ type: "text", text: "done" }] },
        { role: "user", parts: [{ type: "text", text: "go on" }] },
      ]);
    const conversation: fc.Arbitrary<ExchangeRequest> = fc
      .record({
        instructions: fc.array(textPart, { maxLength: 3 }),
        turns: fc.array(
          fc.oneof(
            userTurn.map((turn) => [turn]),
            exchange,
          ),
          { maxLength: 3 },
        ),
        tools: fc.uniqueArray(functionTool, {
          maxLength: 3,
          selector: (tool) => ("name" in tool ? tool.name : ""),
        }),
        maxOutputTokens: fc.integer({ min: 1, max: 9_999 }),
        stream: fc.boolean(),
      })
      .map(({ turns, maxOutputTokens, ...members }) =>
        request({
          ...members,
          turns: [{ role: "user", parts: [{ type: "text", text: "go" }] }, ...turns.flat()],
          sampling: { maxOutputTokens, temperature: 0.5 },
          store: false,
        }),
      );
    fc.assert(
      fc.property(conversation, (value) => {
        const { body } = writtenBody(responses, value);
        const read = responses.decodeRequest(body, {}).value;
        const { reasoning: _, ...rest } = read;
        const turns = rest.turns.map((turn) => ({ ...turn, parts: turn.parts.map(bare) }));
        expect({ ...rest, turns }).toEqual(value);
      }),
    );
  });
});

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codec as completions } from "../../../../src/proxy/dialects/completions/index.ts";
import type { ExchangeResponse } from "../../../../src/proxy/exchange/response.ts";
import {
  collect,
  decodeAll,
  encodeAll,
  encodeContext,
  everything,
  parseEvents,
  readJsonFixture,
  readStreamFixture,
  request,
  text,
  wireEvents,
  withoutOrigin,
  writtenBody,
} from "../../../support/exchange.ts";
import { anyText } from "../../../support/exchange-arbitraries.ts";
import { checkResponseLaws } from "../../../support/exchange-laws.ts";

const context = encodeContext({ request: request({ streamUsage: true }) });
const counts = fc.record({ total: fc.nat(999) });

const response: fc.Arbitrary<ExchangeResponse> = fc
  .record({ text: anyText, input: counts, output: counts, cut: fc.boolean() })
  .map(({ text: content, input, output, cut }) => ({
    id: "cmpl-a",
    model: "m",
    created: 1,
    candidates: [{ parts: [text(content)], finish: { unified: cut ? "length" : "stop" } }],
    usage: { input, output },
  }));

describe("the completions codec", () => {
  it("preserves a recorded response through encoding and decoding", () => {
    const decoded = completions.decodeResponse(
      readJsonFixture("chat-completions", "openai-completion-text.json"),
    ).value;
    expect(
      withoutOrigin(completions.decodeResponse(completions.encodeResponse(decoded, context).value).value),
    ).toEqual(withoutOrigin(decoded));
  });

  it("preserves a recorded stream through encoding and decoding", () => {
    const lines = readStreamFixture("chat-completions", "openai-completion-text.chunks.txt");
    const events = decodeAll(completions, [...wireEvents(lines), { event: "message", data: "[DONE]" }]);
    expect(
      withoutOrigin(collect(decodeAll(completions, parseEvents(encodeAll(completions, events, context))))),
    ).toEqual(withoutOrigin(collect(events)));
  });

  checkResponseLaws(completions, { response, context });

  it("reports the status in an error event", () => {
    const decoder = completions.createStreamDecoder();
    const event = { event: "message", data: JSON.stringify({ error: { code: 429, message: "Slow down" } }) };
    expect(decoder.push(event)).toMatchObject([
      { type: "error", error: { kind: "rate-limit", status: 429 } },
    ]);
  });

  it("emits exactly one end or error for a stream, wherever the stream is cut off", () => {
    const lines = readStreamFixture("chat-completions", "openai-completion-text.chunks.txt");
    for (let length = 0; length < lines.length; length += 1) {
      const received = decodeAll(completions, wireEvents(lines.slice(0, length)));
      expect(received.filter((event) => event.type === "end" || event.type === "error")).toHaveLength(1);
    }
  });

  it("decodes every request that it encodes", () => {
    fc.assert(
      fc.property(
        anyText,
        fc.integer({ min: 1, max: 99 }),
        fc.boolean(),
        (prompt, maxOutputTokens, stream) => {
          const value = request({
            turns: [{ role: "user", parts: [text(prompt)] }],
            sampling: { maxOutputTokens, stop: ["END"] },
            stream,
            ...(stream ? { streamUsage: true } : {}),
          });
          const { body, losses } = writtenBody(completions, value, everything);
          expect(losses).toEqual([]);
          expect(completions.decodeRequest(body, {}).value).toEqual(value);
        },
      ),
    );
  });

  it("keeps `logprobs: 0`, which requests the log probabilities of the chosen tokens", () => {
    const { value } = completions.decodeRequest({ model: "m", prompt: "a", best_of: 1, logprobs: 0 }, {});
    expect(value.extensions).toEqual({ completions: { logprobs: 0 } });
  });

  it("rejects a prompt of tokens, several prompts and a missing prompt, and names the member", () => {
    for (const prompt of [[1, 2, 3], ["a", "b"], undefined]) {
      expect(() => completions.decodeRequest({ model: "m", prompt }, {})).toThrow(/prompt/);
    }
  });
});

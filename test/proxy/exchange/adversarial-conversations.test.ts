import { expect, it } from "vitest";
import type { Part } from "../../../src/proxy/exchange/parts.ts";
import { finishSteps } from "../../../src/proxy/exchange/steps.ts";
import { pairToolResults } from "../../../src/proxy/exchange/tool-pairing.ts";
import { capabilitiesFor } from "../../../src/proxy/models/capabilities-for.ts";
import { codecs } from "../../support/codecs.ts";
import { request } from "../../support/exchange.ts";

/** With this number of elements, a quadratic search takes minutes and exceeds the test's time limit. */
const COUNT = 120_000;

it("pairs calls with results that precede them in linear time", () => {
  const results = Array.from(
    { length: COUNT },
    (): Part => ({ type: "tool-result", callId: "c", content: [] }),
  );
  const calls = Array.from(
    { length: COUNT },
    (): Part => ({ type: "tool-call", id: "c", name: "n", arguments: "{}" }),
  );
  const { turns, losses } = finishSteps(
    pairToolResults([
      { role: "user", parts: results },
      { role: "assistant", parts: calls },
    ]),
  );
  expect(turns.flatMap(({ parts }) => parts).filter((part) => part.type === "tool-result")).toHaveLength(
    COUNT,
  );
  expect(losses.filter(({ code }) => code === "tool-result-orphan")).toHaveLength(COUNT);
});

it("encodes signed reasoning in linear time", () => {
  // Comparisons of parts are fast, so that only this number exceeds the time limit.
  const count = 4 * COUNT;
  const reasoning = Array.from(
    { length: count },
    (_, index): Part => ({
      type: "reasoning",
      text: `t${index}`,
      vendor: "chat-completions",
      signature: "s",
      origin: { dialect: "chat-completions", raw: { type: "reasoning.text" } },
    }),
  );
  const capabilities = capabilitiesFor("chat-completions", "m", {
    "*": { optionalMembers: ["reasoning_details"] },
  });
  const turns = [{ role: "assistant", parts: reasoning }] as const;
  const { value } = codecs["chat-completions"].encodeRequest(request({ turns }), capabilities);
  expect(value.body).toMatchObject({ messages: [{ reasoning_details: { length: count } }] });
});

it("decodes a stream with many tool calls in linear time", () => {
  const decoder = codecs["chat-completions"].createStreamDecoder();
  let started = 0;
  for (let index = 0; index < COUNT / 2; index += 1) {
    const call = { index, id: `c${index}`, type: "function", function: { name: "n", arguments: "{}" } };
    const data = JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call] } }] });
    for (const event of decoder.push({ event: "message", data }))
      if (event.type === "part-start") started += 1;
  }
  expect(started).toBe(COUNT / 2);
});

it("finds the calls of results in reverse order in linear time", () => {
  const names = Array.from({ length: COUNT }, (_, index) => `n${index}`);
  const contents = [
    { role: "model", parts: names.map((name) => ({ functionCall: { name, args: {} } })) },
    { role: "user", parts: names.toReversed().map((name) => ({ functionResponse: { name, response: {} } })) },
  ];
  const { value } = codecs["generative-language"].decodeRequest({ contents }, { model: "m", stream: false });
  const [calls = [], results = []] = value.turns.map(({ parts }) =>
    parts.map((part) => (part.type === "tool-call" ? part.id : part.type === "tool-result" && part.callId)),
  );
  expect(results).toEqual(calls.toReversed());
});

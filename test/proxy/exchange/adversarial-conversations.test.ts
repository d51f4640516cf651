import { expect, it } from "vitest";
import type { Part } from "../../../src/proxy/exchange/parts.ts";
import { finishSteps } from "../../../src/proxy/exchange/steps.ts";
import { pairToolResults } from "../../../src/proxy/exchange/tool-pairing.ts";
import { codecs } from "../../support/codecs.ts";

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
  expect(losses.filter(({ code }) => code === "tool-result-duplicate")).toHaveLength(COUNT);
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

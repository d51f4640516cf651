import { expect, it } from "vitest";
import { codec as chat } from "../../../../src/proxy/dialects/chat-completions/index.ts";
import { parseJson } from "../../../../src/proxy/exchange/json.ts";
import { collect, decodeAll, wireEvents } from "../../../support/exchange.ts";

const ARGUMENTS = '{"id":9007199254740993}';
const CALL = `{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":${ARGUMENTS}}}`;
const part = { type: "tool-call", name: "f", arguments: ARGUMENTS };

it("tool arguments sent as an object keep all digits of numbers in a stream", () => {
  const chunk = `{"choices":[{"index":0,"delta":{"tool_calls":[${CALL}]},"finish_reason":"tool_calls"}]}`;
  const { candidates } = collect(decodeAll(chat, wireEvents([chunk, "[DONE]"])));
  expect(candidates[0]?.parts).toMatchObject([part]);
});

it("tool arguments sent as an object keep all digits of numbers in a response", () => {
  const body = parseJson(
    `{"choices":[{"message":{"tool_calls":[${CALL}]},"finish_reason":"tool_calls"}],"created":1}`,
  );
  expect(chat.decodeResponse(body).value.candidates[0]?.parts).toMatchObject([part]);
});

it("tool arguments sent as an object keep all digits of numbers in a request", () => {
  const messages = `[{"role":"user","content":"Hi"},{"role":"assistant","tool_calls":[${CALL}]}]`;
  const { value } = chat.decodeRequest(parseJson(`{"model":"m","messages":${messages}}`), {});
  expect(value.turns.at(-1)?.parts).toMatchObject([part]);
});

it("a creation time in nanoseconds counts as absent", () => {
  const choice = (member: string) => `"choices":[{"${member}":{"content":"Hi"},"finish_reason":"stop"}]`;
  const text = (member: string) => `{"created":1760000000000000001,${choice(member)}}`;
  const streamed = collect(decodeAll(chat, wireEvents([text("delta"), "[DONE]"])));
  const whole = chat.decodeResponse(parseJson(text("message"))).value;
  for (const response of [streamed, whole]) {
    expect(response.created).toBeUndefined();
    expect(response.candidates[0]?.parts).toMatchObject([{ type: "text", text: "Hi" }]);
  }
});

import { expect, test } from "vitest";
import { getProfile } from "../../../src/proxy/dialects/index.ts";
import { firstUsage, lastUsage, usageFrom } from "../../../src/proxy/usage/read-usage.ts";

const chat = getProfile("chat-completions").response;
const usage = {
  prompt_tokens: 7,
  completion_tokens: 3,
  "odd } member\\": 'with "quotes", a { and a \\',
  total_tokens: 10,
};
const response = JSON.stringify({ choices: [], usage, note: "}" });

test("usage is read completely after strings that contain braces, quotes and a final backslash", () => {
  expect(lastUsage(chat, response)).toEqual(usage);
  expect(firstUsage(chat, response)).toEqual(usage);
});

test("usage is read the same far from the end of the response", () => {
  const long = JSON.stringify({ usage, choices: ["x".repeat(2_000)] });
  expect(lastUsage(chat, long)).toEqual(usage);
});

test.each(['{"usage":{"prompt_tokens":7,"note":"cut of', '{"usage":{"prompt_tokens":7'])(
  "a piece that ends within the usage returns none: %s",
  (piece) => {
    expect(lastUsage(chat, piece)).toBeUndefined();
  },
);

test.each([
  ["messages", { output_tokens: 9, output_tokens_details: { thinking_tokens: 4 } }],
  ["chat-completions", { completion_tokens: 9, completion_tokens_details: { reasoning_tokens: 4 } }],
  ["responses", { output_tokens: 9, output_tokens_details: { reasoning_tokens: 4 } }],
  ["generative-language", { candidatesTokenCount: 5, thoughtsTokenCount: 4 }],
] as const)("reasoning tokens of %s vendors are counted within the output", (dialect, counts) => {
  expect(usageFrom(getProfile(dialect).response, counts)?.output).toEqual({ total: 9, reasoning: 4 });
});

import { describe, expect, it } from "vitest";
import { type Json, runScene } from "./harness.ts";

const message = "Too many tokens, please wait before trying again.";
const status = 429;
const headers = { "retry-after": "7" };

describe.each([
  ["responses", { error: { message, type: "rate_limit_error" } }],
  ["generative-language", { error: { code: 429, message, status: "RESOURCE_EXHAUSTED" } }],
  ["messages", { type: "error", error: { type: "rate_limit_error", message } }],
  ["chat-completions", { error: { message, type: "rate_limit_error" } }],
] as const)("a limit of tokens per minute at a %s upstream", (upstream, response) => {
  it.each([
    ["chat-completions", { messages: [{ role: "user", content: "Hi" }] }, "rate_limit_exceeded"],
    ["messages", { max_tokens: 9, messages: [{ role: "user", content: "Hi" }] }, "rate_limit_error"],
  ] as const)(
    "is a rate limit, not a prompt that is too long, for a %s client",
    async (client, asked, name) => {
      const body: Json = { model: "m", ...asked };
      const received = await runScene({ client, upstream, body, response, status, headers });
      expect([received.status, received.headers["retry-after"]]).toEqual([429, "7"]);
      expect(received.text).toContain(name);
      expect(received.text).toContain(message);
      expect(received.text).not.toMatch(/prompt is too long|context_length_exceeded/);
    },
  );
});

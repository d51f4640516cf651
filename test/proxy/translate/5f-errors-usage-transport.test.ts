import { describe, expect, it } from "vitest";
import {
  chatResponse,
  chatStream,
  type Json,
  messagesResponse,
  messagesStream,
  runScene,
} from "./harness.ts";

const hi = { role: "user", content: "Hi" };
const messagesBody = { model: "m", max_tokens: 9, messages: [hi] };
const chatBody = { model: "m", messages: [hi] };

const chatError = (message: string, more: Json = {}) => ({
  error: { message, type: "x", param: null, code: null, ...more },
});
const messagesError = (type: string, message: string) => ({ type: "error", error: { type, message } });

describe("5f errors, usage, transport", () => {
  it.each([
    [400, "invalid_request_error"],
    [401, "authentication_error"],
    [402, "billing_error"],
    [403, "permission_error"],
    [404, "not_found_error"],
    [413, "request_too_large"],
    [422, "invalid_request_error"],
    [429, "rate_limit_error"],
    [500, "api_error"],
    [504, "timeout_error"],
  ])("94 95 returns the status %i as %s to a messages client", async (status, type) => {
    const received = await runScene({
      client: "messages",
      upstream: "chat-completions",
      body: messagesBody,
      status,
      response: chatError("why"),
    });
    expect(received.status).toBe(status);
    expect(received.json).toEqual({ type: "error", error: { type, message: "why" }, request_id: "req_1" });
  });

  it.each([
    ["invalid_request_error", 400, 400, "invalid_request_error", null],
    ["authentication_error", 401, 401, "authentication_error", "invalid_api_key"],
    ["not_found_error", 404, 404, "invalid_request_error", "model_not_found"],
    ["rate_limit_error", 429, 429, "rate_limit_error", "rate_limit_exceeded"],
    ["overloaded_error", 529, 503, "server_error", null],
    ["api_error", 500, 500, "server_error", null],
  ])("94 95 returns %s to a chat client in its format", async (type, status, expected, received, code) => {
    const response = messagesError(type, "why");
    const got = await runScene({
      client: "chat-completions",
      upstream: "messages",
      body: chatBody,
      status,
      response,
    });
    expect(got.status).toBe(expected);
    expect(got.json).toEqual({ error: { message: "why", type: received, param: null, code } });
  });

  it("94 returns errors of the proxy in the client's format", async () => {
    const bad = await runScene({ client: "messages", upstream: "chat-completions", body: "{" });
    expect([bad.status, bad.json]).toMatchObject([
      400,
      { type: "error", error: { type: "invalid_request_error" } },
    ]);
    const wrong = await runScene({
      client: "chat-completions",
      upstream: "messages",
      body: { model: "m", messages: "Hi" },
    });
    expect([wrong.status, wrong.json]).toMatchObject([400, { error: { param: "messages" } }]);
  });

  it("96 reports a prompt that is too long with the text that clients match", async () => {
    const long =
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.";
    const toMessages = await runScene({
      client: "messages",
      upstream: "chat-completions",
      body: messagesBody,
      status: 400,
      response: chatError(long, { code: "context_length_exceeded" }),
    });
    expect(toMessages.json).toMatchObject({
      error: { type: "invalid_request_error", message: `prompt is too long: ${long}` },
    });
    const toChat = await runScene({
      client: "chat-completions",
      upstream: "messages",
      body: chatBody,
      status: 400,
      response: messagesError("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    });
    expect(toChat.json).toMatchObject({
      error: { code: "context_length_exceeded", message: expect.stringContaining("210000 tokens > 200000") },
    });
  });

  it.each([
    [{ "retry-after": "7" }, "7"],
    [{ "retry-after-ms": "1500" }, "2"],
    [{}, undefined],
  ])("97 reads retry-after from %j", async (headers, expected) => {
    const received = await runScene({
      client: "messages",
      upstream: "chat-completions",
      body: messagesBody,
      status: 429,
      headers: headers as Record<string, string>,
      response: chatError("slow down"),
    });
    expect(received.headers["retry-after"]).toBe(expected);
  });

  it("94 returns the validation errors of a FastAPI server to the client", async () => {
    const detail = [{ loc: ["body", "n"], msg: "Input should be less than 2", type: "less_than" }];
    const received = await runScene({
      client: "messages",
      upstream: "chat-completions",
      body: messagesBody,
      status: 422,
      response: { detail },
    });
    expect([received.status, received.json]).toMatchObject([
      422,
      { error: { message: "body.n: Input should be less than 2" } },
    ]);
  });

  it("97 reads retry-after as a date", async () => {
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    const secondsLeft = () => Math.ceil((Date.parse(date) - Date.now()) / 1000);
    const max = secondsLeft();
    const received = await runScene({
      client: "messages",
      upstream: "chat-completions",
      body: messagesBody,
      status: 429,
      headers: { "retry-after": date },
      response: chatError("slow down"),
    });
    const given = Number(received.headers["retry-after"]);
    expect(given).toBeLessThanOrEqual(max);
    expect(given).toBeGreaterThanOrEqual(secondsLeft());
  });

  it("97 converts the RetryInfo of generative-language to retry-after", async () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.07s" }];
    const received = await runScene({
      client: "chat-completions",
      upstream: "generative-language",
      body: chatBody,
      status: 429,
      response: { error: { code: 429, message: "quota", status: "RESOURCE_EXHAUSTED", details } },
    });
    expect([received.status, received.headers["retry-after"]]).toEqual([429, "35"]);
  });

  it("99 distinguishes an exhausted quota from a rate limit", async () => {
    const response = chatError("You exceeded your current quota", {
      type: "insufficient_quota",
      code: "insufficient_quota",
    });
    const received = await runScene({
      client: "responses",
      upstream: "chat-completions",
      body: { model: "m", input: "Hi" },
      status: 429,
      response,
    });
    expect(received.json).toMatchObject({ error: { code: "insufficient_quota" } });
  });

  it("100 reports reasoning tokens in both directions, streamed and complete", async () => {
    const usage = { input_tokens: 3, output_tokens: 9, output_tokens_details: { thinking_tokens: 4 } };
    const chat = {
      model: "m",
      messages: [{ role: "user", content: "Hi" }],
      stream_options: { include_usage: true },
    };
    const block = [
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "a" } },
      { type: "content_block_stop", index: 0 },
    ];
    for (const stream of [false, true]) {
      const there = await runScene({
        client: "chat-completions",
        upstream: "messages",
        body: { ...chat, stream },
        response: stream
          ? messagesStream(block, "end_turn", usage)
          : messagesResponse([{ type: "text", text: "a" }], "end_turn", { usage }),
      });
      expect(there.text).toContain('"completion_tokens":9');
      expect(there.text).toContain('"reasoning_tokens":4');
      const counts = {
        prompt_tokens: 3,
        completion_tokens: 9,
        completion_tokens_details: { reasoning_tokens: 4 },
      };
      const back = await runScene({
        client: "messages",
        upstream: "chat-completions",
        body: { ...messagesBody, stream },
        response: stream
          ? chatStream([{ content: "a" }], "stop", counts)
          : chatResponse({ content: "a" }, "stop", { usage: counts }),
      });
      expect(back.text).toContain('"output_tokens":9,"output_tokens_details":{"thinking_tokens":4}');
    }
  });

  it.each(["chat-completions", "responses", "messages", "generative-language"] as const)(
    "94 returns the message of a %s server's error from every known member",
    async (upstream) => {
      const client = upstream === "messages" ? "chat-completions" : "messages";
      const ask = async (response: Json | string) => {
        const received = await runScene({ client, upstream, body: messagesBody, status: 503, response });
        return (received.json["error"] as Json)["message"];
      };
      const message = "The model is loading";
      const bodies = [
        { error: { message } },
        { error: message },
        { message },
        { detail: message },
        { detail: [{ loc: ["body", "n"], msg: message }] },
        `${message}\n`,
      ];
      for (const body of bodies) expect(await ask(body), JSON.stringify(body)).toContain(message);
      for (const nothing of ["", {}, { error: { message: "" } }])
        expect(await ask(nothing), JSON.stringify(nothing)).toMatch(/^The upstream responded with .*503\.$/);
    },
  );

  it("keeps the status of an error that is a web page or empty, and returns no markup", async () => {
    for (const response of ["<html><body>nginx</body></html>", ""]) {
      const received = await runScene({
        client: "messages",
        upstream: "chat-completions",
        body: messagesBody,
        status: 502,
        response,
      });
      expect(received.status).toBe(502);
      expect(received.json).toMatchObject({
        type: "error",
        error: { type: "api_error", message: "The upstream responded with status 502." },
      });
    }
  });

  it("100 converts usage: cached tokens inside or outside, reasoning outside, totals recomputed", async () => {
    const inside = await runScene({
      client: "messages",
      upstream: "chat-completions",
      body: messagesBody,
      response: chatResponse({ content: "a" }, "stop", {
        usage: {
          prompt_tokens: 100,
          completion_tokens: 10,
          total_tokens: 999,
          prompt_tokens_details: { cached_tokens: 80 },
        },
      }),
    });
    expect(inside.json["usage"]).toEqual({
      input_tokens: 20,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 80,
      output_tokens: 10,
    });
    const outside = await runScene({
      client: "chat-completions",
      upstream: "messages",
      body: chatBody,
      response: messagesResponse([], "end_turn", {
        usage: {
          input_tokens: 20,
          cache_read_input_tokens: 70,
          cache_creation_input_tokens: 10,
          output_tokens: 10,
        },
      }),
    });
    expect(outside.json["usage"]).toEqual({
      prompt_tokens: 100,
      completion_tokens: 10,
      total_tokens: 110,
      prompt_tokens_details: { cached_tokens: 70, cache_write_tokens: 10 },
      completion_tokens_details: { reasoning_tokens: 0 },
    });
    const thoughts = await runScene({
      client: "chat-completions",
      upstream: "generative-language",
      body: chatBody,
      response: {
        candidates: [{ content: { role: "model", parts: [{ text: "a" }] }, finishReason: "STOP" }],
        usageMetadata: {
          promptTokenCount: 50,
          cachedContentTokenCount: 40,
          candidatesTokenCount: 5,
          thoughtsTokenCount: 20,
          totalTokenCount: 75,
        },
      },
    });
    expect(thoughts.json["usage"]).toMatchObject({
      prompt_tokens: 50,
      completion_tokens: 25,
      total_tokens: 75,
      completion_tokens_details: { reasoning_tokens: 20 },
    });
  });

  it("101 reads DeepSeek's cache hits", async () => {
    const received = await runScene({
      client: "messages",
      upstream: "chat-completions",
      body: messagesBody,
      response: chatResponse({ content: "a" }, "stop", {
        usage: {
          prompt_tokens: 10,
          completion_tokens: 1,
          prompt_cache_hit_tokens: 4,
          prompt_cache_miss_tokens: 6,
        },
      }),
    });
    expect(received.json["usage"]).toMatchObject({ input_tokens: 6, cache_read_input_tokens: 4 });
  });

  it("102 returns no usage that the upstream has not reported", async () => {
    const received = await runScene({
      client: "chat-completions",
      upstream: "chat-completions",
      body: chatBody,
      response: chatResponse({ content: "a" }),
    });
    expect(received.json).not.toHaveProperty("usage");
    expect(received.outcome.usage).toBeUndefined();
  });

  it.each([
    ["__proto__", '{"model":"m","messages":[{"role":"user","content":"x","__proto__":{"a":1}}]}'],
    ["nesting deeper than 256", `{"model":"m","messages":[],"x":${"[".repeat(300)}${"]".repeat(300)}}`],
    ["invalid JSON", '{"model":"m"'],
    ["a body that is not an object", "[1]"],
  ])("107 rejects %s with 400", async (_, body) => {
    const received = await runScene({ client: "chat-completions", upstream: "messages", body });
    expect(received.status).toBe(400);
    expect(received.json).toHaveProperty("error.message");
    expect(received.sent).toBeNull();
  });

  it("107 rejects a hundred thousand levels of nesting without a stack overflow", async () => {
    const deep = `{"model":"m","messages":[],"x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    expect((await runScene({ client: "chat-completions", upstream: "messages", body: deep })).status).toBe(
      400,
    );
  });

  it("107 accepts lone surrogates and the proxy's own placeholders in a text", async () => {
    const body = '{"model":"m","messages":[{"role":"user","content":"\\ud83d raw-0 sally1.responses.x"}]}';
    const received = await runScene({ client: "chat-completions", upstream: "messages", body });
    expect(received.sentText).toContain("\\ud83d raw-0 sally1.responses.x");
  });
});

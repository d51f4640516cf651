import { describe, expect, it } from "vitest";
import { codec as responses } from "../../../../src/proxy/dialects/responses/index.ts";
import { profile } from "../../../../src/proxy/dialects/responses/profile.ts";
import { DialectError } from "../../../../src/proxy/exchange/dialect-error.ts";
import type { ExchangeError } from "../../../../src/proxy/exchange/error.ts";
import type { Candidate, ExchangeResponse } from "../../../../src/proxy/exchange/response.ts";
import {
  decodeAll,
  encodeContext,
  readJsonFixture,
  request,
  text,
  wireEvents,
} from "../../../support/exchange.ts";

function responseWith(candidate: Partial<Candidate>, more: Partial<ExchangeResponse> = {}): ExchangeResponse {
  return { candidates: [{ parts: [], finish: { unified: "stop" }, ...candidate }], ...more };
}

function write(response: ExchangeResponse, context = encodeContext()) {
  return responses.encodeResponse(response, context).value as Record<string, unknown>;
}

function thrown(run: () => unknown): ExchangeError {
  try {
    run();
  } catch (error) {
    if (error instanceof DialectError) return error.error;
    throw error;
  }
  throw new Error("Nothing was thrown.");
}

describe("responses of the responses dialect", () => {
  it.each([
    [{ status: "completed" }, "stop"],
    [{ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }, "length"],
    [{ status: "incomplete", incomplete_details: { reason: "content_filter" } }, "content-filter"],
  ])("56: decodes %j as %s", (members, unified) => {
    const { value } = responses.decodeResponse({ output: [], ...members });
    expect(value.candidates[0]?.finish.unified).toBe(unified);
  });

  it("57: reports a truncated response with a call as length, not as tool-calls", () => {
    const { value } = responses.decodeResponse({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output: [{ type: "function_call", call_id: "c", name: "f", arguments: "{" }],
    });
    expect(value.candidates[0]?.finish.unified).toBe("length");
  });

  it("56: throws the error of a failed response", () => {
    const error = { code: "rate_limit_exceeded", message: "slow down" };
    expect(thrown(() => responses.decodeResponse({ status: "failed", error, output: [] }))).toMatchObject({
      kind: "rate-limit",
      status: 429,
      message: "slow down",
    });
  });

  it("63: keeps the input and output of the vendor's own tools", () => {
    const { value } = responses.decodeResponse(
      readJsonFixture("responses", "openai-code-interpreter-tool.1.json"),
    );
    const tools = value.candidates[0]?.parts.filter((part) => part.type === "server-tool") ?? [];
    expect(tools).toHaveLength(3);
    expect(tools[0]).toMatchObject({ tool: "code-execution", name: "code_interpreter" });
  });

  it("61: encodes an empty response with an empty output", () => {
    expect(write(responseWith({}))).toMatchObject({ status: "completed", output: [] });
  });

  it("59: encodes consecutive texts as one message of several parts", () => {
    expect(write(responseWith({ parts: [text("a"), text("b")] }))["output"]).toMatchObject([
      { type: "message", content: [{ text: "a" }, { text: "b" }] },
    ]);
  });

  it("65, 66: encodes IDs, times and every member that typed clients require", () => {
    const written = write(responseWith({}, { id: "msg_01", created: 5 }));
    expect(written).toMatchObject({
      id: "resp_msg_01",
      created_at: 5,
      object: "response",
      model: "client-model",
    });
    expect(write(responseWith({}))).toMatchObject({ id: "resp_fallback1", created_at: 1_760_000_000 });
    for (const key of [
      "error",
      "incomplete_details",
      "instructions",
      "metadata",
      "tools",
      "top_p",
      "usage",
    ]) {
      expect(written).toHaveProperty(key);
    }
  });

  it("65: repeats the client's options", () => {
    const asked = request({
      instructions: [text("Be brief.")],
      tools: [{ type: "function", name: "f", schema: { type: "object" }, strict: true }],
      toolChoice: { mode: "required" },
      sampling: { temperature: 0.25 },
      previousResponseId: "resp_0",
    });
    expect(write(responseWith({}), encodeContext({ request: asked }))).toMatchObject({
      instructions: "Be brief.",
      tools: [{ type: "function", name: "f", strict: true }],
      tool_choice: "required",
      temperature: 0.25,
      previous_response_id: "resp_0",
    });
  });

  it("100: includes cached and reasoning tokens in the counts", () => {
    const usage = { input: { total: 10, cacheRead: 4, cacheWrite: 2 }, output: { total: 7, reasoning: 3 } };
    expect(write(responseWith({}, { usage }))["usage"]).toEqual({
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 3 },
      total_tokens: 17,
    });
  });

  it("40: wraps another vendor's signature under the vendor's name", () => {
    const parts = [{ type: "reasoning", text: "plan", vendor: "messages", signature: "sig" }] as const;
    const [item] = write(responseWith({ parts }))["output"] as Record<string, unknown>[];
    expect(item).toMatchObject({ encrypted_content: "sally1.messages.sig" });
    const read = responses.decodeRequest({ model: "m", input: [item] }, {}).value;
    expect(read.turns[0]?.parts).toMatchObject([{ vendor: "messages", signature: "sig", text: "plan" }]);
    expect(read.turns[0]?.parts[0]?.origin).toBeUndefined();
  });
});

describe("errors of the responses dialect", () => {
  it.each([
    [429, { error: { message: "no money", code: "insufficient_quota" } }, "quota"],
    [429, { error: { message: "slow", code: "rate_limit_exceeded" } }, "rate-limit"],
    [400, { error: { message: "x", code: "context_length_exceeded" } }, "context-overflow"],
    [400, { error: { message: "maximum context length is 10" } }, "context-overflow"],
    [422, { error: { message: "maximum context length is 10" } }, "context-overflow"],
    [500, { error: { message: "x", code: "context_length_exceeded" } }, "context-overflow"],
    [429, { error: { message: "too many tokens" } }, "rate-limit"],
    [401, { error: { message: "key" } }, "authentication"],
    [404, { error: { message: "gone" } }, "not-found"],
    [503, "<html>down</html>", "overloaded"],
    [500, undefined, "upstream"],
  ])("95, 96, 99: decodes status %i with %j as %s", (status, body, kind) => {
    const error = responses.decodeError(status, { "retry-after": "7" }, body);
    expect(error).toMatchObject({ kind, status, retryAfterSeconds: 7 });
    expect(error.message).not.toBe("");
  });

  it.each([
    [{ code: "invalid_request", message: "Your input exceeds the context window." }, "context-overflow", 400],
    [{ code: 400, type: "BadRequestError", message: "maximum context length" }, "context-overflow", 400],
    [{ code: "server_error", message: "maximum context length is 10" }, "context-overflow", 400],
    [{ code: "rate_limit_exceeded", message: "too many tokens" }, "rate-limit", 429],
    [{ code: 422, message: "x" }, "unprocessable", 422],
    [{ code: "server_error", message: "x" }, "upstream", 502],
  ])(
    "96, 99: decodes %j in a stream or a failed response as %s with the status %i",
    (error, kind, status) => {
      const event = JSON.stringify({ type: "response.failed", response: { status: "failed", error } });
      const events = decodeAll(responses, wireEvents([event]));
      expect(events.at(-1)).toMatchObject({ type: "error", error: { kind, status } });
      const failed = () => responses.decodeResponse({ status: "failed", error, output: [] });
      expect(thrown(failed)).toMatchObject({ kind, status });
    },
  );

  it("94, 97: encodes the error object, the status and retry-after", () => {
    const error: ExchangeError = { kind: "rate-limit", status: 429, message: "slow", retryAfterSeconds: 9 };
    expect(profile.client.encodeError(error)).toEqual({
      status: 429,
      headers: { "retry-after": "9" },
      body: {
        error: { message: "slow", type: "rate_limit_error", param: null, code: "rate_limit_exceeded" },
      },
    });
  });

  it("95: replaces the status 529, which the dialect does not define, with 503", () => {
    expect(profile.client.encodeError({ kind: "overloaded", status: 529, message: "busy" }).status).toBe(503);
  });
});

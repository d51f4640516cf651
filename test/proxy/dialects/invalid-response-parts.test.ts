import { describe, expect, it } from "vitest";
import { codec as chat } from "../../../src/proxy/dialects/chat-completions/index.ts";
import { codec as messages } from "../../../src/proxy/dialects/messages/index.ts";
import { codec as responses } from "../../../src/proxy/dialects/responses/index.ts";
import { DialectError } from "../../../src/proxy/exchange/dialect-error.ts";
import { finishSteps } from "../../../src/proxy/exchange/steps.ts";
import { wireEvents } from "../../support/exchange.ts";

const invalid = { kind: "upstream", status: 502, errorCode: "upstream_invalid" };

function thrown(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    if (error instanceof DialectError) return error.error;
    throw error;
  }
  throw new Error("Nothing was thrown.");
}

describe("an upstream's response with an invalid part", () => {
  it.each([
    ["messages", messages, { type: "message", content: [{ type: "text", text: 1 }] }],
    ["messages", messages, { type: "message", content: [{ type: "redacted_thinking" }] }],
    ["chat-completions", chat, { choices: [{ message: { content: [{ type: "text", text: 1 }] } }] }],
    ["chat-completions", chat, { choices: [{ message: { content: [{ type: "file", file: {} }] } }] }],
    ["responses", responses, { output: [{ type: "function_call", call_id: 1 }] }],
  ])("is an error 502 of the upstream in the %s dialect", (_, codec, body) => {
    for (const decode of [
      () => codec.decodeResponse(body),
      () => finishSteps(codec.decodeResponseInSteps(body)),
    ]) {
      const error = thrown(decode);
      expect(error).toMatchObject(invalid);
      expect(error).toMatchObject({
        message: expect.stringContaining("The upstream's response is invalid: "),
      });
      expect(error).not.toHaveProperty("param");
    }
  });

  it.each([
    [{ type: "content_block_stop", index: 0 }],
    // The decoder ends the open blocks itself.
    [{ type: "message_stop" }],
  ])("is an error event in a stream of messages that ends with %j", (last) => {
    const decoder = messages.createStreamDecoder();
    const stream = [
      { type: "message_start", message: { id: "msg_1", model: "m" } },
      { type: "content_block_start", index: 0, content_block: { type: "redacted_thinking" } },
      last,
      { type: "message_stop" },
    ];
    const events = wireEvents(stream.map((event) => JSON.stringify(event))).flatMap((event) =>
      decoder.push(event),
    );
    expect(events).toMatchObject([{ type: "start" }, { type: "error", error: invalid }]);
    expect(decoder.end()).toEqual([]);
  });
});

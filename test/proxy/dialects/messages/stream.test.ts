import { expect, it } from "vitest";
import { codec as messages } from "../../../../src/proxy/dialects/messages/index.ts";
import { collect, decodeAll, wireEvents } from "../../../support/exchange.ts";

it("a block of a messages stream that becomes several parts gives each part its own index", () => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
  const source = { type: "content", content: [{ type: "text", text: "a" }, image] };
  const stream = [
    { type: "message_start", message: { id: "msg_1", model: "m" } },
    { type: "content_block_start", index: 0, content_block: { type: "document", source } },
    { type: "content_block_stop", index: 0 },
    { type: "content_block_start", index: 1, content_block: { type: "text", text: "b" } },
    { type: "content_block_stop", index: 1 },
    { type: "message_delta", delta: { stop_reason: "end_turn" } },
    { type: "message_stop" },
  ];
  const response = collect(decodeAll(messages, wireEvents(stream.map((event) => JSON.stringify(event)))));
  expect(response.candidates[0]?.parts.map(({ type }) => type)).toEqual(["document", "image", "text"]);
});

import { describe, expect, it } from "vitest";
import { withoutForeignThinking } from "../../../src/proxy/translate/request/foreign-thinking.ts";
import { chatResponse, chatStream, type Json, runScene, sent } from "./harness.ts";

const hi = { role: "user", content: "Hi" };
const call = { id: "c1", type: "function", function: { name: "f", arguments: "{}" } };
const tools = [{ type: "function", name: "f", parameters: { type: "object" } }];
const result = { type: "function_call_output", call_id: "c1", output: "done" };

/** Returns the items that a responses client receives from a chat-completions upstream that does not sign reasoning. */
async function receiveItems(stream: boolean): Promise<readonly Json[]> {
  const message = { reasoning_content: "Hm", tool_calls: [{ index: 0, ...call }] };
  const received = await runScene({
    client: "responses",
    upstream: "chat-completions",
    body: { model: "m", input: [hi], tools, stream },
    response: stream ? chatStream([message], "tool_calls") : chatResponse(message, "tool_calls"),
  });
  const response = stream ? (received.data.at(-1)?.["response"] as Json) : received.json;
  return response["output"] as Json[];
}

describe.each([false, true])(
  "unsigned reasoning as an item for responses clients (streamed: %s)",
  (stream) => {
    it("is marked, and not sent to a responses upstream, which does not know the item", async () => {
      const [reasoning, functionCall] = await receiveItems(stream);
      expect(reasoning).toMatchObject({
        type: "reasoning",
        summary: [{ type: "summary_text", text: "Hm" }],
        encrypted_content: "sally1.chat-completions.",
      });
      const body = Buffer.from(JSON.stringify({ model: "m", input: [hi, reasoning, functionCall, result] }));
      const cleaned = await withoutForeignThinking("responses", body);
      expect(JSON.parse(cleaned.toString())).toEqual({ model: "m", input: [hi, functionCall, result] });
    });

    it("is sent back to the vendor that expects it, and is a loss at any other", async () => {
      const items = await receiveItems(stream);
      const body = { model: "m", input: [hi, ...items, result], tools };
      const own = await sent("responses", "chat-completions", body, { model: "deepseek-chat" });
      expect(own.sent["messages"]).toMatchObject([{}, { reasoning_content: "Hm" }, {}]);
      expect(own.losses).toEqual([]);
      const other = await sent("responses", "messages", body);
      expect(other.sentText).not.toContain("Hm");
      expect(other.losses).toEqual(["reasoning"]);
    });
  },
);

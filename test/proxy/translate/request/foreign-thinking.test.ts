import { describe, expect, it } from "vitest";
import { withoutForeignThinking } from "../../../../src/proxy/translate/request/foreign-thinking.ts";

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const cleaned = (dialect: "messages" | "responses" | "generative-language", value: unknown) =>
  JSON.parse(withoutForeignThinking(dialect, bytes(value)).toString());

const base64 = (plain: string) => Buffer.from(plain).toString("base64");

describe("another vendor's thinking in a native call", () => {
  it("is removed for messages, whose own thinking stays", () => {
    const own = { type: "thinking", thinking: "Mine", signature: "c2ln" };
    const content = [
      own,
      { type: "thinking", thinking: "Theirs", signature: "sally1.chat-completions." },
      { type: "redacted_thinking", data: "sally1.responses.x" },
      { type: "text", text: "So." },
    ];
    const hi = { role: "user", content: "Hi" };
    expect(cleaned("messages", { model: "m", messages: [hi, { role: "assistant", content }] })).toEqual({
      model: "m",
      messages: [hi, { role: "assistant", content: [own, { type: "text", text: "So." }] }],
    });
  });

  it("is removed for responses", () => {
    const input = [
      { role: "user", content: "Hi" },
      { type: "reasoning", summary: [], encrypted_content: "sally1.messages.x" },
    ];
    expect(cleaned("responses", { input })).toEqual({ input: [input[0]] });
  });

  it("is removed for generative-language, while a signed call is kept without its signature", () => {
    const call = { functionCall: { name: "f", args: {} } };
    const parts = [
      { text: "Hm", thought: true, thoughtSignature: base64("sally1.messages.x") },
      { text: "Hm", thought: true, thought_signature: base64("sally1.responses.????").replace("/", "_") },
      { ...call, thoughtSignature: base64("sally1.messages.y") },
    ];
    expect(cleaned("generative-language", { contents: [{ role: "model", parts }] })).toEqual({
      contents: [{ role: "model", parts: [call] }],
    });
  });

  it("is removed from a large body, whose bytes stay unchanged if there is no such thinking", async () => {
    const long = "x".repeat(3_000_000);
    const messages = [
      { role: "user", content: long },
      { role: "assistant", content: [{ type: "redacted_thinking", data: "sally1.responses.x" }] },
    ];
    const result = await withoutForeignThinking("messages", bytes({ messages }));
    expect(result.equals(bytes({ messages: [messages[0]] }))).toBe(true);
    const plain = bytes({ messages: [{ role: "user", content: `sally1.${long}` }] });
    expect(await withoutForeignThinking("messages", plain)).toBe(plain);
  });

  it("leaves the bytes unchanged if it occurs only in text or not at all", () => {
    for (const text of [
      '{"messages": [ {"role":"user","content":"Hi","n":1.0} ]}',
      '{"messages":[{"role":"user","content":"what is sally1.responses.x?","n":1.0}]}',
      "sally1. no JSON",
    ]) {
      const body = Buffer.from(text);
      expect(withoutForeignThinking("messages", body)).toBe(body);
    }
  });

  it("leaves large integers unchanged", () => {
    const body = Buffer.from(
      '{"id":9007199254740993,"input":[{"type":"reasoning","encrypted_content":"sally1.messages.x"}]}',
    );
    expect(withoutForeignThinking("responses", body).toString()).toBe('{"id":9007199254740993,"input":[]}');
  });
});

import { describe, expect, it } from "vitest";
import { getProfile } from "../../../src/proxy/dialects/index.ts";
import { StreamWatch } from "../../../src/proxy/usage/stream-watch.ts";

const FINISH = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}';

function watched(text: string, dialect: "chat-completions" | "generative-language" | "messages") {
  const watch = new StreamWatch(getProfile(dialect).response);
  watch.push(Buffer.from(text));
  return watch;
}

describe("the end of a stream", () => {
  it("is detected at a finish reason, with or without [DONE] and the last line end", () => {
    for (const end of ["", "\n", "\n\n", "\n\ndata: [DONE]", "\n\ndata: [DONE]\n\n", "\n\n: bye"])
      expect(watched(`${FINISH}${end}`, "chat-completions").ended, JSON.stringify(end)).toBe(true);
  });

  it("is not detected if the connection ends within an event", () => {
    const whole = `${FINISH}\n\ndata: [DONE]`;
    const between = [FINISH.length, FINISH.length + 1, FINISH.length + 2, whole.length];
    const ends = Array.from({ length: whole.length + 1 }, (_, length) => length).filter(
      (length) => watched(whole.slice(0, length), "chat-completions").ended,
    );
    expect(ends).toEqual(between);
  });

  it("is not detected within the last event of the other dialects", () => {
    const google = 'data: {"candidates":[{"finishReason":"STOP"}]}';
    expect(watched(google, "generative-language").ended).toBe(true);
    expect(watched(google.slice(0, -1), "generative-language").ended).toBe(false);
    const claude = 'event: message_stop\ndata: {"type":"message_stop"}';
    expect(watched(claude, "messages").ended).toBe(true);
    expect(watched(claude.slice(0, -1), "messages").ended).toBe(false);
  });

  it("is not detected at a text of the model that contains the end marker", () => {
    for (const marker of ["data: [DONE]", "data:[DONE]"]) {
      const text = `data: {"choices":[{"delta":{"content":"It ends with ${marker}"}}]}\n\n`;
      expect(watched(text, "chat-completions").ended, marker).toBe(false);
      expect(watched(`${text}${marker}\n\n`, "chat-completions").ended, marker).toBe(true);
      expect(watched(`${text}${marker}\r\n\r\n`, "chat-completions").ended, marker).toBe(true);
      expect(watched(`${marker}\n\n`, "chat-completions").ended, marker).toBe(true);
    }
  });

  it("is detected only at a whole line when earlier bytes are dropped", () => {
    const event = (text: string) => `data: {"choices":[{"delta":{"content":"${text}"}}]}\n\n`;
    // The filler moves the marker over the border between the dropped and the retained bytes.
    for (let length = 16_000; length < 17_000; length += 1) {
      const filler = event("x".repeat(length - 44));
      const before = event("y".repeat(40_000));
      const inText = watched(`${before}${event("data: [DONE]")}${filler}`, "chat-completions");
      const asLine = watched(`${before}data: [DONE]\n\n${filler}`, "chat-completions");
      expect([length, inText.ended, asLine.ended]).toEqual([length, false, true]);
    }
  });

  it("is detected by the last byte if the last line began before the retained bytes", () => {
    const long = `data: {"finish_reason":"stop","text":"${"x".repeat(100_000)}"`;
    expect(watched(long, "chat-completions").ended).toBe(false);
    const watch = watched(`${long}}`, "chat-completions");
    expect(watch.ended).toBe(true);
  });
});

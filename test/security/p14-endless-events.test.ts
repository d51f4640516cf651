import { describe, expect, it, onTestFinished } from "vitest";
import { createSseParser, SseEventTooLargeError } from "../../src/sse/parse.ts";
import { startFakeUpstream } from "../support/fake-upstream.ts";
import { question } from "../support/faulty-upstream.ts";
import { startTestProxy } from "../support/start-proxy.ts";

const MEBIBYTE = 1024 * 1024;

/**
 * The tests of backpressure by a stalled client are in test/proxy/native-lane.test.ts and translation-lane.test.ts.
 */
describe("P14 an event without end", () => {
  it.each([
    ["one line", "x", "data: "],
    ["many lines", "data: x\n", ""],
    ["a name", "x", "event: "],
    ["a comment", "x", ": "],
  ])("is not collected: %s", (_name, piece, begin) => {
    const parser = createSseParser(1_000);
    const bytes = new TextEncoder().encode(piece.repeat(100));
    expect(() => {
      parser.push(new TextEncoder().encode(begin));
      for (let count = 0; count < 30; count += 1) parser.push(bytes);
    }).toThrow(SseEventTooLargeError);
  });

  it("ends the call with an error in the client's dialect and closes the upstream connection", async () => {
    const upstream = await startFakeUpstream(async (hit, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: ");
      let closed = false;
      void hit.closed.then(() => {
        closed = true;
      });
      for (let count = 0; !closed && count < 64; count += 1) {
        if (!response.write("x".repeat(MEBIBYTE)))
          await Promise.race([new Promise((resolve) => response.once("drain", resolve)), hit.closed]);
      }
    });
    const proxy = await startTestProxy({
      upstreams: { a: { dialect: "chat-completions", base_url: upstream.url, models: ["m"] } },
    });
    onTestFinished(async () => {
      await proxy.close();
      await upstream.close();
    });
    const { path, body } = question("messages", "m", true);
    const response = await fetch(`${proxy.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const text = await response.text();
    expect(text).toContain('"type":"error"');
    expect(text.length).toBeLessThan(10_000);
    await upstream.hits[0]?.closed;
  });
});

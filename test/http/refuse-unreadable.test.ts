import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createApp } from "../../src/http/app.ts";
import { openListeners } from "../../src/http/listeners.ts";
import { planServer } from "../support/plan-server.ts";
import { quietPort } from "../support/quiet-port.ts";
import { startTestProxy } from "../support/start-proxy.ts";

/** More bytes than the socket buffers of both ends hold. */
const REST = Buffer.alloc(8 * 1024 * 1024, "x");

async function proxyPort(): Promise<number> {
  const proxy = await startTestProxy({});
  onTestFinished(() => proxy.close());
  return Number(new URL(proxy.url).port);
}

async function reviewPort(): Promise<number> {
  const { app } = await planServer();
  await app.listen({ port: 0, host: "127.0.0.1" });
  return (app.server.address() as { port: number }).port;
}

async function getListenersPort(): Promise<number> {
  const listeners = await openListeners({ port: await quietPort(), host: "127.0.0.1", retries: 0 });
  onTestFinished(() => listeners.close());
  const app = createApp({ bodyLimit: 1_000 });
  app.post("/api/deny", async () => ({}));
  await listeners.respondWith(app);
  return listeners.port;
}

/**
 * Sends bytes, waits for the whole response, sends the rest, and closes. Returns the bytes that the client has
 * received.
 */
function refusedClient(
  port: number,
  bytes: string,
): Promise<{ text: string; error: string; isEnded: boolean }> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  const seen = { text: "", error: "", isEnded: false };
  socket.on("error", ({ message }) => {
    seen.error = message;
  });
  socket.once("end", () => {
    seen.isEnded = true;
  });
  socket.setEncoding("utf8").on("data", (chunk) => {
    seen.text += chunk;
    if (/\r\n\r\n.*\}$/s.test(seen.text)) socket.end(REST);
  });
  socket.write(bytes, "latin1");
  return new Promise((resolve) => socket.once("close", () => resolve(seen)));
}

const START = "POST /api/deny HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
const REFUSED = [
  ["a path of 70 KB", `GET /${"a".repeat(70_000)} HTTP/1.1\r\n`, 431, "larger than 32 KiB"],
  ["a header of 70 KB", `${START}x: ${"a".repeat(70_000)}\r\n`, 431, "larger than 32 KiB"],
  ["many headers", `${START}${"x: some value\r\n".repeat(5_000)}`, 431, "larger than 32 KiB"],
  ["no HTTP", "\x16\x03\x01\x02\0", 400, "not valid HTTP"],
  ["a chunk without a size", `${START}transfer-encoding: chunked\r\n\r\nnone\r\n`, 400, "not valid HTTP"],
] as const;

describe.each([
  ["proxy", proxyPort],
  ["review", reviewPort],
  ["address that is bound before the app", getListenersPort],
] as const)("a %s that refuses what it cannot parse", (_server, start) => {
  it.each(REFUSED)(
    "lets a client with %s read why while it still sends",
    async (_name, bytes, status, why) => {
      const { text, error, isEnded } = await refusedClient(await start(), bytes);
      expect({ error, isEnded }).toEqual({ error: "", isEnded: true });
      expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(text.toLowerCase()).toContain("connection: close");
      expect(JSON.parse(text.slice(text.indexOf("\r\n\r\n"))).error).toContain(why);
      expect(text.match(/HTTP\/1\.1/g)).toHaveLength(status === 400 ? 2 : 1);
    },
  );

  it("answers no request after it", async () => {
    const next = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    const { text } = await refusedClient(await start(), `nonsense\r\n\r\n${next}${next}`);
    expect(text.match(/^HTTP\/1\.1 \d+/gm)).toEqual(["HTTP/1.1 400"]);
  });
});

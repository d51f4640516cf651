import { once } from "node:events";
import { connect } from "node:net";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { addErrorHandler, createApp } from "../../src/http/app.ts";
import { listen } from "../../src/http/listen.ts";
import { planServer } from "../support/plan-server.ts";
import { startTestProxy } from "../support/start-proxy.ts";

const KEY = "sk-early-canary-0123456789";
const CONTENT_LENGTH = 70 * 1024 * 1024;
/** More bytes than the socket buffers of both ends hold. */
const REST = Buffer.alloc(8 * 1024 * 1024, "x");

/** A client that has received the whole response before it has sent most of the announced body. */
async function connectServedClient(port: number, head: string) {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  const seen = { text: "", isEnded: false, error: "" };
  socket.on("error", ({ message }) => {
    seen.error = message;
  });
  socket.on("end", () => {
    seen.isEnded = true;
  });
  socket.write(`POST ${head}\r\nhost: localhost\r\ncontent-type: application/json\r\n`);
  socket.write(`content-length: ${CONTENT_LENGTH}\r\n\r\n{`);
  await new Promise<void>((resolve) => {
    socket.setEncoding("utf8").on("data", (chunk) => {
      seen.text += chunk;
      if (/\r\n\r\n.*\}$/s.test(seen.text)) resolve();
    });
  });
  return { socket, seen };
}

async function proxyPort(): Promise<number> {
  const upstream = {
    dialect: "messages",
    base_url: "http://127.0.0.1:1",
    api_key: "sk-of-the-upstream-0123",
  };
  const proxy = await startTestProxy({ auth_mode: "strict", api_keys: [KEY], upstreams: { upstream } });
  onTestFinished(() => proxy.close());
  return Number(new URL(proxy.url).port);
}

async function reviewPort(): Promise<number> {
  const { app } = await planServer();
  await app.listen({ port: 0, host: "127.0.0.1" });
  return (app.server.address() as { port: number }).port;
}

const CASES = [
  ["proxy", "is too large", proxyPort, `/v1/messages HTTP/1.1\r\nx-api-key: ${KEY}`, 413],
  ["proxy", "goes nowhere", proxyPort, `/v1/nowhere HTTP/1.1\r\nx-api-key: ${KEY}`, 404],
  ["proxy", "comes from a web page", proxyPort, "/v1/messages HTTP/1.1\r\norigin: http://evil.test", 403],
  ["proxy", "comes without a key", proxyPort, "/v1/messages HTTP/1.1", 401],
  ["review", "is too large", reviewPort, "/api/approve HTTP/1.1", 413],
  ["review", "comes from a web page", reviewPort, "/api/deny HTTP/1.1\r\norigin: http://evil.test", 403],
] as const;

// The time limit for reading the rest of a request passes only when a test advances it, however busy the machine is.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
});

describe("a client that gets its response before it has sent its whole body", () => {
  it.each(CASES)(
    "can read it from the %s though it goes on: a body that %s",
    async (_, __, port, head, status) => {
      const { socket, seen } = await connectServedClient(await port(), head);
      const isClosed = new Promise((resolve) => socket.once("close", resolve));
      socket.end(REST);
      await isClosed;
      // A connection that is closed while bytes are in transit is reset, and unread bytes are lost.
      expect(seen).toMatchObject({ isEnded: true, error: "" });
      expect(seen.text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    },
  );

  it.each([CASES[0], CASES[4]])(
    "is not waited for by the %s for ever: a body that %s",
    async (_, __, port, head) => {
      const { seen } = await connectServedClient(await port(), head);
      while (!seen.isEnded) {
        vi.advanceTimersByTime(10_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  );

  it("is not waited for if it has sent everything", async () => {
    const app = createApp({ bodyLimit: 10 });
    onTestFinished(() => app.close());
    addErrorHandler(app);
    app.post("/", () => "taken");
    // The rest arrives after the decision to read it, and before reading has begun.
    app.addHook("onSend", async ({ raw }) => {
      client.write("0\r\n\r\n");
      await once(raw, "end");
    });
    const client = connect(await listen(app, { port: 0, host: "127.0.0.1" }), "127.0.0.1");
    onTestFinished(() => void client.destroy());
    client.write("POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n");
    client.write(`transfer-encoding: chunked\r\n\r\n14\r\n${"x".repeat(20)}\r\n`);
    let response = "";
    for await (const bytes of client) response += bytes;
    expect(response).toMatch(/^HTTP\/1.1 413 /);
  });
});

import { connect } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { planServer } from "../support/plan-server.ts";
import { startTestProxy } from "../support/start-proxy.ts";

const KEY = "sk-early-canary-0123456789";
const ANNOUNCED = 70 * 1024 * 1024;
/** More than sockets hold between two ends. */
const REST = Buffer.alloc(8 * 1024 * 1024, "x");

/** A client that has its whole answer while most of what it announced is still to come. */
async function answeredClient(port: number, head: string) {
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
  socket.write(`content-length: ${ANNOUNCED}\r\n\r\n{`);
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

describe("a client that has its answer before it has sent everything", () => {
  it.each(CASES)(
    "can read it from the %s though it goes on: a body that %s",
    async (_, __, port, head, status) => {
      const { socket, seen } = await answeredClient(await port(), head);
      const isClosed = new Promise((resolve) => socket.once("close", resolve));
      socket.end(REST);
      await isClosed;
      // A connection that is closed while bytes are on their way is reset, and takes along what was not read yet.
      expect(seen).toMatchObject({ isEnded: true, error: "" });
      expect(seen.text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    },
  );

  it.each([CASES[0], CASES[4]])(
    "is not waited for by the %s for ever: a body that %s",
    async (_, __, port, head) => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      onTestFinished(() => void vi.useRealTimers());
      const { seen } = await answeredClient(await port(), head);
      while (!seen.isEnded) {
        vi.advanceTimersByTime(10_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  );
});

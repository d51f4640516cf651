import { connect, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createApp } from "../../src/http/app.ts";
import { planServer } from "../support/plan-server.ts";
import { startTestProxy } from "../support/start-proxy.ts";

function opened(port: number, text: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text, () => resolve(socket.resume())));
    socket.on("error", reject);
    onTestFinished(() => void socket.destroy());
  });
}

it("P11 both servers close incomplete requests and idle connections", async () => {
  const proxy = await startTestProxy({});
  onTestFinished(() => proxy.close());
  const review = await planServer();
  for (const [{ server }, requestTimeout] of [
    [proxy.server.app, 300_000],
    [review.app, 60_000],
  ] as const) {
    expect(server).toMatchObject({
      headersTimeout: 15_000,
      requestTimeout,
      keepAliveTimeout: 120_000,
      timeout: 0,
    });
  }
});

it("P11 requests that never end are closed after the common time limits", async () => {
  const app = createApp({ bodyLimit: 1_000, headersTimeout: 50, requestTimeout: 100 });
  onTestFinished(() => app.close());
  app.post("/", async (request) => request.body);
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as { port: number };
  const half = [
    "GET / HT",
    "GET / HTTP/1.1\r\nHost: local",
    "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\nContent-Type: application/json\r\n\r\n{",
  ];
  const sockets = await Promise.all(half.map((text) => opened(port, text)));
  // By default Node.js checks connections only every 30 s, longer than this test may take.
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once("close", resolve))));
});

it("P11 hundreds of slow clients do not delay others", async () => {
  const proxy = await startTestProxy({});
  onTestFinished(() => proxy.close());
  const { port } = new URL(proxy.url);
  await Promise.all(
    Array.from({ length: 300 }, () => opened(Number(port), "POST /v1/messages HTTP/1.1\r\nHost: x")),
  );
  expect(await (await fetch(`${proxy.url}/healthz`)).json()).toEqual({ status: "ok" });
});

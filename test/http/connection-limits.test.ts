import { once } from "node:events";
import { createServer } from "node:http";
import { connect, Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createApp } from "../../src/http/app.ts";
import { closeUnused } from "../../src/http/connection-limits.ts";
import { listen } from "../../src/http/listen.ts";
import { openListeners } from "../../src/http/listeners.ts";

const REQUEST = "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";

/** An app that exposes the server's socket of the last call. */
function app() {
  const seen: { socket?: Socket } = {};
  const created = createApp({ bodyLimit: 1_000 });
  created.get("/", ({ raw }) => {
    seen.socket = raw.socket;
    return { hello: true };
  });
  onTestFinished(() => created.close());
  return { created, seen };
}

async function byItself() {
  const { created, seen } = app();
  return { port: await listen(created, { port: 0, host: "127.0.0.1" }), seen };
}

async function behindListeners() {
  const { created, seen } = app();
  const listeners = await openListeners({ port: 0, host: "127.0.0.1", retries: 0 });
  onTestFinished(() => listeners.close());
  await listeners.respondWith(created);
  return { port: listeners.port, seen };
}

/** A client that has received a response and keeps its connection open. */
async function connectServedClient(port: number): Promise<Socket> {
  const client = connect(port, "127.0.0.1");
  onTestFinished(() => void client.destroy());
  client.write(REQUEST);
  await once(client, "data");
  return client;
}

describe.each([
  ["an app that listens by itself", byItself],
  ["an app behind listeners", behindListeners],
])("a connection to %s that has not been used for as long as it is kept", (_, start) => {
  it("is closed", async () => {
    const { port, seen } = await start();
    const client = await connectServedClient(port);
    seen.socket?.emit("timeout");
    await once(client, "close");
  });
});

it("keeps an unused connection for data that arrives in the same turn", async () => {
  const server = createServer();
  closeUnused(server);
  let arrived = REQUEST.length;
  const socket = Object.defineProperty(new Socket(), "bytesRead", { get: () => arrived });
  onTestFinished(() => void socket.destroy());
  server.emit("timeout", socket);
  // As in Node.js, timers run first, then sockets are read. The arrival time of bytes on a real socket depends on the
  // system.
  arrived += REQUEST.length;
  await new Promise((resolve) => setImmediate(resolve));
  expect(socket.destroyed).toBe(false);
  server.emit("timeout", socket);
  await new Promise((resolve) => setImmediate(resolve));
  expect(socket.destroyed).toBe(true);
});

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createApp } from "../../src/http/app.ts";
import { listen } from "../../src/http/listen.ts";
import { type ListenerOptions, openListeners } from "../../src/http/listeners.ts";

/** Binds a free port on an address; `release` frees it. */
async function occupy(host = "127.0.0.1", port = 0): Promise<{ port: number; release: () => Promise<void> }> {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const address = server.address();
  const release = () => new Promise<void>((resolve) => void server.close(() => resolve()));
  onTestFinished(release);
  return { port: typeof address === "object" && address ? address.port : 0, release };
}

async function freePort(): Promise<number> {
  const { port, release } = await occupy();
  await release();
  return port;
}

/** Writes to a port and returns the response. */
function caller(port: number, text: string) {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  socket.write(text);
  let received = "";
  socket.setEncoding("utf8").on("data", (chunk) => {
    received += chunk;
  });
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const hears = (what: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (what.test(received)) resolve();
      };
      socket.on("data", look);
      socket.once("close", () => reject(new Error(`said only ${received}`)));
      look();
    });
  return { hears, closed: closed };
}

/** A connection whose request has been read. Node.js confirms that with `100 Continue`, which the client requests. */
async function waitingCaller(port: number) {
  const waiting = caller(port, "GET / HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\n\r\n");
  await waiting.hears(/^HTTP\/1\.1 100 Continue/);
  return waiting;
}

function app() {
  const created = createApp({ bodyLimit: 1_000 });
  created.get("/", () => ({ hello: true }));
  onTestFinished(() => created.close());
  return created;
}

const once = { host: "127.0.0.1", retries: 0 };

/** Listeners that are closed when the test is over. */
async function open(options: ListenerOptions) {
  const listeners = await openListeners(options);
  onTestFinished(() => listeners.close());
  return listeners;
}

describe("listen", () => {
  it("resolves to the port it bound", async () => {
    const port = await freePort();
    expect(await listen(app(), { host: "127.0.0.1", port })).toBe(port);
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
  });

  it("rejects with `port_in_use` for a taken port", async () => {
    const { port } = await occupy();
    await expect(listen(app(), { host: "127.0.0.1", port })).rejects.toMatchObject({
      code: "port_in_use",
      message: `Port ${port} in use`,
    });
  });
});

describe("openListeners", () => {
  it("listens on every address and closes them all", async () => {
    const port = await freePort();
    const listeners = await open({ ...once, port, alsoOn: ["127.0.0.2"] });
    expect(listeners.port).toBe(port);
    await listeners.respondWith(app());
    for (const host of ["127.0.0.1", "127.0.0.2"])
      expect((await fetch(`http://${host}:${port}/`)).status).toBe(200);
    listeners.close();
    for (const host of ["127.0.0.1", "127.0.0.2"])
      await expect(fetch(`http://${host}:${port}/`)).rejects.toThrow();
  });

  it("keeps early connections waiting for the server", async () => {
    const { port, respondWith } = await open({ ...once, port: await freePort() });
    const callers = [await waitingCaller(port), await waitingCaller(port)];
    await respondWith(app());
    for (const caller of callers) await caller.hears(/200 OK.*\{"hello":true\}/s);
  });

  it("closes waiting connections when it is closed", async () => {
    const { port, close } = await open({ ...once, port: await freePort() });
    const { closed } = await waitingCaller(port);
    close();
    await closed;
  });

  it("answers invalid HTTP as the server does", async () => {
    const { port, respondWith } = await open({ ...once, port: await freePort() });
    await respondWith(app());
    await caller(port, "nonsense\r\n\r\n").hears(/^HTTP\/1\.1 400 .*"error":"The request is not valid/s);
  });

  it("omits ::1 if there is no IPv6, but no other address", async () => {
    const port = await freePort();
    await expect(open({ ...once, port, alsoOn: ["192.0.2.1"] })).rejects.toMatchObject({
      code: "cannot_listen",
      message: `Cannot listen on 192.0.2.1 port ${port}: no network interface of this machine has this address`,
    });
  });

  it("tries a taken port again until it is free", async () => {
    const taken = await occupy();
    const onRetry = vi.fn(() => void taken.release());
    const listeners = await open({ host: "127.0.0.1", port: taken.port, retries: 5, onRetry });
    expect(listeners.port).toBe(taken.port);
    expect(onRetry).toHaveBeenCalledExactlyOnceWith(`Port ${taken.port} in use`);
  });

  it("rejects with the message of the specification", async () => {
    const { port } = await occupy();
    await expect(open({ host: "127.0.0.1", port, retries: 1 })).rejects.toMatchObject({
      code: "port_in_use",
      exitCode: 3,
      message: `Port ${port} in use after 1 retries`,
    });
  });

  it("treats a port as taken if another program has it on one of the addresses", async () => {
    const { port } = await occupy("127.0.0.2");
    await expect(open({ ...once, port, alsoOn: ["127.0.0.2"] })).rejects.toMatchObject({
      code: "port_in_use",
    });
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  });

  it("takes the next port at once if any is allowed", async () => {
    const { port } = await occupy();
    const other = await freePort();
    const listeners = await open({ ...once, port, retries: 2, nextPort: async () => other });
    expect(listeners.port).toBe(other);
  });

  it("names the port that it tried last", async () => {
    const [first, last] = [await occupy(), await occupy()];
    const nextPort = async () => last.port;
    await expect(open({ ...once, port: first.port, retries: 1, nextPort })).rejects.toMatchObject({
      message: `Port ${last.port} in use after 1 retries`,
    });
  });

  it("retries only for a taken port", async () => {
    const onRetry = vi.fn();
    const failure = open({ host: "192.0.2.1", port: await freePort(), retries: 5, onRetry });
    await expect(failure).rejects.toMatchObject({ code: "cannot_listen", exitCode: 3 });
    expect(onRetry).not.toHaveBeenCalled();
  });

  it("stops waiting when it is aborted", async () => {
    const { port } = await occupy();
    const controller = new AbortController();
    const onRetry = () => controller.abort();
    const { signal } = controller;
    await expect(open({ host: "127.0.0.1", port, retries: 5, signal, onRetry })).rejects.toMatchObject({
      name: "AbortError",
    });
  });
});

/** Connects this number of sockets at once, and ends when all are connected. */
const CONNECT_ALL = `
  const { connect } = require("node:net");
  const [port, count] = process.argv.slice(1).map(Number);
  let left = count;
  for (let index = 0; index < count; index += 1)
    connect(port, "127.0.0.1", () => { if (--left === 0) process.exit(0); }).on("error", () => process.exit(1));
`;

it("queues as many connections as the system allows while the process is busy", async () => {
  const port = await freePort();
  const listeners = await openListeners({ port, host: "127.0.0.1", retries: 0 });
  onTestFinished(() => listeners.close());
  const allowed = process.platform === "linux" ? Number(readFileSync("/proc/sys/net/core/somaxconn")) : 100;
  // No connection is accepted in the meantime, because this blocks the thread.
  execFileSync(process.execPath, ["-e", CONNECT_ALL, String(port), String(Math.min(allowed, 800))], {
    timeout: 60_000,
  });
}, 70_000);

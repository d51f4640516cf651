import { createServer, type Server } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createApp } from "../../src/http/create-app.ts";
import { listen } from "../../src/http/listen.ts";

/** Takes a free port on an address; `release` gives it back. */
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

function app() {
  const created = createApp({ bodyLimit: 1_000 });
  created.get("/", () => ({ hello: true }));
  onTestFinished(() => created.close());
  return created;
}

const once = { host: "127.0.0.1", retries: 0 };

describe("listen", () => {
  it("resolves to the port it bound", async () => {
    const port = await freePort();
    expect(await listen(app(), { ...once, port })).toBe(port);
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
  });

  it("answers on every address, and closes them all", async () => {
    const port = await freePort();
    const server = app();
    await listen(server, { ...once, port, alsoOn: ["127.0.0.2"] });
    expect((await fetch(`http://127.0.0.2:${port}/`)).status).toBe(200);
    await server.close();
    await expect(fetch(`http://127.0.0.2:${port}/`)).rejects.toThrow();
  });

  it("leaves ::1 out where it cannot be bound for want of IPv6, and no other address", async () => {
    const port = await freePort();
    await expect(listen(app(), { ...once, port, alsoOn: ["192.0.2.1"] })).rejects.toMatchObject({
      code: "cannot_listen",
    });
  });

  it("tries a taken port again until it is free", async () => {
    const taken = await occupy();
    const onRetry = vi.fn(() => void taken.release());
    const port = await listen(app(), { host: "127.0.0.1", port: taken.port, retries: 5, onRetry });
    expect(port).toBe(taken.port);
    expect(onRetry).toHaveBeenCalledExactlyOnceWith(`Port ${taken.port} in use`);
  });

  it("gives up with the message of the specification", async () => {
    const { port } = await occupy();
    await expect(listen(app(), { host: "127.0.0.1", port, retries: 1 })).rejects.toMatchObject({
      code: "port_in_use",
      exitCode: 3,
      message: `Port ${port} in use after 1 retries`,
    });
  });

  it("counts a port as taken that another program holds on one of the addresses", async () => {
    const { port } = await occupy("127.0.0.2");
    const server = app();
    await expect(listen(server, { ...once, port, alsoOn: ["127.0.0.2"] })).rejects.toMatchObject({
      code: "port_in_use",
    });
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  });

  it("takes the next port at once where any will do", async () => {
    const { port } = await occupy();
    const other = await freePort();
    expect(await listen(app(), { ...once, port, retries: 2, nextPort: async () => other })).toBe(other);
  });

  it("retries nothing but a taken port", async () => {
    const onRetry = vi.fn();
    const failure = listen(app(), { host: "192.0.2.1", port: await freePort(), retries: 5, onRetry });
    await expect(failure).rejects.toMatchObject({ code: "cannot_listen", exitCode: 3 });
    expect(onRetry).not.toHaveBeenCalled();
  });

  it("stops waiting when told to", async () => {
    const { port } = await occupy();
    const controller = new AbortController();
    const onRetry = () => controller.abort();
    const { signal } = controller;
    await expect(
      listen(app(), { host: "127.0.0.1", port, retries: 5, signal, onRetry }),
    ).rejects.toMatchObject({
      name: "AbortError",
    });
  });
});

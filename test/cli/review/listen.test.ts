import { randomUUID } from "node:crypto";
import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { isBeyondLoopback, listenForReview, preferredPort } from "../../../src/cli/review/listen.ts";
import { createApp } from "../../../src/http/app.ts";

function app() {
  const created = createApp({ bodyLimit: 1_000 });
  created.get("/", () => ({ hello: true }));
  onTestFinished(() => created.close());
  return created;
}

async function take(port: number, host: string): Promise<boolean> {
  const server = createServer();
  onTestFinished(() => void server.close());
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, host, () => resolve(true));
  });
}

const rest = { signal: new AbortController().signal, onRetry: () => {} };

async function listenersFor(address: { projectFolder: string; host?: string }) {
  const listeners = await listenForReview({ ...address, ...rest });
  onTestFinished(() => listeners.close());
  return listeners;
}

/** A folder whose preferred port no other process uses. */
const folder = () => `/test/${randomUUID()}`;

describe("isBeyondLoopback", () => {
  it.each([undefined, "localhost", "127.0.0.1", "127.0.0.2", "::1", "[::1]", "::ffff:127.0.0.1"])(
    "%s is this machine's own",
    (host) => {
      expect(isBeyondLoopback(host)).toBe(false);
    },
  );

  it.each(["0.0.0.0", "::", "192.168.1.5", "mybox"])("returns true for %s", (host) => {
    expect(isBeyondLoopback(host)).toBe(true);
  });
});

describe("listenForReview", () => {
  it("takes the folder's own port, or another if it is taken", async () => {
    const projectFolder = folder();
    const first = await listenersFor({ projectFolder });
    expect(first.port).toBe(preferredPort(projectFolder));
    const second = await listenersFor({ projectFolder });
    expect(second.port).not.toBe(first.port);
  });

  it("skips a port that is taken on ::1, to which localhost may resolve", async () => {
    const projectFolder = folder();
    const hasIPv6 = await take(preferredPort(projectFolder), "::1");
    const { port } = await listenersFor({ projectFolder });
    expect(port === preferredPort(projectFolder)).toBe(!hasIPv6);
  });

  it.each(["127.0.0.2", "0.0.0.0", "[::]"])("listens on %s besides loopback", async (host) => {
    const { port, respondWith } = await listenersFor({ projectFolder: folder(), host });
    await respondWith(app());
    for (const address of ["127.0.0.1", "127.0.0.2"]) {
      expect((await fetch(`http://${address}:${port}/`)).status).toBe(200);
    }
  });
});

import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { describe, expect, it, onTestFinished } from "vitest";
import { type FakeUpstream, json, startFakeUpstream } from "../support/fake-upstream.ts";
import { malformedRequest } from "../support/malformed.ts";
import { planServer } from "../support/plan-server.ts";
import { randomFrom, SEED } from "../support/random.ts";
import { sendRaw, statusesIn, throwAt } from "../support/raw-http.ts";
import { SMUGGLING } from "../support/smuggling.ts";
import { startTestProxy, type TestProxy, until } from "../support/start-proxy.ts";
import { WHOLE } from "../support/vendor-responses.ts";

/** Number of requests to each server; `npm run test:fuzz` sends ten times as many. */
const REQUESTS = Number(process.env["RAW_REQUESTS"] ?? 5_000) / 2;
const AT_ONCE = 50;

const INNER = "POST /v1/messages?smuggled HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}";
const INNER_DENIAL = "POST /api/deny HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}";

describe("requests that are read in two ways", () => {
  it.each(SMUGGLING.map((row) => [row.name, row] as const))(
    "%s: the proxy passes no second one on",
    async (_name, row) => {
      const { proxy, upstream } = await startProxy();
      const outer = {
        method: "POST",
        path: "/v1/messages",
        body: '{"model":"m","max_tokens":1,"messages":[]}',
      };
      const response = await sendRaw(portOf(proxy.server.app), row.bytes(outer, INNER));
      expectOneResponse(response, row.statuses);
      expect(upstream.hits.filter(({ url }) => url.includes("smuggled"))).toEqual([]);
      expect(upstream.hits.length).toBeLessThanOrEqual(1);
      expect(proxy.internal).toEqual([]);
      expect((await fetch(`${proxy.url}/healthz`)).status).toBe(200);
    },
  );

  it.each(SMUGGLING.map((row) => [row.name, row] as const))(
    "%s: a review is not decided",
    async (_name, row) => {
      const { app, context, failures } = await startReview();
      const outer = { method: "PUT", path: "/api/draft", body: '{"generation":1,"content":"typed"}' };
      const response = await sendRaw(portOf(app), row.bytes(outer, INNER_DENIAL));
      expectOneResponse(response, row.statuses);
      expect(context.session.phase).toBe("waiting");
      expect(failures).toEqual([]);
      expect((await fetch(`http://127.0.0.1:${portOf(app)}/api/plan`)).status).toBe(200);
    },
  );
});

describe(`${REQUESTS} malformed requests (SEED=${SEED})`, () => {
  it("leave the proxy well, with no socket open", { timeout: 300_000 }, async () => {
    const { proxy, upstream } = await startProxy();
    const paths = [
      "/v1/messages",
      "/v1/chat/completions",
      "/v1beta/models/m:generateContent",
      "/v1/models",
      "/",
      "*",
    ];
    const body = '{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"Hi"}]}';
    await pelt(proxy.server.app, paths, body, "/healthz");
    await until(() => upstream.open() === 0);
    expect(proxy.internal).toEqual([]);
  });

  it("leave a review well and undecided, with no socket open", { timeout: 300_000 }, async () => {
    const { app, context, failures } = await startReview();
    const paths = ["/api/plan", "/api/draft", "/api/settings", "/api/image?path=x", "/assets/x.js", "/", "*"];
    await pelt(app, paths, '{"generation":1,"content":{"words":"typed"}}', "/api/agents");
    expect(context.session.phase).toBe("waiting");
    expect(failures).toEqual([]);
  });
});

/**
 * Sends all requests, a few at a time, checks the server's health in between, and waits until its sockets are closed.
 */
async function pelt(
  app: FastifyInstance,
  paths: readonly string[],
  body: string,
  health: string,
): Promise<void> {
  const port = portOf(app);
  const random = randomFrom(SEED);
  let slowest = 0;
  for (let sent = 0; sent < REQUESTS; sent += AT_ONCE) {
    const turns = () => Math.floor(random() * 8);
    const thrown = Array.from({ length: AT_ONCE }, () =>
      throwAt(port, malformedRequest(random, paths, body), turns()),
    );
    const startedAt = performance.now();
    expect((await fetch(`http://127.0.0.1:${port}${health}`)).status).toBe(200);
    slowest = Math.max(slowest, performance.now() - startedAt);
    await Promise.all(thrown);
  }
  process.stdout.write(
    `${health} took at most ${slowest.toFixed(0)} ms among ${REQUESTS} malformed requests\n`,
  );
  app.server.closeIdleConnections();
  for (let open = -1; open !== 0; ) {
    open = await new Promise<number>((resolve) =>
      app.server.getConnections((_error, count) => resolve(count)),
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
    app.server.closeIdleConnections();
  }
}

function expectOneResponse(text: string, statuses: readonly number[]): void {
  const [status = 0, ...others] = statusesIn(text);
  expect(statuses).toContain(status);
  expect(others).toEqual([]);
}

function portOf(app: FastifyInstance): number {
  return (app.server.address() as AddressInfo).port;
}

async function startProxy(): Promise<{ proxy: TestProxy; upstream: FakeUpstream }> {
  const upstream = await startFakeUpstream(json(WHOLE.messages));
  const proxy = await startTestProxy({
    upstreams: { main: { dialect: "messages", base_url: upstream.url, models: ["m"] } },
  });
  onTestFinished(async () => {
    await proxy.close();
    await upstream.close();
  });
  return { proxy, upstream };
}

async function startReview() {
  const server = await planServer();
  await server.app.listen({ port: 0, host: "127.0.0.1" });
  return server;
}

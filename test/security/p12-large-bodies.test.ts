import { request } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Answer, startFakeUpstream } from "../support/fake-upstream.ts";
import { startTestProxy } from "../support/start-proxy.ts";

async function setUp(limits: object, answer?: Answer) {
  const upstream = await startFakeUpstream(answer);
  const proxy = await startTestProxy({
    limits,
    upstreams: { a: { dialect: "messages", base_url: upstream.url, models: ["m"] } },
  });
  onTestFinished(async () => {
    await proxy.close();
    await upstream.close();
  });
  return { upstream, proxy };
}

/** Sends a body in pieces, its length announced or not; resolves to the answer though the body may never be read. */
function send(
  url: string,
  pieces: readonly string[],
  headers: Record<string, string | number>,
): Promise<{ status: number; body: unknown; retry: unknown }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: "POST", headers: { "content-type": "application/json", ...headers } },
      (response) => {
        let text = "";
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            body: JSON.parse(text),
            retry: response.headers["retry-after"],
          }),
        );
      },
    );
    sent.on("error", (error) => (/ECONNRESET|EPIPE/.test(String(error)) ? undefined : reject(error)));
    for (const piece of pieces) sent.write(piece);
    if (headers["content-length"] === undefined) sent.end();
  });
}

const ROUTES = [
  ["/v1/messages", { type: "error", error: { type: "request_too_large" } }],
  ["/v1/chat/completions", { error: { type: "invalid_request_error" } }],
  ["/v1beta/models/m:generateContent", { error: { code: 413 } }],
  ["/internal/warmup", { error: expect.any(String) }],
] as const;

describe("P12 a body that is too large", () => {
  it.each(ROUTES)("%s: is refused in the route's dialect before it is read", async (path, body) => {
    const { upstream, proxy } = await setUp({});
    const announced = { "content-length": 64 * 1024 * 1024 + 1 };
    expect(await send(`${proxy.url}${path}`, ['{"model":"m",'], announced)).toMatchObject({
      status: 413,
      body,
    });
    expect(upstream.hits).toEqual([]);
  });

  it.each(ROUTES)("%s: is refused where its length was not announced", async (path, body) => {
    const { upstream, proxy } = await setUp({ body: 10_000, utility_body: 10_000 });
    const pieces = Array.from({ length: 20 }, () => `"${"x".repeat(1_000)}",`);
    expect(await send(`${proxy.url}${path}`, pieces, {})).toMatchObject({ status: 413, body });
    expect(upstream.hits).toEqual([]);
  });

  it("fits, and yet there may not be more of them at once than memory for them", async () => {
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { upstream, proxy } = await setUp({ in_flight: 10_000 }, async (_hit, response) => {
      await held;
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
    const large = JSON.stringify({ model: "m", x: "x".repeat(8_000) });
    const first = send(`${proxy.url}/v1/messages`, [large], {});
    while (upstream.hits.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const second = await send(`${proxy.url}/v1/messages`, [large], { "content-length": large.length });
    expect(second).toMatchObject({ status: 503, body: { type: "error" }, retry: "1" });
    release();
    expect(await first).toMatchObject({ status: 200 });
    expect((await send(`${proxy.url}/v1/messages`, [large], {})).status).toBe(200);
  });
});

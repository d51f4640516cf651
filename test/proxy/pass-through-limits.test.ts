import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { json, type Respond, startFakeUpstream } from "../support/fake-upstream.ts";
import { startTestProxy, until } from "../support/start-proxy.ts";

const KEY = "sk-limited-0123456789abcdef";
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Starts a proxy with a limited key and one upstream, where 100 tokens of output cost $1. */
async function start(dialect: string, limits: object, respond: Respond, more: object = {}) {
  const upstream = await startFakeUpstream(respond);
  closers.push(upstream.close);
  const proxy = await startTestProxy(
    {
      auth_mode: "strict",
      api_keys: [{ name: "limited", key_env: "TEST_KEY", limits }],
      upstreams: {
        vendor: {
          dialect,
          base_url: upstream.url,
          api_key: "sk-upstream-0123456789",
          prices: { "*": { input: 0, output: 10_000 } },
        },
      },
      ...more,
    },
    { TEST_KEY: KEY },
  );
  closers.push(proxy.close);
  const call = (path: string, body: object | string, headers: Record<string, string> = {}) =>
    fetch(`${proxy.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return { proxy, upstream, call };
}

describe("timeouts.total of a pass-through call", () => {
  const hang: Respond = () => {};

  it.each([
    ["/v1/audio/speech", JSON.stringify({ model: "tts", input: "Hi" }), "application/json"],
    ["/v1/files", "bytes", "application/octet-stream"],
  ])("ends POST %s with 504 and releases its reservation", async (path, body, type) => {
    const more = { timeouts: { total: 0.3 } };
    const { proxy, upstream, call } = await start("chat-completions", { concurrency: 1 }, hang, more);
    const send = () => call(path, body, { "content-type": type });
    const ended = await send();
    expect([ended.status, await ended.text()]).toEqual([504, expect.stringContaining("timeouts.total")]);
    await until(() => proxy.records.length === 1);
    expect(proxy.records[0]).toMatchObject({ status: 504, errorCode: "upstream_timeout" });
    upstream.respond = json({ id: "file-1" });
    expect((await send()).status).toBe(200);
  });

  it("closes the connection if the response has begun", async () => {
    const begin: Respond = (_hit, response) => {
      response.writeHead(200, { "content-type": "audio/mpeg" });
      response.write("some");
    };
    const { proxy, call } = await start("chat-completions", {}, begin, { timeouts: { total: 0.3 } });
    const response = await call("/v1/audio/speech", { model: "tts", input: "Hi" });
    await expect(response.text()).rejects.toThrow();
    await until(() => proxy.records.length === 1);
    expect(proxy.records[0]).toMatchObject({ status: 200, errorCode: "upstream_timeout" });
  });
});

describe("the budget of a key that creates interactions", () => {
  const PATH = "/v1beta/interactions";
  const limits = { budgets: [{ usd: 1, period: "day" }] };
  const body = { model: "gemini-x", input: "Hi", generation_config: { max_output_tokens: 60 } };
  const usage = {
    total_input_tokens: 3,
    total_output_tokens: 5,
    total_thought_tokens: 15,
    total_tokens: 23,
  };
  const completed = { id: "int_1", status: "completed", usage };

  it("covers the longest output while the call runs, and is then charged for the reported usage", async () => {
    const open: (() => void)[] = [];
    const respond: Respond = (hit, response) => void open.push(() => json(completed)(hit, response));
    const { proxy, call } = await start("generative-language", limits, respond);
    const first = call(PATH, body);
    await until(() => open.length === 1);
    const second = await call(PATH, body);
    expect([second.status, await second.text()]).toEqual([429, expect.stringContaining("Budget exceeded")]);
    open[0]?.();
    expect((await first).status).toBe(200);
    await until(() => proxy.records.length === 2);
    expect(proxy.records[1]?.cost).toBeCloseTo(0.2);
    expect(proxy.records[1]?.usage).toMatchObject({
      input: { total: 3 },
      output: { total: 20, reasoning: 15 },
    });
    const third = call(PATH, body);
    await until(() => open.length === 2);
    open[1]?.();
    expect((await third).status).toBe(200);
  });

  it("is charged for streams, and for clients that accept compressed responses", async () => {
    const respond: Respond = ({ headers, body: sent }, response) => {
      if (sent.includes('"stream":true')) {
        const event = { event_type: "interaction.completed", interaction: completed };
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(
          `event: ${event.event_type}\ndata: ${JSON.stringify(event)}\n\nevent: done\ndata: [DONE]\n\n`,
        );
        return;
      }
      const isCompressed = headers["accept-encoding"]?.includes("gzip") === true;
      const text = JSON.stringify(completed);
      response.writeHead(200, {
        "content-type": "application/json",
        ...(isCompressed && { "content-encoding": "gzip" }),
      });
      response.end(isCompressed ? gzipSync(text) : text);
    };
    const { proxy, call } = await start("generative-language", limits, respond);
    for (const stream of [false, true])
      await (await call(PATH, { ...body, stream }, { "accept-encoding": "gzip" })).text();
    await until(() => proxy.records.length === 2);
    for (const { cost } of proxy.records) expect(cost).toBeCloseTo(0.2);
  });
});

describe("the token limit of a key", () => {
  it("counts the input of a pass-through call that generates no text", async () => {
    const { call } = await start("chat-completions", { tpm: 100 }, json({ ok: true }));
    const speech = (input: string) => call("/v1/audio/speech", { model: "tts", input });
    expect((await speech("Hi")).status).toBe(200);
    const long = await speech("words ".repeat(500));
    expect([long.status, await long.text()]).toEqual([429, expect.stringContaining("Token limit reached")]);
  });
});

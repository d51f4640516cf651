import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { estimateTokens } from "../../../src/proxy/usage/estimate-tokens.ts";
import { type FakeUpstream, json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestProxy } from "../../support/start-proxy.ts";
import { WHOLE } from "../../support/vendor-responses.ts";

const KEY = "sk-limited-0123456789abcdef";
const CANDIDATES = 3;
const MAX = 100;
/** One microdollar for each token. */
const prices = { "*": { input: 1, output: 1 } };

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const requestOf = (max: number) => ({
  model: "m",
  n: CANDIDATES,
  max_tokens: max,
  messages: [{ role: "user", content: "How many roads must a man walk down?" }],
});
const input = estimateTokens(requestOf(MAX));

/** Starts a proxy with a limited key and one upstream. */
async function start(limits: object, upstreamSettings: object, respond: FakeUpstream["respond"], more = {}) {
  const upstream = await startFakeUpstream(respond);
  closers.push(upstream.close);
  const settings = {
    auth_mode: "strict",
    api_keys: [{ name: "alice", key_env: "TEST_LIMITED_KEY", limits }],
    upstreams: { vendor: { base_url: upstream.url, prices, ...upstreamSettings } },
    models: [{ match: "*", upstream: "vendor" }],
    ...more,
  };
  const proxy = await startTestProxy(settings, { TEST_LIMITED_KEY: KEY });
  closers.push(proxy.close);
  const call = async (max: number) => {
    const response = await fetch(`${proxy.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${KEY}` },
      body: JSON.stringify(requestOf(max)),
    });
    await response.text();
    return response.status;
  };
  return { proxy, upstream, call };
}

const budget = (micros: number) => ({ budgets: [{ usd: micros / 1_000_000, period: "total" }] });
const messagesResponse = json({
  ...JSON.parse(WHOLE.messages),
  usage: { input_tokens: 7, output_tokens: 5 },
});
const choice = { message: { role: "assistant", content: "hi" }, finish_reason: "stop" };
const chatResponse = (choices: number) =>
  json({
    choices: Array.from({ length: choices }, (_, index) => ({ index, ...choice })),
    usage: { prompt_tokens: 7, completion_tokens: 5 * choices, total_tokens: 7 + 5 * choices },
  });

describe("a request for several candidates", () => {
  it.each([
    ["a call each", { dialect: "messages" }, messagesResponse, CANDIDATES],
    ["a call each", { dialect: "responses" }, undefined, CANDIDATES],
    ["one call", { dialect: "generative-language" }, undefined, 1],
    ["one call", { dialect: "chat-completions" }, chatResponse(CANDIDATES), 1],
  ] as const)(
    "that needs %s at %j reserves the input once for each call, to the microdollar",
    async (_, upstream, respond, calls) => {
      const needed = calls * input + CANDIDATES * MAX;
      const short = await start(budget(needed - 1), upstream, respond ?? json({}));
      expect([await short.call(MAX), short.upstream.hits]).toEqual([429, []]);
      if (respond === undefined) return;
      const { call, upstream: served } = await start(budget(needed), upstream, respond);
      expect([await call(MAX), served.hits.length]).toEqual([200, calls]);
      const spent = calls * 7 + CANDIDATES * 5;
      // What is left fits to the token.
      const fits = Math.floor((needed - spent - calls * input) / CANDIDATES);
      expect(await call(fits + 1)).toBe(429);
      expect(await call(fits)).toBe(200);
    },
  );

  it("counts them against the tokens a minute of its key and of the upstream", async () => {
    const tpm = CANDIDATES * (input + MAX);
    const fitting = await start({ tpm }, { dialect: "messages" }, messagesResponse);
    expect(await fitting.call(MAX)).toBe(200);
    const key = await start({ tpm: tpm - 1 }, { dialect: "messages" }, messagesResponse);
    expect([await key.call(MAX), key.upstream.hits]).toEqual([429, []]);
    const full = await start({}, { dialect: "messages", limits: { tpm: tpm - 1 } }, messagesResponse);
    expect([await full.call(MAX), full.upstream.hits]).toEqual([429, []]);
  });

  it("reserves an answer for each candidate if the client sets no maximum", async () => {
    const body = { ...requestOf(MAX), max_tokens: undefined };
    const needed = CANDIDATES * (estimateTokens(body) + 1_024);
    for (const [tpm, status] of [
      [needed, 200],
      [needed - 1, 429],
    ] as const) {
      const { proxy } = await start({ tpm }, { dialect: "messages" }, messagesResponse);
      const response = await fetch(`${proxy.url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${KEY}` },
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(status);
    }
  });

  it.each([
    [false, 2 * (7 + 5)],
    // The streams of the other candidates are closed, so their input is estimated.
    [true, 2 * input],
  ])("charges the calls that succeeded if another one is refused (stream: %j)", async (stream, charged) => {
    let calls = 0;
    const respond: FakeUpstream["respond"] = (...parameters) => {
      calls += 1;
      const refusal = { type: "error", error: { type: "invalid_request_error", message: "no third one" } };
      return calls % CANDIDATES === 0 ? json(refusal, 400)(...parameters) : messagesResponse(...parameters);
    };
    const needed = CANDIDATES * (input + MAX);
    const { proxy, call } = await start(budget(needed + charged - 1), { dialect: "messages" }, respond);
    const response = await fetch(`${proxy.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${KEY}` },
      body: JSON.stringify({ ...requestOf(MAX), stream }),
    });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("no third one")]);
    // One microdollar is missing for another call of this size.
    expect(await call(MAX)).toBe(429);
    expect(await call(MAX - 1)).not.toBe(429);
  });
});

describe("an upstream with limits that returns one candidate per call", () => {
  const startLimited = (limits: object, more = {}) =>
    start({}, { dialect: "messages", limits }, messagesResponse, more);

  it("counts each call against its rate", async () => {
    const { call, upstream } = await startLimited({ rpm: 2 * CANDIDATES + 2 });
    expect([await call(MAX), await call(MAX), await call(MAX)]).toEqual([200, 200, 429]);
    expect(upstream.hits).toHaveLength(2 * CANDIDATES);
  });

  it("counts each call while it is in flight, and no longer", async () => {
    const { call, upstream } = await startLimited({ concurrency: 2 * CANDIDATES - 1 });
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    upstream.respond = async (...parameters) => {
      await opened;
      messagesResponse(...parameters);
    };
    const first = call(MAX);
    await expect.poll(() => upstream.hits.length).toBe(CANDIDATES);
    expect(await call(MAX)).toBe(429);
    open();
    expect(await first).toBe(200);
    for (let count = 0; count < 3; count += 1) expect(await call(MAX)).toBe(200);
    expect(upstream.hits).toHaveLength(4 * CANDIDATES);
  });

  it("reserves the tokens of each call, and charges the counted ones", async () => {
    const needed = CANDIDATES * (input + MAX);
    const spent = CANDIDATES * (7 + 5);
    const exact = await startLimited({ tpm: needed + spent });
    expect([await exact.call(MAX), await exact.call(MAX)]).toEqual([200, 200]);
    const short = await startLimited({ tpm: needed - 1 });
    expect([await short.call(MAX), short.upstream.hits]).toEqual([429, []]);
  });

  it("rejects a request that needs more calls than it may have in flight, before any of them", async () => {
    const { proxy, call, upstream } = await startLimited({ concurrency: CANDIDATES - 1 });
    const response = await fetch(`${proxy.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${KEY}` },
      body: JSON.stringify(requestOf(MAX)),
    });
    expect([response.status, response.headers.get("x-should-retry")]).toEqual([429, "false"]);
    expect(await response.text()).toContain("This request needs 3 calls, so it can never fit.");
    expect(upstream.hits).toEqual([]);
    expect(await call(MAX)).toBe(429);
  });

  it("is skipped for all calls if it has no room for all of them", async () => {
    const other = await startFakeUpstream(messagesResponse);
    closers.push(other.close);
    const limited = await startFakeUpstream(messagesResponse);
    closers.push(limited.close);
    for (const [dialect, respond] of [
      ["messages", messagesResponse],
      ["chat-completions", chatResponse(CANDIDATES)],
    ] as const) {
      other.respond = respond;
      other.hits.length = 0;
      const { call } = await start({}, {}, messagesResponse, {
        upstreams: {
          a: { dialect: "messages", base_url: limited.url, prices, limits: { rpm: CANDIDATES + 2 } },
          b: { dialect, base_url: other.url, prices },
        },
        models: [{ match: "*", upstream: ["a", "b"] }],
      });
      limited.hits.length = 0;
      expect([await call(MAX), await call(MAX)]).toEqual([200, 200]);
      expect([dialect, limited.hits.length, other.hits.length]).toEqual([
        dialect,
        CANDIDATES,
        dialect === "messages" ? CANDIDATES : 1,
      ]);
    }
  });

  it("counts a call that continues at another upstream there", async () => {
    const [first, second] = [await startFakeUpstream(), await startFakeUpstream(messagesResponse)];
    closers.push(first.close, second.close);
    first.respond = (...parameters) =>
      first.hits.length % CANDIDATES === 0
        ? json({ type: "error", error: { type: "api_error", message: "down" } }, 500)(...parameters)
        : messagesResponse(...parameters);
    const { call } = await start({}, {}, messagesResponse, {
      upstreams: {
        a: { dialect: "messages", base_url: first.url, prices, limits: { concurrency: CANDIDATES } },
        b: { dialect: "messages", base_url: second.url, prices, limits: { rpm: 2, concurrency: 1 } },
      },
      models: [{ match: "*", upstream: ["a", "b"] }],
    });
    expect([await call(MAX), await call(MAX)]).toEqual([200, 200]);
    expect([first.hits.length, second.hits.length]).toEqual([2 * CANDIDATES, 2]);
    // The second upstream has no request left for the third call.
    expect(await call(MAX)).toBe(429);
  });
});

describe("calls for several candidates of which one fails", () => {
  it.each([
    ["does not respond to it", 0, (response: ServerResponse) => response.destroy()],
    [
      "breaks its response off",
      // The input of the broken response is estimated.
      input,
      (response: ServerResponse) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": 1_000 });
        response.write('{"type":"message",', () => response.destroy());
      },
    ],
  ])("are charged if the upstream %s", async (_, partial, fail) => {
    const charged = 2 * (7 + 5) + partial;
    let calls = 0;
    const respond: FakeUpstream["respond"] = (hit, response) => {
      calls += 1;
      return calls < CANDIDATES ? messagesResponse(hit, response) : fail(response);
    };
    const needed = CANDIDATES * (input + MAX);
    const { call, proxy } = await start(budget(needed + charged - 1), { dialect: "messages" }, respond);
    expect(await call(MAX)).toBe(502);
    await expect.poll(() => proxy.records[0]?.cost).toBe(charged / 1_000_000);
    // One microdollar is missing for another call of this size.
    expect(await call(MAX)).toBe(429);
    expect(await call(MAX - 1)).toBe(502);
  });
});

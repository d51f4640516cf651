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
    [true, 2 * Math.ceil(JSON.stringify({ ...requestOf(MAX), stream: true }).length / 4)],
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

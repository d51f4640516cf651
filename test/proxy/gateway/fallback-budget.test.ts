import { afterEach, describe, expect, it } from "vitest";
import { estimateTokens } from "../../../src/proxy/usage/estimate-tokens.ts";
import { json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestProxy } from "../../support/start-proxy.ts";
import { WHOLE } from "../../support/vendor-responses.ts";

const KEY = "sk-limited-0123456789abcdef";
const MAX = 100;
/** Microdollars for each token. */
const CHEAP = 1;
const DEAR = 10;

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const request = { model: "m", max_tokens: MAX, messages: [{ role: "user", content: "How far is it?" }] };
const longest = estimateTokens(request) + MAX;
const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };
const success = json({ ...JSON.parse(WHOLE["chat-completions"]), usage });
const asMessages = json({ ...JSON.parse(WHOLE.messages), usage: { input_tokens: 7, output_tokens: 5 } });
const failure = json({ error: { message: "cheap is down", type: "server_error" } }, 500);

const budget = (micros: number) => ({ budgets: [{ usd: micros / 1_000_000, period: "total" }] });

/** Starts a proxy whose rule has a cheap upstream, which fails, and a dear one. */
async function start(limits: object, { dear = {}, cheap = {}, ...more }: Record<string, object> = {}) {
  const [first, second] = [await startFakeUpstream(failure), await startFakeUpstream(success)];
  closers.push(first.close, second.close);
  const priced = (price: number) => ({ "*": { input: price, output: price } });
  const dialect = "chat-completions";
  const proxy = await startTestProxy(
    {
      auth_mode: "strict",
      api_keys: [{ name: "alice", key_env: "TEST_LIMITED_KEY", limits }],
      upstreams: {
        cheap: { dialect, base_url: first.url, prices: priced(CHEAP), ...cheap },
        dear: { dialect, base_url: second.url, prices: priced(DEAR), ...dear },
      },
      models: [{ match: "*", upstream: ["cheap", "dear"] }],
      ...more,
    },
    { TEST_LIMITED_KEY: KEY },
  );
  closers.push(proxy.close);
  const call = async (body: object = request) => {
    const response = await fetch(`${proxy.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${KEY}` },
      body: JSON.stringify(body),
    });
    return [response.status, await response.text()] as const;
  };
  return { proxy, first, second, call };
}

describe("a fallback to a dearer target", () => {
  it.each([
    ["in the same lane", {}, success],
    ["in another lane", { dialect: "messages" }, asMessages],
  ])("%s is reserved before it is called, to the microdollar", async (_, dear, respond) => {
    const fitting = await start(budget(DEAR * longest), { dear });
    fitting.second.respond = respond;
    expect((await fitting.call())[0]).toBe(200);
    await expect.poll(() => fitting.proxy.records[0]?.cost).toBe((12 * DEAR) / 1_000_000);
    const short = await start(budget(DEAR * longest - 1), { dear });
    short.second.respond = respond;
    // The client receives the error of the target that it can pay for.
    expect(await short.call()).toEqual([500, expect.stringContaining("cheap is down")]);
    expect(short.second.hits).toEqual([]);
  });

  it("releases its reservation when the call ends", async () => {
    const spent = 12 * DEAR;
    const { call, second, first } = await start(budget(spent + DEAR * longest));
    expect((await call())[0]).toBe(200);
    expect((await call())[0]).toBe(200);
    expect((await call())[0]).toBe(500);
    expect([first.hits.length, second.hits.length]).toEqual([3, 2]);
    first.respond = success;
    expect((await call())[0]).toBe(200);
  });

  it("is reserved for calls at the same time", async () => {
    const { call, second } = await start(budget(2 * DEAR * longest - 1));
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    second.respond = async (...parameters) => {
      await opened;
      success(...parameters);
    };
    const calls = [call(), call()];
    await Promise.race(calls);
    open();
    expect((await Promise.all(calls)).map(([status]) => status).sort()).toEqual([200, 500]);
    expect(second.hits).toHaveLength(1);
  });

  it("is reserved if the cheaper upstream is full", async () => {
    const cheap = { limits: { rpm: 1 } };
    const { call, second, first } = await start(budget(CHEAP * longest + 12), { cheap });
    first.respond = success;
    expect((await call())[0]).toBe(200);
    expect(await call()).toEqual([429, expect.stringContaining('the upstream \\"cheap\\"')]);
    expect(second.hits).toEqual([]);
  });

  it("is not made at an unknown price if the configuration rejects such calls", async () => {
    const unpriced = { dear: { prices: {} } };
    const refusing = await start(budget(1_000_000), { ...unpriced, unpriced: "refuse" as unknown as object });
    expect((await refusing.call())[0]).toBe(500);
    expect(refusing.second.hits).toEqual([]);
    const counting = await start(budget(1_000_000), unpriced);
    expect((await counting.call())[0]).toBe(200);
  });

  it("reserves the tokens of the additional upstream calls that it needs", async () => {
    // The input is large, because a token is available again after a part of a minute.
    const messages = [{ role: "user", content: "How far is it? ".repeat(5_000) }];
    const several = { ...request, n: 3, messages };
    const input = estimateTokens(several);
    for (const [calls, status] of [
      [3, 200],
      [1, 500],
    ] as const) {
      const tpm = calls * input + 3 * MAX;
      const { call, second } = await start({ tpm }, { dear: { dialect: "messages" } });
      second.respond = asMessages;
      expect([(await call(several))[0], second.hits.length]).toEqual([status, status === 200 ? 3 : 0]);
    }
  });

  it("is reserved once for several upstream calls", async () => {
    const messages = { dialect: "messages" };
    const several = { ...request, n: 3 };
    const needed = 3 * DEAR * (estimateTokens(several) + MAX);
    for (const [missing, status] of [
      [0, 200],
      [1, 500],
    ] as const) {
      const { call, second } = await start(budget(needed - missing), { cheap: messages, dear: messages });
      second.respond = asMessages;
      expect([(await call(several))[0], second.hits.length]).toEqual([status, status === 200 ? 3 : 0]);
    }
  });
});

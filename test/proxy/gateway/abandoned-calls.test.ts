import { afterEach, describe, expect, it } from "vitest";
import { estimateTokens } from "../../../src/proxy/usage/estimate-tokens.ts";
import { type FakeUpstream, json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestProxy } from "../../support/start-proxy.ts";
import { WHOLE } from "../../support/vendor-responses.ts";

const KEY = "sk-limited-0123456789abcdef";
const CANDIDATES = 3;
const MAX = 100;
/** Microdollars for each token at the first and at the second upstream. */
const FIRST = 1;
const SECOND = 10;

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const request = { model: "m", n: CANDIDATES, max_tokens: MAX, messages: [{ role: "user", content: "Why?" }] };
const asMessages = json({ ...JSON.parse(WHOLE.messages), usage: { input_tokens: 7, output_tokens: 5 } });
const choice = { message: { role: "assistant", content: "hi" }, finish_reason: "stop" };
const asChat = json({
  choices: Array.from({ length: CANDIDATES }, (_, index) => ({ index, ...choice })),
  usage: { prompt_tokens: 7, completion_tokens: 15, total_tokens: 22 },
});
const failure = json({ type: "error", error: { type: "api_error", message: "down" } }, 500);

/** Responds to the third of each three requests with an error, once the others have their responses. */
function failThird(respond: FakeUpstream["respond"]): FakeUpstream["respond"] {
  let calls = 0;
  let served = 0;
  return async (hit, response) => {
    calls += 1;
    if (calls % CANDIDATES === 0) {
      await expect.poll(() => served % CANDIDATES).toBe(CANDIDATES - 1);
      served += 1;
      return failure(hit, response);
    }
    await respond(hit, response);
    served += 1;
  };
}

const budget = (micros: number) => ({ budgets: [{ usd: micros / 1_000_000, period: "total" }] });

/** Starts a proxy with a limited key and two upstreams, of which the first one fails one of three calls. */
async function start(limits: object, second: object, respond: FakeUpstream["respond"], first: object = {}) {
  const [one, two] = [await startFakeUpstream(failThird(asMessages)), await startFakeUpstream(respond)];
  closers.push(one.close, two.close);
  const priced = (price: number) => ({ "*": { input: price, output: price } });
  const proxy = await startTestProxy(
    {
      auth_mode: "strict",
      api_keys: [{ name: "alice", key_env: "TEST_LIMITED_KEY", limits }],
      upstreams: {
        one: { dialect: "messages", base_url: one.url, prices: priced(FIRST), ...first },
        two: { base_url: two.url, prices: priced(SECOND), ...second },
      },
      models: [{ match: "*", upstream: ["one", "two"] }],
    },
    { TEST_LIMITED_KEY: KEY },
  );
  closers.push(proxy.close);
  const call = async (body: object = request, path = "chat/completions") => {
    const response = await fetch(`${proxy.url}/v1/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${KEY}` },
      body: JSON.stringify(body),
    });
    await response.text();
    return response.status;
  };
  return { proxy, one, two, call };
}

/** Tokens of the two calls that the first upstream has served. */
const ABANDONED = 2 * (7 + 5);

describe("upstream calls that are complete when another one continues elsewhere", () => {
  it.each([
    ["in another lane", { dialect: "chat-completions" }, asChat, 22],
    ["in the same dialect, without a translation of the others", { dialect: "messages" }, asMessages, 12],
  ] as const)("are charged at their own price if it continues %s", async (_, second, respond, tokens) => {
    const { call, proxy } = await start({}, second, respond);
    expect(await call()).toBe(200);
    await expect.poll(() => proxy.records[0]?.cost).toBe((ABANDONED * FIRST + tokens * SECOND) / 1_000_000);
    const { input, output } = proxy.records[0]?.usage ?? { input: {}, output: {} };
    expect((input.total ?? 0) + (output.total ?? 0)).toBe(ABANDONED + tokens);
  });

  it("are charged to the budget of the key, to the microdollar", async () => {
    const needed = SECOND * (estimateTokens(request) + CANDIDATES * MAX);
    const spent = ABANDONED * FIRST + 22 * SECOND;
    const { call, two } = await start(budget(needed + spent - 1), { dialect: "chat-completions" }, asChat);
    expect(await call()).toBe(200);
    // One microdollar is missing for the second call at the dearer upstream.
    expect([await call(), two.hits.length]).toEqual([500, 1]);
  });

  it("are charged if the other target fails, too", async () => {
    const { call, proxy } = await start({}, { dialect: "chat-completions" }, failure);
    expect(await call()).toBe(500);
    await expect.poll(() => proxy.records[0]?.cost).toBe((ABANDONED * FIRST) / 1_000_000);
  });

  it("are charged for streams, whose input and output are estimated", async () => {
    const stream: FakeUpstream["respond"] = (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(
        `event: message_start\ndata: ${JSON.stringify({
          type: "message_start",
          message: {
            ...JSON.parse(WHOLE.messages),
            content: [],
            usage: { input_tokens: 7, output_tokens: 1 },
          },
        })}\n\n`,
      );
    };
    const { call, proxy, one } = await start({}, { dialect: "chat-completions" }, asChat);
    one.respond = failThird(stream);
    await call({ ...request, stream: true });
    await expect.poll(() => proxy.records[0]?.usage?.input.total).toBeGreaterThan(2 * 7 - 1);
  });

  it("are charged to the tokens a minute of their upstream", async () => {
    const tpm = 2 * CANDIDATES * (estimateTokens(request) + MAX);
    const limited = { limits: { tpm } };
    const { call, one } = await start({}, { dialect: "chat-completions" }, asChat, limited);
    const used = { input_tokens: 1_000 * tpm, output_tokens: 5 };
    one.respond = failThird(json({ ...JSON.parse(WHOLE.messages), usage: used }));
    expect([await call(), await call()]).toEqual([200, 200]);
    expect(one.hits).toHaveLength(CANDIDATES);
  });

  it("are charged if they have generated images", async () => {
    const parts = [{ inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }];
    const painted = json({
      candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 100, totalTokenCount: 109 },
    });
    const image = json({ data: [], usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 } });
    const google = { dialect: "generative-language" };
    const { call, proxy, one } = await start({}, { dialect: "chat-completions" }, image, google);
    one.respond = failThird(painted);
    expect(await call({ model: "gemini-image", prompt: "A lamp", n: CANDIDATES }, "images/generations")).toBe(
      200,
    );
    await expect.poll(() => proxy.records[0]?.cost).toBe((2 * 109 * FIRST + 7 * SECOND) / 1_000_000);
  });
});

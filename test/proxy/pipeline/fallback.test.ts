import { afterEach, describe, expect, it } from "vitest";
import {
  events,
  type FakeUpstream,
  json,
  type Respond,
  startFakeUpstream,
} from "../../support/fake-upstream.ts";
import { question } from "../../support/faulty-upstream.ts";
import { startTestProxy, type TestProxy, until } from "../../support/start-proxy.ts";
import { type ClientDialect, DIALECTS, EVENTS, WHOLE } from "../../support/vendor-responses.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

interface Chain {
  readonly proxy: TestProxy;
  readonly upstreams: readonly FakeUpstream[];
}

/** A proxy whose only rule lists upstreams of these dialects, in this order. */
async function startChain(...links: readonly (readonly [ClientDialect, Respond])[]): Promise<Chain> {
  const upstreams: FakeUpstream[] = [];
  for (const [, respond] of links) upstreams.push(await startFakeUpstream(respond));
  closers.push(...upstreams.map(({ close }) => close));
  const named = links.map(([dialect], index) => [
    `${index} ${dialect}`.replace(" ", "-"),
    { dialect, base_url: upstreams[index]?.url, api_key: `sk-upstream-of-place-${index}` },
  ]);
  const proxy = await startTestProxy({
    upstreams: Object.fromEntries(named),
    models: [{ match: "*", upstream: named.map(([name]) => name), model: "renamed" }],
  });
  closers.push(proxy.close);
  return { proxy, upstreams };
}

function post({ url }: TestProxy, client: ClientDialect, isStream = false): Promise<Response> {
  const { path, body } = question(client, "m", isStream);
  return fetch(`${url}${path}`, { method: "POST", headers: { "content-type": "application/json" }, body });
}

const hitsOf = ({ upstreams }: Chain) => upstreams.map(({ hits }) => hits.length);
const refusal = (status: number) => json({ error: { message: "not now", type: "x" } }, status);
const hangUp: Respond = (_hit, response) => response.destroy();
const well = (dialect: ClientDialect, isStream = false): Respond =>
  isStream ? events(EVENTS[dialect]) : json(WHOLE[dialect]);
const pairs = DIALECTS.flatMap((first) =>
  DIALECTS.filter((second) => second !== first).map((second) => [first, second] as const),
);

describe("a rule with upstreams of several dialects", () => {
  it.each(pairs)("serves a call with the second upstream: %s, then %s", async (first, second) => {
    for (const client of DIALECTS)
      for (const isStream of [false, true]) {
        const chain = await startChain([first, refusal(503)], [second, well(second, isStream)]);
        const response = await post(chain.proxy, client, isStream);
        expect([client, response.status, response.headers.get("x-sallyport-upstream")]).toEqual([
          client,
          200,
          `1-${second}`,
        ]);
        expect(await response.text()).toContain("déjà");
        expect(hitsOf(chain)).toEqual([1, 1]);
        const { hits } = chain.upstreams[1] ?? { hits: [] };
        expect(`${hits[0]?.url} ${hits[0]?.body}`).toContain("renamed");
        await until(() => chain.proxy.records.length === 1);
        expect(chain.proxy.records[0]).toMatchObject({ status: 200, upstream: `1-${second}`, retries: 1 });
        expect(chain.proxy.records[0]?.errorMessage).toBeUndefined();
      }
  });

  it.each([
    ["cannot be had", hangUp],
    ["refuses its key", refusal(401)],
    ["is out of credit", refusal(402)],
    ["is limited", refusal(429)],
    ["is broken", refusal(500)],
    ["is overloaded", refusal(529)],
  ] as const)("continues if an upstream %s, in order, across dialects", async (_name, failing) => {
    const chain = await startChain(
      ["messages", failing],
      ["chat-completions", failing],
      ["messages", failing],
      ["generative-language", well("generative-language")],
    );
    const response = await post(chain.proxy, "messages");
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("déjà")]);
    expect(hitsOf(chain)).toEqual([1, 1, 1, 1]);
  });

  it("requests the model that the rule names at each upstream, in the same dialect and in others", async () => {
    const chats = [await startFakeUpstream(refusal(500)), await startFakeUpstream(refusal(429))] as const;
    const last = await startFakeUpstream(well("messages"));
    closers.push(...[...chats, last].map(({ close }) => close));
    const [one, two, three] = [...chats, last].map(({ url }) => url);
    const proxy = await startTestProxy({
      upstreams: {
        one: { dialect: "chat-completions", base_url: one },
        two: { dialect: "chat-completions", base_url: two },
        three: { dialect: "messages", base_url: three },
      },
      models: [{ match: "*", upstream: ["one", "two/org/small", "three/claude-x"] }],
    });
    closers.push(proxy.close);
    expect((await post(proxy, "chat-completions")).status).toBe(200);
    const models = [...chats, last].map(({ hits }) => JSON.parse(String(hits[0]?.body)).model);
    expect(models).toEqual(["m", "org/small", "claude-x"]);
    await until(() => proxy.records.length === 1);
    expect(proxy.records[0]).toMatchObject({
      model: "m",
      upstream: "three",
      upstreamModel: "claude-x",
      retries: 2,
    });
    expect(await (await fetch(`${proxy.url}/`)).text()).toContain(
      "one, then two/org/small, then three/claude-x",
    );
  });

  it("returns the last upstream's error in the client's dialect if all fail", async () => {
    const chain = await startChain(["messages", refusal(500)], ["chat-completions", refusal(429)]);
    const response = await post(chain.proxy, "messages");
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({
      type: "error",
      error: { type: "rate_limit_error", message: expect.stringContaining("not now") },
    });
  });

  it.each([400, 404, 413, 422])("does not continue after an error of the client: %s", async (status) => {
    for (const client of ["messages", "responses"] as const) {
      const chain = await startChain(
        ["messages", refusal(status)],
        ["chat-completions", well("chat-completions")],
      );
      expect((await post(chain.proxy, client)).status).toBe(status);
      expect(hitsOf(chain)).toEqual([1, 0]);
    }
  });

  it("does not continue once the client was sent data", async () => {
    for (const client of ["messages", "responses"] as const) {
      const cut: Respond = (_hit, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(EVENTS.messages[0], () => response.destroy());
      };
      const chain = await startChain(["messages", cut], ["chat-completions", well("chat-completions", true)]);
      await (await post(chain.proxy, client, true)).text().catch(() => "");
      await until(() => chain.proxy.records.length === 1);
      expect(hitsOf(chain)).toEqual([1, 0]);
    }
  });
});

describe("x-should-retry of an upstream", () => {
  const withHint =
    (status: number, hint: string): Respond =>
    (_hit, response) => {
      const headers = { "content-type": "application/json", "x-should-retry": hint, "retry-after": "0" };
      response.writeHead(status, headers).end(JSON.stringify({ error: { message: "not now", type: "x" } }));
    };

  it.each(DIALECTS)("ends the call after false, and reaches the client: upstream %s", async (first) => {
    for (const client of DIALECTS)
      for (const status of [429, 503]) {
        const chain = await startChain([first, withHint(status, "false")], ["messages", well("messages")]);
        const response = await post(chain.proxy, client);
        const seen = [client, response.ok, response.headers.get("x-should-retry"), hitsOf(chain)];
        expect(seen).toEqual([client, false, "false", [1, 0]]);
      }
  });

  it("repeats the call twice after true, and reaches the client if that does not help", async () => {
    for (const client of ["messages", "chat-completions"] as const) {
      const chain = await startChain(["messages", withHint(409, "true")]);
      const response = await post(chain.proxy, client);
      expect([response.status, response.headers.get("x-should-retry")]).toEqual([409, "true"]);
      expect(hitsOf(chain)).toEqual([3]);
      const [upstream] = chain.upstreams;
      if (upstream) upstream.respond = well("messages");
      expect((await post(chain.proxy, client)).status).toBe(200);
    }
  });
});

import { afterEach, describe, expect, it } from "vitest";
import { createProxy, type SharedParts } from "../../../src/proxy/create-proxy.ts";
import { NO_COUNTS } from "../../../src/proxy/observability/sum-counts.ts";
import { createMemoryConversations } from "../../../src/proxy/translate/conversations/conversation-store.ts";
import { type DashboardEvents, followDashboard } from "../../support/dashboard-events.ts";
import { finished } from "../../support/dashboard-state.ts";
import { type FakeUpstream, json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { configOf, startTestProxy, type TestProxy, until } from "../../support/start-proxy.ts";

const KEY = "sk-dashboard-0123456789abcdef";
const EVIL = "<img src=x onerror=alert(1)>";
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const completion = { type: "message", content: [], usage: { input_tokens: 1000, output_tokens: 100 } };

async function start(settings: object = {}): Promise<{ proxy: TestProxy; upstream: FakeUpstream }> {
  const upstream = await startFakeUpstream(json(completion));
  closers.push(upstream.close);
  const proxy = await startTestProxy({
    upstreams: { a: { dialect: "messages", base_url: `${upstream.url}`, api_key: "sk-upstream-0123456789" } },
    ...settings,
  });
  closers.push(proxy.close);
  return { proxy, upstream };
}

async function call({ url }: TestProxy, model: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "said in confidence" }] }),
  });
  return response.text();
}

describe("the dashboard page", () => {
  it("contains the current figures, escaped, and no content of calls", async () => {
    const { proxy } = await start();
    await call(proxy, "claude-sonnet-5");
    await call(proxy, EVIL);
    await until(() => proxy.records.length === 2);
    const response = await fetch(`${proxy.url}/`);
    const page = await response.text();
    expect(response.headers.get("content-type")).toContain("text/html");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(page).toContain("$0.0030");
    expect(page).toContain("claude-sonnet-5");
    expect(page).toContain("&#60;img src=x onerror=alert(1)&#62;");
    expect(page).not.toContain("<img");
    expect(page).not.toContain("confidence");
    expect(page).not.toContain("sk-");
  });

  it.each(["strict", "all_except_health"])(
    "contains no figures without a key in %s, and asks for one",
    async (mode) => {
      const { proxy } = await start({ auth_mode: mode, api_keys: [KEY] });
      await call(proxy, "claude-sonnet-5", { "x-api-key": KEY });
      await until(() => proxy.records.length === 1);
      const asBrowser = await fetch(`${proxy.url}/`, { headers: { accept: "text/html,*/*;q=0.8" } });
      expect([asBrowser.status, asBrowser.headers.get("www-authenticate")]).toEqual([
        401,
        'Bearer realm="sallyport"',
      ]);
      const page = await asBrowser.text();
      expect(page).toContain('type="password"');
      expect(page).not.toMatch(/claude|upstream|messages/);
      // Other callers and other paths get the usual responses.
      expect((await fetch(`${proxy.url}/`)).headers.get("content-type")).toContain("json");
      const elsewhere = await fetch(`${proxy.url}/metrics`, { headers: { accept: "text/html" } });
      expect(elsewhere.headers.get("content-type")).toContain("json");
      const inside = await fetch(`${proxy.url}/`, { headers: { accept: "text/html", "x-api-key": KEY } });
      expect([inside.status, (await inside.text()).includes("claude-sonnet-5")]).toEqual([200, true]);
    },
  );

  it("contains no figures for a page of another origin, listed or not", async () => {
    const { proxy } = await start({ allowed_origins: ["https://app.example"], api_keys: [KEY] });
    await call(proxy, "claude-sonnet-5");
    const ask = (path: string, headers: Record<string, string>) => fetch(`${proxy.url}${path}`, { headers });
    const listed = { origin: "https://app.example" };
    expect(await (await ask("/", listed)).text()).not.toMatch(/claude|messages/);
    for (const headers of [listed, { ...listed, "x-api-key": KEY }, { origin: "https://evil.example" }]) {
      const refused = await ask("/internal/dashboard/events", headers);
      expect([headers, refused.status, await refused.text()]).toEqual([
        headers,
        403,
        expect.not.stringContaining("claude"),
      ]);
    }
  });
});

describe("the event stream of the dashboard", () => {
  it("reports a call once while it runs and once when it has ended", async () => {
    const { proxy, upstream } = await start({
      models: [
        { match: "alias", upstream: "a", model: "claude-sonnet-5", when: { header: { "x-team": "blue" } } },
      ],
      mcp: { tools: { url: "http://127.0.0.1:1/mcp?token=hidden" } },
    });
    const events = await followDashboard(proxy);
    const fresh = await events.until(() => true);
    expect(fresh).toMatchObject({ isDraining: false, needsKey: false, live: [], calls: [], models: [] });
    expect(fresh.upstreams).toMatchObject([{ name: "a", url: `${upstream.url}/v1`, keys: 1, calls: 0 }]);
    expect(fresh.rules).toEqual([
      { match: "alias", upstreams: ["a"], model: "claude-sonnet-5", when: ["header x-team"] },
    ]);
    expect(fresh.mcp).toMatchObject([{ name: "tools", isEnabled: true, url: "http://127.0.0.1:1/mcp" }]);

    let release = () => {};
    upstream.respond = async (hit, response) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return json(completion)(hit, response);
    };
    const finishing = call(proxy, "alias", { "x-team": "blue" });
    const running = await events.until(({ live }) => live.some(({ upstream: name }) => name === "a"));
    await until(() => upstream.hits.length === 1);
    expect(running.live).toMatchObject([{ route: "/v1/messages", model: "alias", stream: false }]);
    release();
    await finishing;
    const ended = await events.until(({ calls }) => calls.length > 0);
    expect(ended.live).toEqual([]);
    expect(ended.calls).toMatchObject([
      {
        model: "alias",
        upstreamModel: "claude-sonnet-5",
        status: 200,
        cost: 0.003,
        tokens: { input: 1000, output: 100 },
      },
    ]);
    expect(ended.total).toMatchObject({ calls: 1, errors: 0, input: 1000, output: 100, cost: 0.003 });
    expect(ended.models).toMatchObject([{ upstream: "a", model: "claude-sonnet-5", calls: 1 }]);
    expect(ended.upstreams[0]?.lastSuccess).toBe(ended.calls[0]?.time);

    upstream.respond = json({ type: "error", error: { type: "overloaded_error", message: "no" } }, 529);
    await call(proxy, "claude-opus-5");
    const failed = await events.until(({ total }) => total.errors === 1);
    expect(failed.calls.map(({ status }) => status)).toEqual([529]);
    expect(failed.upstreams[0]).toMatchObject({ errors: 1, lastError: { status: 529 } });
    events.stop();
  });

  it("reports a rejected configuration without its secrets, and ends when one is applied", async () => {
    const { proxy } = await start();
    const events = await followDashboard(proxy);
    proxy.server.noteRefused("config.json:3: sk-upstream-0123456789 is no number");
    const { configuration } = await events.until((state) => state.configuration.refused !== undefined);
    expect(configuration.refused?.reason).toBe("config.json:3: [redacted] is no number");
    proxy.reload({ auth_mode: "strict", api_keys: [KEY] });
    await events.ended();
    await expect(followDashboard(proxy)).rejects.toThrow("401");
    const again = await followDashboard(proxy, { "x-api-key": KEY });
    expect((await again.until(() => true)).configuration).not.toHaveProperty("refused");
    again.stop();
  });

  it("reports that the proxy is stopping while a call still runs, and does not delay the end", async () => {
    const { proxy, upstream } = await start();
    let release = () => {};
    upstream.respond = async (hit, response) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return json(completion)(hit, response);
    };
    const events = await followDashboard(proxy);
    const finishing = call(proxy, "claude-sonnet-5");
    await events.until(({ live }) => live.some(({ upstream: name }) => name === "a"));
    await until(() => upstream.hits.length === 1);
    const drained = proxy.server.drain();
    expect((await events.until(({ isDraining }) => isDraining)).live).toHaveLength(1);
    release();
    await finishing;
    await drained;
    events.stop();
  });

  it("includes every call of a worker, even if another worker has ended a later one", async () => {
    const inTheFuture = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();
    const [earlier, later] = [
      finished({ id: "earlier", time: inTheFuture(3_600_000) }),
      finished({ id: "later", time: inTheFuture(7_200_000) }),
    ];
    let ended = [later];
    const events = await followOneOfMany(async (since) => {
      const calls = ended.filter(({ time }) => time >= since);
      ended = [later, earlier];
      return { live: [], calls, cooldowns: [] };
    });
    expect((await events.until(() => true)).calls.map(({ id }) => id)).toEqual(["later"]);
    expect((await events.until(() => true)).calls.map(({ id }) => id)).toEqual(["earlier"]);
    events.stop();
  });

  it("ends if the figures of all processes are no longer available, so that the page reconnects", async () => {
    let isDisconnected = false;
    const events = await followOneOfMany(async () => {
      if (isDisconnected) throw new Error("the other process has ended");
      return { live: [], calls: [], cooldowns: [] };
    });
    await events.until(() => true);
    isDisconnected = true;
    await events.ended();
  });
});

/** The events of a proxy that receives the calls of other processes. */
async function followOneOfMany(activity: SharedParts["activity"]): Promise<DashboardEvents> {
  const server = createProxy(configOf({}), {
    log: { add: () => {}, afterWrite: (run) => run(), refused: () => {}, close: async () => {} },
    onInternal: () => {},
    shared: {
      instanceId: "instance",
      conversations: createMemoryConversations(),
      totals: async () => NO_COUNTS,
      activity,
      history: { startedAt: 0, configuration: { readAt: 0 } },
    },
  });
  closers.push(() => server.close());
  return followDashboard({ url: await server.app.listen({ port: 0, host: "127.0.0.1" }) });
}

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codecs } from "../../support/codecs.ts";
import { everything, request } from "../../support/exchange.ts";
import { type FakeUpstream, json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestProxy, type TestProxy, until } from "../../support/start-proxy.ts";
import { DIALECTS, WHOLE } from "../../support/vendor-responses.ts";
import { type Provocation, provocations } from "./provocations.ts";

/** The capabilities of models that the calls of `provocations.ts` need. */
const capabilities = { "free-text": { customTools: true }, "auto-only": { toolChoices: ["auto"] } };
let upstreams: Record<string, FakeUpstream> = {};
let proxy: TestProxy;
let strict: TestProxy;

beforeAll(async () => {
  upstreams = Object.fromEntries(
    await Promise.all(DIALECTS.map(async (dialect) => [dialect, await startFakeUpstream()] as const)),
  );
  const settings = {
    upstreams: Object.fromEntries(
      DIALECTS.map((dialect) => [dialect, { dialect, base_url: upstreams[dialect]?.url, capabilities }]),
    ),
  };
  proxy = await startTestProxy(settings);
  strict = await startTestProxy({ ...settings, strict_translation: true });
});
afterAll(async () => {
  await Promise.all([proxy.close(), strict.close()]);
  for (const upstream of Object.values(upstreams)) await upstream.close();
  expect([...proxy.internal, ...strict.internal]).toEqual([]);
});

function ask(server: TestProxy, { path, body, response }: Provocation): Promise<Response> {
  for (const dialect of DIALECTS) {
    const upstream = upstreams[dialect];
    if (upstream !== undefined) upstream.respond = json(response ?? WHOLE[dialect]);
  }
  const sent =
    body instanceof FormData
      ? { body }
      : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  return fetch(`${server.url}${path}`, { method: "POST", ...sent });
}

const asked = () => Object.values(upstreams).reduce((sum, { hits }) => sum + hits.length, 0);

describe("every loss code", () => {
  it.each(Object.entries(provocations))(
    "%s is listed in the header and the log, and rejected under strict_translation",
    async (name, provocation) => {
      const code = provocation.code ?? name;
      const count = proxy.records.length;
      const response = await ask(proxy, provocation);
      const received = response.headers.get("x-sallyport-losses")?.split(",") ?? [];
      expect([response.status, received, await response.text()]).toEqual([
        200,
        expect.arrayContaining([code]),
        expect.any(String),
      ]);
      await until(() => proxy.records.length > count);
      expect(proxy.records.at(-1)?.losses.map((loss) => loss.code)).toEqual(received);

      const before = asked();
      const refused = await ask(strict, provocation);
      const message = await refused.text();
      expect([refused.status, asked() - before]).toEqual([400, provocation.inResponse ? 1 : 0]);
      expect(message).toMatch(new RegExp(`strict_translation refuses .*${code}: `));
    },
  );

  it("a code that the lane never produces is reported by the codecs", () => {
    const earlier = request({ previousResponseId: "resp_1" });
    expect(codecs["generative-language"].encodeRequest(earlier, everything).losses).toMatchObject([
      { code: "previous-response-id" },
    ]);
    const tools = [{ type: "function", name: "f", schema: { type: "object" } }] as const;
    expect(codecs.completions.encodeRequest(request({ tools }), everything).losses).toMatchObject([
      { code: "tools" },
    ]);
  });

  it("a call without losses reports none, and is served under strict_translation", async () => {
    const plain = {
      path: "/v1/messages",
      body: { model: "chat-completions/m", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] },
    };
    for (const server of [proxy, strict]) {
      const response = await ask(server, plain);
      expect([response.status, response.headers.get("x-sallyport-losses")]).toEqual([200, null]);
    }
  });
});

import { afterEach, describe, expect, it } from "vitest";
import { json, type Respond, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestProxy, until } from "../../support/start-proxy.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const turns = [{ role: "user", content: "Hi" }];
const valid = { model: "m", messages: turns, max_tokens: 9 };

/** Sends one call to a proxy in front of an upstream of the messages dialect; returns what was logged. */
async function logged(path: string, body: object | string, respond: Respond, settings: object = {}) {
  const upstream = await startFakeUpstream(respond);
  closers.push(upstream.close);
  const proxy = await startTestProxy({
    upstreams: { a: { dialect: "messages", base_url: upstream.url, api_key: "k", models: ["m"] } },
    ...settings,
  });
  closers.push(proxy.close);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${proxy.url}${path}`, { method: "POST", headers, body: text });
  await response.text();
  await until(() => proxy.records.length === 1);
  return { status: response.status, record: proxy.records[0], called: upstream.hits.length };
}

const unused: Respond = (_hit, response) => response.end();

describe("the log of a call that the proxy rejects itself", () => {
  it.each([
    ["an invalid message", "/v1/chat/completions", { ...valid, messages: [{ role: 7 }] }],
    ["an unknown earlier response", "/v1/responses", { model: "m", input: "Hi", previous_response_id: "x" }],
    ["a member named __proto__", "/v1/chat/completions", `{"model":"m","messages":[{"__proto__":{}}]}`],
    ["an invalid embedding request", "/v1/embeddings", { model: "m", input: 7 }],
  ])("contains `validation` and no upstream for %s", async (_name, path, body) => {
    const { status, record, called } = await logged(path, body, unused);
    expect(status).toBe(400);
    expect(record).toMatchObject({ status: 400, attempts: [] });
    expect(record?.errorCode).toMatch(/^(validation|unsupported)$/);
    expect(record?.upstream).toBeUndefined();
    expect(called).toBe(0);
  });

  it("contains `validation` for a loss under strict_translation", async () => {
    const body = { ...valid, logit_bias: { 5: 1 } };
    const { record, called } = await logged("/v1/chat/completions", body, unused, {
      strict_translation: true,
    });
    expect(record).toMatchObject({ status: 400, errorCode: "validation", attempts: [] });
    expect(called).toBe(0);
  });

  it("contains `validation` for a request that the echo cannot read", async () => {
    const body = { model: "m", messages: "Hi" };
    const { record } = await logged("/v1/chat/completions", body, unused, { upstreams: {} });
    expect(record).toMatchObject({ status: 400, errorCode: "validation" });
  });
});

describe("the log of a translated call that its upstream fails", () => {
  it("contains `upstream_error` for the upstream's own error", async () => {
    const error = { type: "error", error: { type: "invalid_request_error", message: "no" } };
    const { record } = await logged("/v1/chat/completions", valid, json(error, 400));
    expect(record).toMatchObject({ status: 400, errorCode: "upstream_error", upstream: "a" });
  });

  it("contains `upstream_invalid` for a response that cannot be read", async () => {
    const { record } = await logged("/v1/chat/completions", valid, (_hit, response) => response.end("<x>"));
    expect(record).toMatchObject({ status: 502, errorCode: "upstream_invalid", upstream: "a" });
  });

  it("contains `upstream_unreachable` for a rejected connection", async () => {
    const { record } = await logged("/v1/chat/completions", valid, unused, {
      upstreams: { a: { dialect: "messages", base_url: "http://127.0.0.1:1", api_key: "k", models: ["m"] } },
    });
    expect(record).toMatchObject({ status: 502, errorCode: "upstream_unreachable", upstream: "a" });
  });
});

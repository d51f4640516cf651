import Anthropic from "@anthropic-ai/sdk";
import { afterEach, describe, expect, it } from "vitest";
import { type FakeUpstream, json, startFakeUpstream } from "../support/fake-upstream.ts";
import { startTestProxy } from "../support/start-proxy.ts";

const OLD = "2023-06-01";
const NEW = "2026-10-21";
const hi = {
  model: "claude-sonnet-4-6",
  max_tokens: 9,
  messages: [{ role: "user" as const, content: "Hi" }],
};
const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: hi.model,
  content: [{ type: "text", text: "Hello" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 9, output_tokens: 4 },
};
const rejection = JSON.stringify({ type: "error", error: { type: "overloaded_error", message: "busy" } });

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Rejects what Anthropic's API rejects in the version of the request. */
function rejectMixed(fake: FakeUpstream): void {
  fake.respond = (hit, response) => {
    const { temperature, top_p, top_k } = JSON.parse(hit.body.toString() || "{}");
    const isOf = hit.headers["anthropic-version"];
    const known = isOf === OLD || isOf === NEW;
    const isMixed = isOf === NEW && [temperature, top_p, top_k].some((each) => each !== undefined);
    const error = { type: "invalid_request_error", message: "temperature: Extra inputs are not permitted" };
    const isWrong = !known || isMixed;
    return json(isWrong ? { type: "error", error } : message, isWrong ? 400 : 200)(hit, response);
  };
}

/** Starts a chain of upstreams in whose headers the given versions are fixed; only the last one responds. */
async function behind(versions: readonly (string | undefined)[], dialect = "messages") {
  const fakes: FakeUpstream[] = [];
  const upstreams: Record<string, object> = {};
  for (const [at, version] of versions.entries()) {
    const fake = await startFakeUpstream(json(rejection, 529));
    closers.push(fake.close);
    fakes.push(fake);
    const headers = version === undefined ? {} : { "anthropic-version": version };
    upstreams[`u${at}`] = { dialect, base_url: fake.url, api_key: "sk-upstream-key", headers };
  }
  const last = fakes.at(-1);
  if (last !== undefined) rejectMixed(last);
  const proxy = await startTestProxy({
    upstreams,
    models: [{ match: "*", upstream: Object.keys(upstreams) }],
  });
  closers.push(proxy.close);
  const post = (body: object, version: string | undefined, path = "/v1/messages") =>
    fetch(proxy.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...(version && { "anthropic-version": version }) },
      body: JSON.stringify(body),
    });
  const seen = () =>
    fakes.map(({ hits }) =>
      hits.map((hit) => [hit.headers["anthropic-version"], JSON.parse(hit.body.toString()).temperature]),
    );
  return { proxy, post, seen, fakes };
}

describe("the versions 2023-06-01 and 2026-10-21 of Anthropic's API", () => {
  it.each([
    [OLD, { temperature: 0.5 }],
    [NEW, {}],
  ])("%s reaches the upstream and its fallback with the bytes of the client", async (version, members) => {
    const { post, fakes } = await behind([undefined, undefined]);
    const body = { ...hi, ...members, future: 1 };
    const response = await post(body, version);
    expect([response.status, await response.json()]).toEqual([200, message]);
    for (const { hits } of fakes) {
      expect(hits.map(({ headers }) => headers["anthropic-version"])).toEqual([version]);
      expect(JSON.parse(hits[0]?.body.toString() ?? "")).toEqual(body);
    }
  });

  it("2026-10-21 is what the current SDK sends, with its key as a bearer token", async () => {
    const { proxy, seen } = await behind([undefined, undefined]);
    const client = new Anthropic({ baseURL: proxy.url, apiKey: "sk-client", maxRetries: 0 });
    expect((await client.messages.create(hi)).content).toEqual(message.content);
    expect(seen()).toEqual([[[NEW, undefined]], [[NEW, undefined]]]);
  });

  it("a request without a version is one of 2023-06-01, or of the version fixed for the upstream", async () => {
    const { post, seen } = await behind([undefined, NEW]);
    expect((await post(hi, undefined)).status).toBe(200);
    expect(seen()).toEqual([[[OLD, undefined]], [[NEW, undefined]]]);
  });

  it("a request of 2023-06-01 is translated for a fallback that is fixed to 2026-10-21", async () => {
    const { proxy, post, seen } = await behind([undefined, NEW]);
    const response = await post({ ...hi, temperature: 0.5, top_p: 0.9, top_k: 5 }, OLD);
    expect([response.status, await response.json()]).toMatchObject([200, { content: message.content }]);
    expect(response.headers.get("x-sallyport-losses")).toMatch(/temperature.*top-p.*top-k/);
    expect(seen()).toEqual([[[OLD, 0.5]], [[NEW, undefined]]]);
    expect(proxy.records.at(-1)?.upstream).toBe("u1");
  });

  it("a request of 2023-06-01 returns to its own form for a fallback behind one of 2026-10-21", async () => {
    const { post, seen } = await behind([NEW, OLD]);
    expect((await post({ ...hi, temperature: 0.5 }, OLD)).status).toBe(200);
    expect(seen()).toEqual([[[NEW, undefined]], [[OLD, 0.5]]]);
  });

  it("a request of 2026-10-21, which is valid in both, is sent as 2023-06-01 where that is fixed", async () => {
    const { post, seen } = await behind([NEW, OLD]);
    expect((await post(hi, NEW)).status).toBe(200);
    expect(seen()).toEqual([[[NEW, undefined]], [[OLD, undefined]]]);
  });

  it("a request of another dialect is translated to the version of each upstream of the chain", async () => {
    const { post, seen } = await behind([undefined, NEW]);
    const { max_tokens: _, ...chat } = hi;
    const response = await post({ ...chat, temperature: 0.5 }, undefined, "/v1/chat/completions");
    expect(response.status).toBe(200);
    expect(seen()).toEqual([[[OLD, 0.5]], [[NEW, undefined]]]);
  });

  it("no version reaches an upstream of another dialect", async () => {
    const { post, fakes } = await behind([undefined], "chat-completions");
    const [fake] = fakes;
    if (fake) fake.respond = json({ choices: [{ message: { role: "assistant", content: "Hi" } }] });
    expect((await post(hi, NEW)).status).toBe(200);
    expect(fake?.hits[0]?.headers).not.toHaveProperty("anthropic-version");
  });

  it("a batch keeps the version of its requests if another one is fixed that would reject them", async () => {
    const { post, fakes } = await behind([NEW]);
    const batch = { requests: [{ custom_id: "a", params: { ...hi, temperature: 0.5 } }] };
    for (const version of [OLD, NEW]) await post(batch, version, "/v1/messages/batches");
    const sent = fakes[0]?.hits.map(({ url, rawHeaders }) => [
      url,
      rawHeaders.filter((_, at) => rawHeaders[at - 1]?.toLowerCase() === "anthropic-version"),
    ]);
    expect(sent).toEqual([
      ["/v1/messages/batches", [OLD]],
      ["/v1/messages/batches", [NEW]],
    ]);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FakeUpstream, json, startFakeUpstream } from "../support/fake-upstream.ts";
import { startTestProxy, type TestProxy } from "../support/start-proxy.ts";
import { EVENTS, goodBody } from "../support/vendor-responses.ts";

const ALICE = "sk-alice-0123456789";
const BOB = "sk-bob-0123456789";

let upstream: FakeUpstream;
let proxy: TestProxy;
const settings = (keys: readonly string[]) => ({
  auth_mode: "off",
  upstreams: { main: { dialect: "chat-completions", base_url: upstream.url } },
  models: [{ match: "*", upstream: "main" }],
  api_keys: keys,
});
beforeAll(async () => {
  upstream = await startFakeUpstream();
  proxy = await startTestProxy(settings([ALICE, BOB]));
});
afterAll(async () => {
  await proxy.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.hits.length = 0;
  // Like some local servers, it returns the same id for every response.
  upstream.respond = json(goodBody("chat-completions", false));
});

function call(key: string | undefined, method: string, path: string, body?: object) {
  const headers = {
    "content-type": "application/json",
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  return fetch(`${proxy.url}/v1/responses${path}`, init);
}

async function ask(key: string | undefined, input: unknown, more: object = {}) {
  const response = await call(key, "POST", "", { model: "m", input, ...more });
  const text = await response.text();
  return { status: response.status, text, id: /"id":"(resp_[^"]+)"/.exec(text)?.[1] ?? "" };
}

const countTurns = () => upstream.hits.map(({ body }) => JSON.parse(body.toString()).messages.length);

describe.each([
  ["a key", ALICE, BOB],
  ["a key", ALICE, undefined],
  ["no key", undefined, BOB],
])("P18 an answer kept for %s", (_whose, owner, stranger) => {
  it.each([false, true])("is not found with another key (streamed: %s)", async (stream) => {
    if (stream)
      upstream.respond = (_hit, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(EVENTS["chat-completions"].join(""));
      };
    const { id, text } = await ask(owner, "My secret", { stream });
    const item = /"id":"(msg_[^"]+)"/.exec(text)?.[1] ?? "";
    for (const method of ["GET", "DELETE"]) {
      const refused = await call(stranger, method, `/${id}`);
      expect([refused.status, await refused.json()]).toEqual([
        404,
        { error: expect.objectContaining({ type: "invalid_request_error" }) },
      ]);
    }
    upstream.hits.length = 0;
    const continued = await ask(stranger, "Go on", { previous_response_id: id });
    expect([continued.status, continued.text]).toEqual([
      400,
      expect.stringContaining("previous_response_not_found"),
    ]);
    expect((await ask(stranger, [{ type: "item_reference", id: item }])).status).toBe(400);
    expect(upstream.hits).toEqual([]);
    // None of these requests affected the owner.
    expect((await call(owner, "GET", `/${id}`)).status).toBe(200);
    upstream.respond = json(goodBody("chat-completions", false));
    expect((await ask(owner, "Go on", { previous_response_id: id })).status).toBe(200);
    expect(countTurns()).toEqual([3]);
    expect((await call(owner, "DELETE", `/${id}`)).status).toBe(200);
    expect((await call(owner, "GET", `/${id}`)).status).toBe(404);
  });
});

it("P18 belongs to the key, not to its index in the list", async () => {
  const { id } = await ask(ALICE, "My secret");
  proxy.reload(settings([BOB, ALICE]));
  expect((await call(BOB, "GET", `/${id}`)).status).toBe(404);
  expect((await call(ALICE, "GET", `/${id}`)).status).toBe(200);
});

it("P18 has a unique id even if its upstream repeats ids", async () => {
  const [first, second] = [await ask(ALICE, "One"), await ask(ALICE, "Two")];
  expect(first.id).not.toBe(second.id);
  upstream.hits.length = 0;
  await ask(ALICE, "Go on", { previous_response_id: first.id });
  expect(upstream.hits[0]?.body.toString()).toContain('"One"');
  expect(upstream.hits[0]?.body.toString()).not.toContain('"Two"');
});

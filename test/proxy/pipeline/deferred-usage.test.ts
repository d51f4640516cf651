import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestProxy, type TestProxy, until } from "../../support/start-proxy.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const USAGE = { input_tokens: 1_000_000, output_tokens: 1_000_000, total_tokens: 2_000_000 };

function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** An upstream that creates responses in the background if asked, and completes them at the second read. */
async function startVendor() {
  let reads = 0;
  const vendor = await startFakeUpstream((hit, response) => {
    const id = "resp_1";
    if (hit.method === "POST" && hit.url.endsWith("/responses")) {
      const { background, stream } = JSON.parse(hit.body.toString());
      const status = background ? "queued" : "completed";
      const created = { id, model: "vendor-model", status, usage: background && !stream ? null : USAGE };
      if (!stream) return sendJson(response, created);
      response.writeHead(200, { "content-type": "text/event-stream" });
      const event = { type: "response.completed", response: { ...created, status: "completed" } };
      response.end(`event: response.completed\ndata: ${JSON.stringify(event)}\n\n`);
      return;
    }
    reads += 1;
    const isDone = reads > 1;
    sendJson(response, { id, status: isDone ? "completed" : "in_progress", usage: isDone ? USAGE : null });
  });
  closers.push(vendor.close);
  const main = {
    dialect: "responses",
    base_url: vendor.url,
    api_key: "sk-upstream-0123456789",
    prices: { "vendor-model": { input: 1, output: 2 } },
  };
  const models = [{ match: "mine", upstream: "main", model: "vendor-model" }];
  const proxy = await startTestProxy({ upstreams: { main }, models });
  closers.push(proxy.close);
  return proxy;
}

async function create({ url }: TestProxy, members: object): Promise<void> {
  const response = await fetch(`${url}/v1/responses`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "mine", input: "Hi", ...members }),
  });
  await response.text();
}

/** Reads the response three times. Returns the model, the output tokens and the cost of each call. */
async function readThrice(proxy: TestProxy) {
  for (let read = 0; read < 3; read += 1) await (await fetch(`${proxy.url}/v1/responses/resp_1`)).text();
  await until(() => proxy.records.length === 4);
  return proxy.records.map(({ model, usage, cost }) => [model, usage?.output.total, cost]);
}

describe("the usage of a response that is read later", () => {
  it("is recorded once, at its model, if the upstream created the response in the background", async () => {
    const proxy = await startVendor();
    await create(proxy, { background: true });
    expect(await readThrice(proxy)).toEqual([
      ["mine", undefined, undefined],
      [undefined, undefined, undefined],
      ["mine", 1_000_000, 3],
      [undefined, undefined, undefined],
    ]);
  });

  it.each([
    ["at once", {}],
    ["in a stream", { stream: true }],
    ["in the background in a stream", { stream: true, background: true }],
  ])("is recorded when the response is created %s, and not again", async (_, members) => {
    const proxy = await startVendor();
    await create(proxy, members);
    const [created, ...reads] = await readThrice(proxy);
    expect(created).toEqual(["mine", 1_000_000, 3]);
    expect(reads).toEqual(Array(3).fill([undefined, undefined, undefined]));
  });
});

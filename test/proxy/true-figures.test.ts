import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createCallLog } from "../../src/cli/proxy/start/call-log.ts";
import { createRotatingFile } from "../../src/proxy/observability/rotating-file.ts";
import { type FakeUpstream, json, type Respond, startFakeUpstream } from "../support/fake-upstream.ts";
import { startTestProxy, type TestProxy, until } from "../support/start-proxy.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const KEY = "sk-upstream-0123456789";
const paths: Record<string, string> = {
  "chat-completions": "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
  "generative-language": "/v1beta/models/m:streamGenerateContent?alt=sse",
};
const chatDelta = (text: string) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta: { content: text } }] })}\n\n`;
const chatEnd = `data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n`;
const messageStart = `event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":100,"output_tokens":1}}}\n\nevent: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n`;
const messageDelta = (text: string) =>
  `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":${JSON.stringify(text)}}}\n\n`;

const stream =
  (...pieces: string[]): Respond =>
  (_hit, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(pieces.join(""));
  };

async function inFrontOf(dialect: string, respond: Respond, more: object = {}, settings: object = {}) {
  const upstream: FakeUpstream = await startFakeUpstream(respond);
  closers.push(upstream.close);
  const proxy = await startTestProxy({
    upstreams: { a: { dialect, base_url: upstream.url, api_key: KEY, models: ["m"], ...more } },
    ...settings,
  });
  closers.push(proxy.close);
  return { proxy, upstream };
}

function call({ url }: TestProxy, dialect: string, more: object = {}, init: RequestInit = {}) {
  const messages = [{ role: "user", content: "Please write something long about the sea." }];
  const contents = [{ role: "user", parts: [{ text: "Please write something long about the sea." }] }];
  const body =
    dialect === "generative-language"
      ? { contents }
      : dialect === "responses"
        ? { model: "m", stream: true, input: "Please write something long about the sea." }
        : { model: "m", stream: true, max_tokens: 50, messages };
  return fetch(`${url}${paths[dialect]}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...body, ...more }),
    ...init,
  });
}

async function settled(proxy: TestProxy, count = 1) {
  await until(() => proxy.records.length === count);
  const record = proxy.records[count - 1];
  if (record === undefined) throw new Error("no record");
  return record;
}

const metrics = async ({ url }: TestProxy) => (await fetch(`${url}/metrics`)).text();
const dashboardTotals = async ({ url }: TestProxy) => (await fetch(url)).text();

describe("a stream that fails after its headers", () => {
  const shapes: readonly (readonly [name: string, dialect: string, ...pieces: string[]])[] = [
    [
      "vLLM",
      "chat-completions",
      chatDelta("Hel"),
      'data: {"error": {"object": "error", "message": "CUDA", "type": "InternalServerError", "code": 500}}\n\n',
      "data: [DONE]\n\n",
    ],
    [
      "older vLLM",
      "chat-completions",
      chatDelta("Hel"),
      'data: {"object":"error","message":"CUDA","type":"BadRequestError","code":400}\n\ndata: [DONE]\n\n',
    ],
    [
      "OpenRouter",
      "chat-completions",
      ": OPENROUTER PROCESSING\n\n",
      chatDelta("Hel"),
      'data: {"id":"c","choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}],"error":{"code":"server_error","message":"gone"}}\n\ndata: [DONE]\n\n',
    ],
    [
      "LM Studio",
      "chat-completions",
      chatDelta("Hel"),
      'event: error\ndata: {"error":{"message":"The model has crashed"}}\n\n',
    ],
    ["words alone", "chat-completions", chatDelta("Hel"), 'data: {"error":"out of memory"}\n\n'],
    [
      "Anthropic",
      "messages",
      messageStart,
      messageDelta("Hel"),
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
    ],
    [
      "OpenAI, failed",
      "responses",
      'event: response.created\ndata: {"type":"response.created","response":{"id":"r","error":null}}\n\n',
      'event: response.failed\ndata: {"type":"response.failed","response":{"id":"r","status":"failed","error":{"code":"server_error","message":"no"}}}\n\n',
    ],
    [
      "OpenAI, error",
      "responses",
      'event: error\ndata: {"type":"error","code":"server_error","message":"no","param":null}\n\n',
    ],
    [
      "Google",
      "generative-language",
      'data: {"candidates":[{"content":{"parts":[{"text":"Hel"}]}}]}\n\n',
      'data: {"error":{"code":503,"message":"Overloaded","status":"UNAVAILABLE"}}\n\n',
    ],
  ];

  it.each(shapes)(
    "is an error in the log, the metrics and the dashboard: %s",
    async (_name, dialect, ...pieces) => {
      const { proxy } = await inFrontOf(dialect, stream(...pieces));
      const response = await call(proxy, dialect);
      expect([response.status, await response.text()]).toEqual([200, pieces.join("")]);
      const record = await settled(proxy);
      expect(record).toMatchObject({ status: 200, errorCode: "upstream_error" });
      expect(record.errorMessage).toContain("ended its response with an error");
      expect(await metrics(proxy)).toMatch(
        /sallyport_calls_total\{[^}]*status_code="200",error_type="upstream_error"\} 1/,
      );
      expect(await dashboardTotals(proxy)).toMatch(/Errors[\s\S]{0,200}?>1</);
    },
  );

  it("is detected before long text that follows the error", async () => {
    const long = Array.from({ length: 600 }, () => chatDelta("x".repeat(100)));
    const { proxy } = await inFrontOf(
      "chat-completions",
      stream('data: {"error":{"message":"m"}}\n\n', ...long, chatEnd),
    );
    await (await call(proxy, "chat-completions")).text();
    expect(await settled(proxy)).toMatchObject({ errorCode: "upstream_error" });
  });

  it.each([
    [
      "chat-completions",
      [chatDelta('{"error": {"code": 500}} event: error\n\ndata: {"error":'), chatEnd, "data: [DONE]\n\n"],
    ],
    [
      "messages",
      [
        messageStart,
        messageDelta('event: error\ndata: {"type":"error"}'),
        'event: message_stop\ndata: {"type":"message_stop"}\n\n',
      ],
    ],
    [
      "generative-language",
      [
        'data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"error":{"code":500}}}}]},"finishReason":"STOP"}]}\n\n',
      ],
    ],
    [
      "responses",
      [
        'event: response.completed\ndata: {"type":"response.completed","response":{"id":"r","error":null,"tools":[{"parameters":{"error":{"type":"object"}}}]}}\n\n',
      ],
    ],
  ] as const)("is not detected in a text about errors: %s", async (dialect, pieces) => {
    const { proxy } = await inFrontOf(dialect, stream(...pieces));
    await (await call(proxy, dialect)).text();
    const record = await settled(proxy);
    expect([record.status, record.errorCode, record.errorMessage]).toEqual([200, undefined, undefined]);
  });

  it("is an error if the vendor truncates it, in both lanes", async () => {
    const cut: Respond = async (_hit, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`${messageStart}${messageDelta("Hello there, this is the sea.")}`);
      setTimeout(() => response.destroy(), 50);
    };
    const { proxy } = await inFrontOf("messages", cut, { prices: { "*": { input: 1, output: 1 } } });
    await (await call(proxy, "messages")).text().catch(() => {});
    await (await call(proxy, "chat-completions")).text().catch(() => {});
    await settled(proxy, 2);
    for (const record of proxy.records) {
      expect(record.status).toBe(200);
      expect(record.errorCode).toMatch(/^upstream_/);
      expect(record.usage).toMatchObject({ input: { total: 100 }, partial: true });
      expect(record.cost).toBeGreaterThan(0);
    }
  });

  it("is an error if a complete response of status 200 is one", async () => {
    const { proxy } = await inFrontOf("chat-completions", json({ error: { message: "no", code: 502 } }));
    await (await call(proxy, "chat-completions", { stream: false })).text();
    expect(await settled(proxy)).toMatchObject({ status: 200, errorCode: "upstream_error" });
  });

  it.each([
    [{ error: { message: "The model is gone", type: "server_error" } }, "The model is gone"],
    [{ error: "The model is gone" }, "The model is gone"],
    [{ detail: "Not signed in" }, "not a message"],
  ])("is an error if a translated response of status 200 is no message: %j", async (body, message) => {
    const { proxy } = await inFrontOf("messages", json(body));
    for (const stream of [false, true]) {
      const response = await call(proxy, "chat-completions", { stream });
      expect([response.status, await response.text()]).toEqual([502, expect.stringContaining(message)]);
    }
    const { errorCode } = await settled(proxy, 2);
    expect(errorCode).toMatch(/^upstream_/);
  });
});

describe("usage", () => {
  it.each(["messages", "chat-completions"])(
    "of a stream that a %s client leaves is the reported part, and an estimate of the text",
    async (dialect) => {
      const endless: Respond = (_hit, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(
          `${messageStart}${messageDelta("It was a bright cold day in April, and the clocks were striking.")}`,
        );
      };
      const { proxy } = await inFrontOf("messages", endless, { prices: { "*": { input: 1, output: 1 } } });
      const leaving = new AbortController();
      const response = await call(proxy, dialect, {}, { signal: leaving.signal });
      const reader = response.body?.getReader();
      for (let seen = ""; !seen.includes("bright"); )
        seen += Buffer.from((await reader?.read())?.value ?? []).toString();
      leaving.abort();
      const record = await settled(proxy);
      expect(record).toMatchObject({
        status: 499,
        errorCode: "client_gone",
        usage: { input: { total: 100 }, partial: true },
      });
      expect(record.usage?.output.total).toBeGreaterThanOrEqual(10);
      expect(record.usage?.output.total).toBeLessThanOrEqual(25);
      expect(record.cost).toBeGreaterThan(0);
      expect(await metrics(proxy)).toContain('error_type="client_gone"');
      expect(await dashboardTotals(proxy)).toMatch(/Errors[\s\S]{0,200}?>0</);
    },
  );

  const failures: [name: string, last: string | undefined][] = [
    ["an error event", 'data: {"error":{"message":"no","code":500}}\n\n'],
    ["an end without a terminal event", ""],
    ["a reset", undefined],
  ];
  it.each(failures)("of a stream that fails with %s is estimated in both lanes", async (_name, last) => {
    const fail: Respond = (_hit, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(chatDelta("It was a bright cold day in April, and the clocks were striking."));
      if (last === undefined) setTimeout(() => response.destroy(), 50);
      else response.end(last);
    };
    const { proxy } = await inFrontOf("chat-completions", fail, { prices: { "*": { input: 1, output: 1 } } });
    for (const dialect of ["chat-completions", "messages"])
      await (await call(proxy, dialect)).text().catch(() => {});
    await settled(proxy, 2);
    for (const record of proxy.records) {
      expect(record.errorCode).toMatch(/^upstream_/);
      expect(record.usage).toMatchObject({ partial: true });
      expect(record.usage?.input.total).toBeGreaterThanOrEqual(8);
      expect(record.usage?.output.total).toBeGreaterThanOrEqual(10);
      expect(record.cost).toBeGreaterThan(0);
    }
  });

  it("of a stream that begins with an error is none, in both lanes", async () => {
    const error =
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"no"}}\n\n';
    const { proxy } = await inFrontOf("messages", stream(error), {
      prices: { "*": { input: 1, output: 1 } },
    });
    for (const dialect of ["messages", "chat-completions"]) await (await call(proxy, dialect)).text();
    await settled(proxy, 2);
    for (const { errorCode, usage, cost } of proxy.records)
      expect([errorCode, usage, cost]).toEqual(["upstream_error", undefined, undefined]);
  });

  it.each([false, true])(
    "that the vendor does not report is estimated in both lanes, stream: %s",
    async (isStream) => {
      const text = "It was a bright cold day in April, and the clocks were striking.";
      const message = { role: "assistant", content: text };
      const whole = json({ choices: [{ index: 0, message, finish_reason: "stop" }] });
      const response = isStream ? stream(chatDelta(text), chatEnd, "data: [DONE]\n\n") : whole;
      const { proxy } = await inFrontOf("chat-completions", response);
      for (const dialect of ["chat-completions", "messages"])
        await (await call(proxy, dialect, { stream: isStream })).text();
      await settled(proxy, 2);
      for (const { usage } of proxy.records) {
        expect(usage).toMatchObject({ estimated: true });
        expect(usage?.output.total).toBeGreaterThanOrEqual(10);
      }
    },
  );

  const usage = `data: {"id":"c","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14}}\n\n`;
  const respond: Respond = async (hit, response) => {
    const wants = hit.body.includes('"include_usage":true');
    response.writeHead(200, { "content-type": "text/event-stream" });
    const bytes = `${chatDelta("Hi")}${chatEnd}${wants ? usage : ""}data: [DONE]\n\n`;
    for (let at = 0; at < bytes.length; at += 37) {
      response.write(bytes.slice(at, at + 37));
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  };
  const prices = { "*": { input: 1e6, output: 1e6 } };

  it("of a priced chat stream is requested, and removed from the client's stream", async () => {
    const { proxy } = await inFrontOf("chat-completions", respond, { prices });
    const text = await (await call(proxy, "chat-completions")).text();
    expect(text).toBe(`${chatDelta("Hi")}${chatEnd}data: [DONE]\n\n`);
    expect(await settled(proxy)).toMatchObject({
      cost: 14,
      usage: { input: { total: 9 }, output: { total: 5 } },
    });
  });

  it("reaches a client unchanged that requests it or declines it", async () => {
    const { proxy, upstream } = await inFrontOf("chat-completions", respond, { prices });
    const asked = { stream_options: { include_usage: true } };
    expect(await (await call(proxy, "chat-completions", asked)).text()).toContain(usage);
    const unasked = { stream_options: { include_usage: false } };
    await (await call(proxy, "chat-completions", unasked)).text();
    expect(upstream.hits[1]?.body.toString()).toContain('"stream_options":{"include_usage":false}');
  });

  it("is not requested without a price, with unchanged bytes, and is estimated", async () => {
    const { proxy, upstream } = await inFrontOf("chat-completions", respond);
    await (await call(proxy, "chat-completions")).text();
    expect(upstream.hits[0]?.body.toString()).not.toContain("stream_options");
    const record = await settled(proxy);
    expect(record).toMatchObject({ cost: undefined, usage: { estimated: true } });
    expect(record.usage?.input.total).toBeGreaterThan(5);
  });

  it("is not requested again from an upstream that rejects the option", async () => {
    const strict: Respond = (hit, response) => {
      const refusal = json(
        { detail: [{ loc: ["body", "stream_options"], msg: "Extra inputs are not permitted" }] },
        422,
      );
      (hit.body.includes("stream_options") ? refusal : respond)(hit, response);
    };
    const { proxy, upstream } = await inFrontOf("chat-completions", strict, { prices });
    for (const _ of [1, 2])
      expect((await (await call(proxy, "chat-completions")).text()).endsWith("[DONE]\n\n")).toBe(true);
    expect(upstream.hits.map(({ body }) => body.includes("stream_options"))).toEqual([true, false, false]);
    // With a configured price, an estimated call has a cost.
    expect((await settled(proxy, 2)).cost).toBeGreaterThan(0);
  });
});

describe("cost at configured prices", () => {
  const prices = { "*": { input: 2, output: 10 } };

  it("charges cached tokens as input if the cache has no price", async () => {
    const respond = json({
      choices: [{ message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
      usage: {
        prompt_tokens: 1_000_000,
        completion_tokens: 100_000,
        total_tokens: 1_100_000,
        prompt_tokens_details: { cached_tokens: 400_000 },
      },
    });
    const { proxy } = await inFrontOf("chat-completions", respond, { prices });
    await (await call(proxy, "chat-completions", { stream: false })).text();
    expect((await settled(proxy)).cost).toBe(3);
  });

  it("is computed for embeddings", async () => {
    const respond = json({
      object: "list",
      data: [{ object: "embedding", index: 0, embedding: [0.5] }],
      model: "m",
      usage: { prompt_tokens: 500_000, total_tokens: 500_000 },
    });
    const { proxy } = await inFrontOf("chat-completions", respond, { prices });
    const response = await fetch(`${proxy.url}/v1/embeddings`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"model":"m","input":"x"}',
    });
    expect(response.status).toBe(200);
    expect((await settled(proxy)).cost).toBe(1);
  });
});

describe("metrics of calls", () => {
  const respond = json({
    choices: [{ message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
  });
  const ask = (proxy: TestProxy, model: string) =>
    call(proxy, "chat-completions", { stream: false, model }).then((response) => response.text());

  it("have a bounded number of model labels, whatever clients send", async () => {
    const onlyReal: Respond = (hit, response) =>
      (hit.body.includes('"real') ? respond : json({ error: { message: "no such model" } }, 404))(
        hit,
        response,
      );
    const { proxy } = await inFrontOf("chat-completions", onlyReal, { models: ["real-a", "real-b"] });
    for (let index = 0; index < 60; index += 1) await ask(proxy, `typo-${index}`);
    for (const model of ["real-a", "real-b"]) await ask(proxy, model);
    await settled(proxy, 62);
    const text = await metrics(proxy);
    expect(text).not.toContain("typo-");
    expect(text).toMatch(/sallyport_calls_total\{[^}]*gen_ai_request_model="unlisted"[^}]*\} 60/);
    for (const model of ["real-a", "real-b"]) expect(text).toContain(`gen_ai_request_model="${model}"`);
  });

  it("use the pattern of a rule as the label of an unlisted model, also for a catch-all rule", async () => {
    const models = [{ match: "claude-*", upstream: "a" }];
    const { proxy } = await inFrontOf("chat-completions", respond, {}, { models });
    for (let index = 0; index < 40; index += 1) await ask(proxy, `claude-${index}`);
    await settled(proxy, 40);
    const names = new Set(
      [...(await metrics(proxy)).matchAll(/gen_ai_request_model="([^"]*)"/g)].map(([, name]) => name),
    );
    expect(names.size).toBeLessThanOrEqual(9);
    expect(names).toContain("claude-*");
  });

  it("have a bounded number of labels for the models of the echo", async () => {
    const proxy = await startTestProxy({});
    closers.push(proxy.close);
    for (let index = 0; index < 40; index += 1) await ask(proxy, `name-${index}`);
    await settled(proxy, 40);
    const names = [...(await metrics(proxy)).matchAll(/gen_ai_request_model="(name-[^"]*)"/g)];
    expect(new Set(names.map(([, name]) => name)).size).toBe(8);
  });

  it("count attempts by upstream and result, and the log lists them", async () => {
    const busy = await startFakeUpstream(
      json({ error: { message: "slow down" } }, 429, { "retry-after": "60" }),
    );
    closers.push(busy.close);
    const { proxy } = await inFrontOf("chat-completions", respond, {}, {});
    proxy.reload({
      upstreams: {
        busy: {
          dialect: "chat-completions",
          base_url: busy.url,
          api_keys: ["sk-one-0123456789", "sk-two-0123456789"],
        },
        a: { dialect: "chat-completions", base_url: busy.url, models: ["m"] },
      },
      models: [{ match: "m", upstream: ["busy", "a"] }],
    });
    busy.respond = (hit, response) =>
      (hit.headers.authorization === undefined ? respond : json({ error: {} }, 429, { "retry-after": "60" }))(
        hit,
        response,
      );
    await ask(proxy, "m");
    const record = await settled(proxy);
    expect(record.attempts).toMatchObject([
      { upstream: "busy", key: 1, status: 429, errorCode: "upstream_error" },
      { upstream: "busy", key: 2, status: 429, errorCode: "upstream_error" },
      { upstream: "a", status: 200 },
    ]);
    const text = await metrics(proxy);
    expect(text).toContain(
      'sallyport_upstream_attempts_total{sallyport_upstream="busy",http_response_status_code="429",error_type="upstream_error"} 2',
    );
    expect(text).toContain(
      'sallyport_upstream_attempts_total{sallyport_upstream="a",http_response_status_code="200",error_type=""} 1',
    );
    expect(text).toMatch(/sallyport_cooldown_until_seconds\{sallyport_upstream="busy"[^}]*\} \d+/);
  });

  it("count first tokens only for streams, and models without MCP servers", async () => {
    const { proxy, upstream } = await inFrontOf("chat-completions", respond);
    proxy.reload({
      upstreams: { a: { dialect: "chat-completions", base_url: upstream.url, models: ["m"] } },
      mcp: { tools: { url: `${upstream.url}/mcp` } },
    });
    await ask(proxy, "m");
    await settled(proxy);
    expect(await metrics(proxy)).not.toContain("gen_ai_server_time_to_first_token_seconds_count");
    await fetch(`${proxy.url}/mcp/tools/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "search_web", arguments: {} },
      }),
    });
    expect(await settled(proxy, 2)).toMatchObject({ mcpMethod: "tools/call", mcpTool: "search_web" });
    expect(upstream.hits[1]?.body.toString()).toContain('"name":"search_web"');
    const text = await metrics(proxy);
    expect(text).toContain('sallyport_mcp_request_duration_seconds_count{http_route="/mcp/tools/mcp"');
    expect(text).not.toMatch(/gen_ai_\w+\{http_route="\/mcp\//);
    expect(text).not.toContain('gen_ai_request_model=""');
  });
});

describe("a rejected request", () => {
  it("is counted and logged, with and without a terminal", async () => {
    const { proxy } = await inFrontOf(
      "messages",
      json({}),
      {},
      { auth_mode: "strict", api_keys: ["sk-door-0123456789abcdef"] },
    );
    for (let index = 0; index < 5; index += 1)
      await call(
        proxy,
        "messages",
        {},
        { headers: { "x-api-key": "sk-wrong-0123456789", "content-type": "application/json" } },
      );
    await fetch(`${proxy.url}/v1/nothing`, { headers: { "x-api-key": "sk-door-0123456789abcdef" } });
    await fetch(`${proxy.url}/healthz`, { headers: { origin: "https://evil.test" } });
    expect(proxy.refusals.map(({ status, errorCode }) => [status, errorCode])).toEqual([
      ...Array.from({ length: 5 }, () => [401, "unauthorized"]),
      [404, "not_found"],
      [403, "forbidden"],
    ]);
    const text = await (
      await fetch(`${proxy.url}/metrics`, { headers: { "x-api-key": "sk-door-0123456789abcdef" } })
    ).text();
    expect(text).toContain(
      'sallyport_refused_requests_total{http_route="/v1/messages",http_response_status_code="401",error_type="unauthorized"} 5',
    );
    expect(text).toContain(
      'sallyport_refused_requests_total{http_route="",http_response_status_code="404",error_type="not_found"} 1',
    );
  });

  it("has a line in the log file, and a flood of them does not displace calls", async () => {
    const path = join(mkdtempSync(join(tmpdir(), "refusals-")), "requests.ndjson");
    const file = createRotatingFile(
      path,
      () => ({ maxFile: 1_000_000, files: 2 }),
      () => {},
    );
    const log = createCallLog(file, () => true, { interactive: false, note: () => {} } as never);
    const refusal = {
      time: new Date().toISOString(),
      client: "203.0.113.9",
      method: "POST",
      path: "/v1/messages",
      route: "/v1/messages",
      status: 401,
      errorCode: "unauthorized",
      reason: "A valid API key of this proxy is required",
    };
    for (let index = 0; index < 2_237; index += 1) log.refused(refusal);
    await log.close();
    const lines = readFileSync(path, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.length).toBeLessThan(50);
    expect(lines[0]).toMatchObject({
      status: 401,
      error_code: "unauthorized",
      client: "203.0.113.9",
      route: "/v1/messages",
    });
    expect(lines.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(2_237);
  });
});

it("a call that the proxy rejects is recorded without an upstream", async () => {
  const { proxy, upstream } = await inFrontOf("chat-completions", json({}), {}, { strict_translation: true });
  const response = await call(proxy, "messages", {
    stream: false,
    top_k: 3,
    thinking: { type: "enabled", budget_tokens: 1024 },
    max_tokens: 2_000,
  });
  expect([response.status, response.headers.get("x-sallyport-upstream")]).toEqual([400, null]);
  expect(await settled(proxy)).toMatchObject({ status: 400, upstream: undefined });
  expect(upstream.hits).toEqual([]);
});

it("the record contains the client's metadata", async () => {
  const { proxy } = await inFrontOf("chat-completions", json({ choices: [] }));
  await call(
    proxy,
    "chat-completions",
    { stream: false },
    {
      headers: {
        "content-type": "application/json",
        "x-request-id": "client-7",
        "user-agent": "agent/1.2",
        "x-session-id": "s-1",
        traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      },
    },
  );
  expect(await settled(proxy)).toMatchObject({
    clientRequestId: "client-7",
    userAgent: "agent/1.2",
    session: "s-1",
    traceId: "0af7651916cd43dd8448eb211c80319c",
  });
});

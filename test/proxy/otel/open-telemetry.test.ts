import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { openTelemetry } from "../../../src/proxy/otel/open-telemetry.ts";
import { events, type FakeUpstream, json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { type OtlpCollector, startOtlpCollector } from "../../support/otlp-collector.ts";
import { startTestProxy, type TestProxy, until } from "../../support/start-proxy.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";
const KEY = "sk-client-0123456789abcdef";

const chatResponse = {
  id: "c",
  model: "gpt-5-2026",
  choices: [{ index: 0, message: { role: "assistant", content: "the-answer" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 21, completion_tokens: 7 },
};

let ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.reverse()) await end();
  ends = [];
});

interface Setup {
  readonly proxy: TestProxy;
  readonly collector: OtlpCollector;
  readonly upstreams: readonly FakeUpstream[];
  /** Closes the proxy, which exports the remaining data. */
  finish(): Promise<void>;
}

async function setUp(dialects: readonly string[], settings: object = {}, status = 200): Promise<Setup> {
  const collector = await startOtlpCollector(status);
  ends.push(() => collector.close());
  const upstreams = await Promise.all(dialects.map(() => startFakeUpstream(json(chatResponse))));
  for (const upstream of upstreams) ends.push(() => upstream.close());
  const names = dialects.map((_, index) => `u${index}`);
  const proxy = await startTestProxy(
    {
      api_keys: [KEY],
      upstreams: Object.fromEntries(
        dialects.map((dialect, index) => [
          `u${index}`,
          {
            dialect,
            base_url: upstreams[index]?.url,
            models: ["m"],
            prices: { "*": { input: 0, output: 1_000_000 } },
          },
        ]),
      ),
      models: [{ match: "*", upstream: names }],
      ...settings,
    },
    {},
    {
      telemetry: (instanceId) =>
        openTelemetry({
          exporter: {
            endpoint: collector.url,
            headers: { "x-collector-key": "c-secret" },
            metricsIntervalMs: 60_000,
            metricsTimeoutMs: 5_000,
          },
          version: "1.2.3",
          instanceId,
          onFailure: () => {},
        }),
    },
  );
  let isClosed = false;
  const finish = async () => {
    if (!isClosed) await proxy.close();
    isClosed = true;
  };
  ends.push(finish);
  return { proxy, collector, upstreams, finish };
}

async function call(proxy: TestProxy, path: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${proxy.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${KEY}`, ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

const chat = (text: string, more: object = {}) => ({
  model: "m",
  messages: [{ role: "user", content: text }],
  ...more,
});

describe("OpenTelemetry", () => {
  it("reports a call as a span that continues the client's trace, and its attempt as a child", async () => {
    const { proxy, collector, upstreams, finish } = await setUp(["chat-completions"]);
    const headers = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: "vendor=1" };
    expect((await call(proxy, "/v1/chat/completions", chat("private words"), headers)).status).toBe(200);
    await finish();
    const [span, ...others] = collector.spans.filter(({ parentSpanId }) => parentSpanId === PARENT);
    const [attempt, ...more] = collector.spans.filter(({ parentSpanId }) => parentSpanId === span?.spanId);
    expect([others, more]).toEqual([[], []]);
    expect(span).toMatchObject({ traceId: TRACE, name: "chat m" });
    expect(span?.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "m",
      "gen_ai.response.model": "gpt-5-2026",
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.usage.input_tokens": 21,
      "gen_ai.usage.output_tokens": 7,
      "http.response.status_code": 200,
      "sallyport.cost_usd": 7,
      "sallyport.upstream": "u0",
    });
    expect(attempt).toMatchObject({ traceId: TRACE, name: "chat m" });
    expect(upstreams[0]?.hits[0]?.headers).toMatchObject({
      traceparent: `00-${TRACE}-${attempt?.spanId}-01`,
      tracestate: "vendor=1",
    });
    const sent = Buffer.concat(collector.exports.map(({ body }) => body)).toString("latin1");
    expect(sent).not.toMatch(/private words|the-answer|sk-client/);
    for (const name of ["client.token.usage", "client.operation.duration"]) expect(sent).toContain(name);
    expect(collector.exports.map(({ headers: { "x-collector-key": key } }) => key)).toEqual(
      collector.exports.map(() => "c-secret"),
    );
  });

  it("reads model and finish reason of a compressed response and of streams of each dialect", async () => {
    const { proxy, collector, upstreams, finish } = await setUp(["chat-completions"]);
    const [upstream] = upstreams;
    if (upstream === undefined) throw new Error("no upstream");
    upstream.respond = (_hit, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
      response.end(gzipSync(JSON.stringify(chatResponse)));
    };
    await call(proxy, "/v1/chat/completions", chat("Hi"), { "accept-encoding": "gzip" });
    upstream.respond = events([
      'data: {"id":"c","model":"gpt-5-2026","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n',
      'data: {"id":"c","model":"gpt-5-2026","choices":[{"index":0,"delta":{},"finish_reason":"length"}]}\n\n',
      "data: [DONE]\n\n",
    ]);
    const stream = { stream: true };
    await call(proxy, "/v1/chat/completions", chat("Hi", stream));
    await call(proxy, "/v1/messages", chat("Hi", { ...stream, max_tokens: 5 }));
    await call(proxy, "/v1/responses", { model: "m", input: "Hi", ...stream });
    const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
    await call(proxy, "/v1beta/models/m:streamGenerateContent?alt=sse", { contents });
    await finish();
    const calls = collector.spans.filter(({ parentSpanId }) => parentSpanId === "");
    expect(
      calls.map(({ attributes }) => [
        attributes["http.route"],
        attributes["gen_ai.operation.name"],
        attributes["gen_ai.response.finish_reasons"],
      ]),
    ).toEqual([
      ["/v1/chat/completions", "chat", ["stop"]],
      ["/v1/chat/completions", "chat", ["length"]],
      ["/v1/messages", "chat", ["max_tokens"]],
      ["/v1/responses", "chat", ["max_output_tokens"]],
      ["/v1beta/models/:model", "generate_content", ["MAX_TOKENS"]],
    ]);
    const sent = Buffer.concat(collector.exports.map(({ body }) => body)).toString("latin1");
    expect(sent).toContain("gen_ai.server.time_to_first_token");
  });

  it("gives each failed attempt a span with its error, in both lanes", async () => {
    const { proxy, collector, upstreams, finish } = await setUp(["chat-completions", "messages"]);
    for (const upstream of upstreams) upstream.respond = json({ error: { message: "private" } }, 500);
    expect((await call(proxy, "/v1/chat/completions", chat("Hi"))).status).toBe(500);
    await finish();
    const [root] = collector.spans.filter(({ parentSpanId }) => parentSpanId === "");
    const attempts = collector.spans.filter(({ parentSpanId }) => parentSpanId === root?.spanId);
    expect(root?.attributes["error.type"]).toBe("upstream_error");
    expect(attempts.map(({ attributes: { "sallyport.upstream": name } }) => name)).toEqual(["u0", "u1"]);
    for (const { attributes } of attempts)
      expect(attributes).toMatchObject({ "error.type": "upstream_error", "http.response.status_code": 500 });
    expect(upstreams.map(({ hits }) => hits[0]?.headers["traceparent"])).toEqual(
      attempts.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`),
    );
  });

  it("reports messages with secrets redacted where otel.content is true", async () => {
    const { proxy, collector, finish } = await setUp(["chat-completions"], { otel: { content: true } });
    await call(
      proxy,
      "/v1/chat/completions",
      chat(`my words\nsk-ant-api03-${"x".repeat(30)} and ${KEY}`, { temperature: 0 }),
    );
    await finish();
    const { attributes = {} } = collector.spans.find(({ parentSpanId }) => parentSpanId === "") ?? {};
    expect(JSON.parse(String(attributes["gen_ai.input.messages"]))).toEqual([
      { role: "user", parts: [{ type: "text", content: "my words\n[redacted] and [redacted]" }] },
    ]);
    expect(JSON.parse(String(attributes["gen_ai.output.messages"]))).toEqual([
      { role: "assistant", parts: [{ type: "text", content: "the-answer" }], finish_reason: "stop" },
    ]);
  });

  it("reports calls to MCP servers, without what they send", async () => {
    const tools = await startFakeUpstream(json({ jsonrpc: "2.0", id: 1, result: { content: ["private"] } }));
    ends.push(() => tools.close());
    const mcp = { reader: { url: `${tools.url}/mcp` }, unreachable: { url: "http://127.0.0.1:1/mcp" } };
    const { proxy, collector, finish } = await setUp(["chat-completions"], { mcp });
    const body = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "read_page", arguments: { q: "private" } },
    };
    const headers = { traceparent: `00-${TRACE}-${PARENT}-01` };
    expect((await call(proxy, "/mcp/reader/mcp", body, headers)).status).toBe(200);
    expect((await call(proxy, "/mcp/unreachable/mcp", { ...body, method: "tools/list" })).status).toBe(502);
    await finish();
    const [span] = collector.spans.filter(({ parentSpanId }) => parentSpanId === PARENT);
    const [sent] = collector.spans.filter(({ parentSpanId }) => parentSpanId === span?.spanId);
    const shared = {
      "mcp.method.name": "tools/call",
      "gen_ai.tool.name": "read_page",
      "gen_ai.operation.name": "execute_tool",
      "http.response.status_code": 200,
      "sallyport.upstream": "reader",
    };
    expect(span).toMatchObject({ traceId: TRACE, name: "tools/call read_page" });
    expect(span?.attributes).toMatchObject({ ...shared, "http.route": "/mcp/reader/mcp" });
    expect(sent?.attributes).toMatchObject({ ...shared, "server.address": "127.0.0.1" });
    expect(tools.hits[0]?.headers["traceparent"]).toBe(`00-${TRACE}-${sent?.spanId}-01`);
    const failed = collector.spans.filter(
      ({ attributes }) => attributes["sallyport.upstream"] === "unreachable",
    );
    expect(failed.map(({ attributes }) => attributes["error.type"])).toEqual([
      "upstream_unreachable",
      "upstream_unreachable",
    ]);
    expect(Buffer.concat(collector.exports.map((each) => each.body)).toString("latin1")).not.toContain(
      "private",
    );
  });

  it("serves calls and stops in time while the collector fails", async () => {
    const { proxy, collector, finish } = await setUp(["chat-completions"], {}, 503);
    await collector.close();
    for (let each = 0; each < 20; each += 1)
      expect((await call(proxy, "/v1/chat/completions", chat("Hi"))).status).toBe(200);
    await finish();
    expect(proxy.records.length).toBe(20);
  });
});

describe("OTLP of clients", () => {
  const SIGNALS = ["metrics", "logs", "traces"];

  it.each(SIGNALS)("is accepted and dropped at /v1/%s", async (signal) => {
    const { proxy } = await setUp(["chat-completions"]);
    expect(await call(proxy, `/v1/${signal}`, { resourceSpans: [] })).toEqual({ status: 200, text: "{}" });
    const type = { "content-type": "application/x-protobuf" };
    expect(await call(proxy, `/v1/${signal}`, {}, type)).toEqual({ status: 200, text: "" });
  });

  it("is relayed to otel.relay without the client's key", async () => {
    const sink = await startOtlpCollector();
    ends.push(() => sink.close());
    const otel = { relay: `${sink.url}/in/`, relay_headers: { "x-sink-key": "s" } };
    const { proxy } = await setUp(["chat-completions"], { otel });
    for (const signal of SIGNALS)
      expect(await call(proxy, `/v1/${signal}`, { marker: signal })).toEqual({ status: 200, text: "{}" });
    await until(() => sink.exports.length === 3);
    expect(
      sink.exports.map(({ path, headers, body }) => [path, body.toString(), headers["x-sink-key"]]).sort(),
    ).toEqual(SIGNALS.map((signal) => [`/in/v1/${signal}`, `{"marker":"${signal}"}`, "s"]).sort());
    for (const { headers } of sink.exports) expect(headers["authorization"]).toBeUndefined();
  });
});

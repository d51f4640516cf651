import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Dialect, Part } from "../../src/proxy/exchange/parts.ts";
import type { Turn } from "../../src/proxy/exchange/request.ts";
import { finishSteps, type Steps } from "../../src/proxy/exchange/steps.ts";
import { capabilitiesFor } from "../../src/proxy/models/capabilities-for.ts";
import { prepareRequest } from "../../src/proxy/translate/request/prepare-request.ts";
import { upstreamDialects } from "../proxy/translate/features.ts";
import { chatResponse, runScene } from "../proxy/translate/harness.ts";
import { codecs } from "../support/codecs.ts";
import { request as createRequest, encodeContext } from "../support/exchange.ts";
import { type Respond, startFakeUpstream } from "../support/fake-upstream.ts";
import { startTestProxy } from "../support/start-proxy.ts";

async function setUp(limits: object, respond?: Respond) {
  const upstream = await startFakeUpstream(respond);
  const proxy = await startTestProxy({
    limits,
    upstreams: { a: { dialect: "messages", base_url: upstream.url, models: ["m"] } },
  });
  onTestFinished(async () => {
    await proxy.close();
    await upstream.close();
  });
  return { upstream, proxy };
}

/**
 * Sends a body in pieces, with or without `content-length`; resolves to the response even if the body is never read.
 */
function send(
  url: string,
  pieces: readonly string[],
  headers: Record<string, string | number>,
): Promise<{ status: number; body: unknown; retry: unknown }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: "POST", headers: { "content-type": "application/json", ...headers } },
      (response) => {
        let text = "";
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            body: JSON.parse(text),
            retry: response.headers["retry-after"],
          }),
        );
      },
    );
    sent.on("error", (error) => (/ECONNRESET|EPIPE/.test(String(error)) ? undefined : reject(error)));
    for (const piece of pieces) sent.write(piece);
    if (headers["content-length"] === undefined) sent.end();
  });
}

const ROUTES = [
  ["/v1/messages", { type: "error", error: { type: "request_too_large" } }],
  ["/v1/chat/completions", { error: { type: "invalid_request_error" } }],
  ["/v1beta/models/m:generateContent", { error: { code: 413 } }],
  ["/internal/warmup", { error: expect.any(String) }],
] as const;

/** Returns the number of event loop turns while a task runs. */
async function turnsOf(task: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const count = () => {
    turns += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  await task();
  clearImmediate(timer);
  return turns;
}

describe("P12 a large body that is translated", () => {
  const turn = { role: "user", content: "x" };
  const ask = (turns: number, response: string) => () =>
    runScene({
      client: "messages",
      upstream: "chat-completions",
      body: { model: "m", max_tokens: 5, messages: Array(turns).fill(turn) },
      response: chatResponse({ content: response }),
    });

  it("takes one event loop turn per phase, as does a large response", async () => {
    // Codecs are loaded with the first call.
    await ask(1, "x")();
    const small = await turnsOf(ask(1, "x"));
    // The request is decoded, parsed, validated, converted in both directions, and encoded.
    const large = await turnsOf(ask(20_000, "x"));
    expect(large - small).toBeGreaterThanOrEqual(6);
    expect((await turnsOf(ask(1, "x".repeat(1_000_000)))) - small).toBeGreaterThanOrEqual(4);
  });
});

/** A body with a long list, for each list that a client can send. */
const COUNT = 20_000;
const many = (element: unknown): unknown[] => Array(COUNT).fill(element);
const user = (content: unknown) => [{ role: "user", content }];
const text = { type: "text", text: "x" };
const nested = (block: object) => ({ messages: user([block]) });
const ask = { role: "user", content: "x" };
const LISTS: readonly (readonly [list: string, client: Dialect, body: Record<string, unknown>])[] = [
  ["messages", "messages", { messages: many(ask) }],
  ["messages[].content", "messages", { messages: user(many(text)) }],
  ["system", "messages", { messages: [ask], system: many(text) }],
  ["tools", "messages", { messages: [ask], tools: many({ name: "t", input_schema: {} }) }],
  ["tool_result", "messages", nested({ type: "tool_result", tool_use_id: "t", content: many(text) })],
  [
    "search_result",
    "messages",
    nested({ type: "search_result", source: "s", title: "t", content: many(text) }),
  ],
  ["document", "messages", nested({ type: "document", source: { type: "content", content: many(text) } })],
  ["messages", "chat-completions", { messages: many(ask) }],
  ["messages[].content", "chat-completions", { messages: user(many(text)) }],
  [
    "tools",
    "chat-completions",
    { messages: [ask], tools: many({ type: "function", function: { name: "t" } }) },
  ],
  ["functions", "chat-completions", { messages: [ask], functions: many({ name: "t" }) }],
  [
    "tool_calls",
    "chat-completions",
    {
      messages: [
        ask,
        { role: "assistant", tool_calls: many({ id: "c", type: "function", function: { name: "t" } }) },
      ],
    },
  ],
  [
    "tool_use",
    "messages",
    {
      messages: [
        ask,
        { role: "assistant", content: many({ type: "tool_use", id: "t", name: "t", input: {} }) },
      ],
    },
  ],
  ["input", "responses", { input: many(ask) }],
  ["input[].content", "responses", { input: user(many({ type: "input_text", text: "x" })) }],
  ["instructions", "responses", { input: [ask], instructions: many(ask) }],
  ["tools", "responses", { input: [ask], tools: many({ type: "function", name: "t" }) }],
  [
    "namespace",
    "responses",
    { input: [ask], tools: [{ type: "namespace", name: "n", tools: many({ type: "function", name: "t" }) }] },
  ],
  [
    "output",
    "responses",
    {
      input: [
        { type: "function_call_output", call_id: "c", output: many({ type: "input_text", text: "x" }) },
      ],
    },
  ],
  ["contents", "generative-language", { contents: many({ role: "user", parts: [{ text: "x" }] }) }],
  ["parts", "generative-language", { contents: [{ role: "user", parts: many({ text: "x" }) }] }],
  [
    "functionCall",
    "generative-language",
    { contents: [{ role: "model", parts: many({ functionCall: { name: "t" } }) }] },
  ],
  [
    "functionDeclarations",
    "generative-language",
    { contents: [{ parts: [{ text: "x" }] }], tools: [{ functionDeclarations: many({ name: "t" }) }] },
  ],
];

/** Runs all steps; returns the number of pauses with the value. */
function countPauses<Value>(steps: Steps<Value>): { readonly value: Value; readonly pauses: number } {
  for (let pauses = 0; ; pauses += 1) {
    const step = steps.next();
    if (step.done === true) return { value: step.value, pauses };
  }
}

describe("P12 a long list in a body that is translated", () => {
  const context = { model: "m", stream: false };
  const bodyWith = (body: Record<string, unknown>, client: Dialect) =>
    client === "generative-language" ? body : { model: "m", ...body };

  it.each(LISTS)("%s of %s: is converted in slices, with the same result", async (_list, client, part) => {
    const body = bodyWith(part, client);
    const { value, pauses } = countPauses(codecs[client].decodeRequestInSteps(body, context));
    // 2,048 values a slice; each element has at least two.
    expect(pauses).toBeGreaterThanOrEqual(COUNT / 2_048 - 1);
    expect(value).toEqual(codecs[client].decodeRequest(body, context));
  });

  it("takes one event loop turn per slice", async () => {
    const run = (count: number) => () =>
      runScene({
        client: "responses",
        upstream: "chat-completions",
        body: { model: "m", input: Array(count).fill(ask) },
        response: chatResponse({ content: "x" }),
      });
    await run(1)();
    const small = await turnsOf(run(1));
    expect((await turnsOf(run(COUNT))) - small).toBeGreaterThanOrEqual(COUNT / 2_048 + 5);
  });

  it("reports the index of an invalid element", () => {
    const wrong = [...many(ask).slice(1), { role: "user", content: [text, { text: "no type" }] }];
    const decode = () =>
      finishSteps(codecs.messages.decodeRequestInSteps({ model: "m", messages: wrong }, context));
    expect(decode).toThrow(new RegExp(`messages\\[${COUNT - 1}\\]\\.content`));
    const chat = { model: "m", messages: [...many(ask), { role: "nobody" }] };
    const decodeChat = () => finishSteps(codecs["chat-completions"].decodeRequestInSteps(chat, context));
    expect(decodeChat).toThrow(new RegExp(`messages\\.${COUNT}\\.role`));
  });
});

/** Conversations whose turns have many parts, as a client's message of many parts becomes one turn. */
const parts = (create: (index: number) => Part): Part[] =>
  Array.from({ length: COUNT }, (_, index) => create(index));
const call = (index: number): Part => ({ type: "tool-call", id: `c${index}`, name: "t", arguments: "{}" });
const result = (index: number): Part => ({ type: "tool-result", callId: `c${index}`, content: [] });
const CONVERSATIONS: readonly (readonly [name: string, turns: readonly Turn[]])[] = [
  ["calls without results", [{ role: "assistant", parts: parts(call) }]],
  [
    "calls and results",
    [
      { role: "assistant", parts: parts(call) },
      { role: "user", parts: parts(result) },
    ],
  ],
  [
    "custom calls",
    [{ role: "assistant", parts: parts((index) => ({ ...call(index), custom: true }) as Part) }],
  ],
  [
    "calls with names to change",
    [{ role: "assistant", parts: parts((index) => ({ ...call(index), name: `é${index}` }) as Part) }],
  ],
];
const TEXTS: Turn = { role: "user", parts: parts(() => ({ type: "text", text: "x" })) };

describe("P12 a long turn that is sent to an upstream", () => {
  const prepare = (turns: readonly Turn[], dialect: (typeof upstreamDialects)[number]) =>
    prepareRequest(createRequest({ turns }), { dialect, model: "m" }, capabilitiesFor(dialect, "m"));

  const cases = upstreamDialects.flatMap((dialect) =>
    CONVERSATIONS.map(([name, turns]) => [dialect, name, turns] as const),
  );
  it.each(cases)("%s: %s are paired in slices", (dialect, _name, turns) => {
    expect(countPauses(prepare(turns, dialect)).pauses).toBeGreaterThanOrEqual(COUNT / 2_048 - 1);
  });

  it.each([...cases, ...upstreamDialects.map((dialect) => [dialect, "texts", [TEXTS]] as const)])(
    "%s: %s are encoded in slices, with the same result",
    (dialect, _name, turns) => {
      const capabilities = capabilitiesFor(dialect, "m");
      const { request: prepared } = finishSteps(prepare(turns, dialect));
      const { value, pauses } = countPauses(codecs[dialect].encodeRequestInSteps(prepared, capabilities));
      expect(pauses).toBeGreaterThanOrEqual(COUNT / 2_048 - 1);
      expect(value).toEqual(codecs[dialect].encodeRequest(prepared, capabilities));
    },
  );

  it("takes one event loop turn per slice, when it is decoded, paired and encoded", async () => {
    const run = (count: number) => () =>
      runScene({
        client: "generative-language",
        upstream: "chat-completions",
        body: { contents: [{ role: "model", parts: Array(count).fill({ functionCall: { name: "t" } }) }] },
        response: chatResponse({ content: "x" }),
      });
    await run(1)();
    const small = await turnsOf(run(1));
    // Each call is validated (three values), decoded, paired in two passes and encoded with the result it lacks.
    expect((await turnsOf(run(COUNT))) - small).toBeGreaterThanOrEqual((8 * COUNT) / 2_048 - 5);
  });
});

describe("P12 a long response", () => {
  const signed = (index: number): Part => ({ ...call(index), signature: "s" }) as Part;
  it.each(upstreamDialects)(
    "of signed calls is encoded in slices for a client of %s, with the same result",
    (dialect) => {
      const response = { candidates: [{ parts: parts(signed), finish: { unified: "tool-calls" } as const }] };
      const { value, pauses } = countPauses(codecs[dialect].encodeResponseInSteps(response, encodeContext()));
      expect(pauses).toBeGreaterThanOrEqual(COUNT / 2_048 - 1);
      expect(value).toEqual(codecs[dialect].encodeResponse(response, encodeContext()));
    },
  );

  it.each(["chat-completions", "generative-language"] as const)(
    "of many candidates is encoded in slices for a client of %s",
    (dialect) => {
      const candidate = { parts: [], finish: { unified: "stop" } as const };
      const response = { candidates: Array(COUNT).fill(candidate) };
      const { pauses } = countPauses(codecs[dialect].encodeResponseInSteps(response, encodeContext()));
      expect(pauses).toBeGreaterThanOrEqual(COUNT / 2_048 - 1);
    },
  );

  it("takes one event loop turn per slice", async () => {
    const run = (count: number) => () => {
      const tool_calls = Array(count).fill({ id: "c", type: "function", function: { name: "t" } });
      return runScene({
        client: "messages",
        upstream: "chat-completions",
        body: { model: "m", max_tokens: 5, messages: [ask] },
        response: chatResponse({ tool_calls }),
      });
    };
    await run(1)();
    const small = await turnsOf(run(1));
    // Each call is validated (five values), decoded and encoded.
    expect((await turnsOf(run(COUNT))) - small).toBeGreaterThanOrEqual((7 * COUNT) / 2_048);
  });
});

describe("P12 a stream of small events", () => {
  it("takes one event loop turn per 512 events of a chunk", async () => {
    const events = (count: number) => `${'data: {"choices":[]}\n\n'.repeat(count)}data: [DONE]\n\n`;
    const run = (count: number, stream: boolean) => () =>
      runScene({
        client: "messages",
        upstream: "chat-completions",
        body: { model: "m", max_tokens: 5, messages: [ask], ...(stream ? { stream: true } : {}) },
        response: [events(count)],
      });
    for (const stream of [true, false]) {
      await run(1, stream)();
      const small = await turnsOf(run(1, stream));
      expect((await turnsOf(run(10_000, stream))) - small).toBeGreaterThanOrEqual(10_000 / 512 - 3);
    }
  });
});

describe("P12 a body that is too large", () => {
  it.each(ROUTES)("%s: is rejected in the route's dialect before it is read", async (path, body) => {
    const { upstream, proxy } = await setUp({});
    const headers = { "content-length": 64 * 1024 * 1024 + 1 };
    expect(await send(`${proxy.url}${path}`, ['{"model":"m",'], headers)).toMatchObject({
      status: 413,
      body,
    });
    expect(upstream.hits).toEqual([]);
  });

  it.each(ROUTES)("%s: is rejected if its length was not announced", async (path, body) => {
    const { upstream, proxy } = await setUp({ body: 10_000, utility_body: 10_000 });
    const pieces = Array.from({ length: 20 }, () => `"${"x".repeat(1_000)}",`);
    expect(await send(`${proxy.url}${path}`, pieces, {})).toMatchObject({ status: 413, body });
    expect(upstream.hits).toEqual([]);
  });

  it("is rejected if the shared memory for bodies is full", async () => {
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { upstream, proxy } = await setUp({ in_flight: 10_000 }, async (_hit, response) => {
      await released;
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
    const large = JSON.stringify({ model: "m", x: "x".repeat(8_000) });
    const first = send(`${proxy.url}/v1/messages`, [large], {});
    while (upstream.hits.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const second = await send(`${proxy.url}/v1/messages`, [large], { "content-length": large.length });
    expect(second).toMatchObject({ status: 503, body: { type: "error" }, retry: "1" });
    release();
    expect(await first).toMatchObject({ status: 200 });
    expect((await send(`${proxy.url}/v1/messages`, [large], {})).status).toBe(200);
  });

  /** A request that stays open: its headers, and the given part of its body. */
  function begin(url: string, head: string, body: string | Buffer): Promise<Socket> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(
          `POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${head}\r\n\r\n`,
        );
        socket.write(body, () => resolve(socket));
      });
      socket.on("error", () => {});
      onTestFinished(() => void socket.destroy());
    });
  }

  const small = JSON.stringify({ model: "m" });

  it("takes no memory if it is only announced", async () => {
    const { proxy } = await setUp({ in_flight: 100_000, body: 50_000 });
    for (let each = 0; each < 8; each += 1) await begin(proxy.url, "content-length: 50000", "{");
    expect(await send(`${proxy.url}/v1/messages`, [small], {})).toMatchObject({ status: 200 });
    expect(await send(`${proxy.url}/v1/messages`, [small], { "content-length": small.length })).toMatchObject(
      { status: 200 },
    );
  });

  it("is counted by received bytes, which are released when the client disconnects", async () => {
    const { proxy } = await setUp({ in_flight: 100_000, body: 50_000 });
    const piece = "x".repeat(40_000);
    const chunk = `${piece.length.toString(16)}\r\n${piece}\r\n`;
    const sockets = [
      await begin(proxy.url, "transfer-encoding: chunked", chunk),
      await begin(proxy.url, "transfer-encoding: chunked", chunk),
    ];
    const large = JSON.stringify({ model: "m", x: "x".repeat(30_000) });
    let response = await send(`${proxy.url}/v1/messages`, [large], {});
    // The pieces may still be in transit.
    while (response.status !== 503) response = await send(`${proxy.url}/v1/messages`, [large], {});
    expect(response).toMatchObject({ status: 503, retry: "1" });
    for (const socket of sockets) socket.destroy();
    while (response.status !== 200) response = await send(`${proxy.url}/v1/messages`, [large], {});
  });

  it("is counted by its decompressed size", async () => {
    const { upstream, proxy } = await setUp({ in_flight: 100_000 });
    const coded = gzipSync(JSON.stringify({ model: "m", x: "x".repeat(200_000) }));
    const response = await fetch(`${proxy.url}/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
      body: coded,
    });
    expect([response.status, await response.text()]).toEqual([
      503,
      expect.stringContaining("memory for request bodies is full"),
    ]);
    expect(upstream.hits).toEqual([]);
    expect((await send(`${proxy.url}/v1/messages`, [small], {})).status).toBe(200);
  });
});

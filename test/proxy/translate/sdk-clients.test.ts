import { type Content, createPartFromFunctionResponse, GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readStreamFixture } from "../../support/exchange.ts";
import { events, type FakeUpstream, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestProxy, type TestProxy } from "../../support/start-proxy.ts";

/**
 * The vendors' own SDKs, with only their base URL changed, and vendors of every other dialect: a recorded stream that
 * calls tools, the results, and a second turn. The second call must contain the vendor's own call ids.
 */
const vendors = {
  "chat-completions": {
    calls: "own-parallel-interleaved.chunks.txt",
    text: "own-tiny.chunks.txt",
    ids: ["call_a", "call_b"],
  },
  messages: {
    calls: "own-parallel-tools.chunks.txt",
    text: "own-tiny.chunks.txt",
    ids: ["toolu_a", "toolu_b"],
  },
  responses: {
    calls: "own-parallel-tools.chunks.txt",
    text: "own-tiny.chunks.txt",
    ids: ["call_a", "call_b"],
  },
  "generative-language": { calls: "own-parallel-tools.chunks.txt", text: "own-tiny.chunks.txt", ids: [] },
} as const;
type Vendor = keyof typeof vendors;
const names = Object.keys(vendors) as Vendor[];

let upstreams: Record<Vendor, FakeUpstream>;
let proxy: TestProxy;

beforeAll(async () => {
  const started = await Promise.all(names.map(async (name) => [name, await startFakeUpstream()] as const));
  upstreams = Object.fromEntries(started) as Record<Vendor, FakeUpstream>;
  proxy = await startTestProxy({
    upstreams: Object.fromEntries(
      started.map(([dialect, { url }]) => [
        dialect,
        { dialect, base_url: url, api_key: "k", models: [dialect] },
      ]),
    ),
  });
});
afterAll(async () => {
  await proxy.close();
  await Promise.all(names.map((name) => upstreams[name].close()));
  expect(proxy.internal).toEqual([]);
});

/** Makes a vendor call its tools first and then return text. */
function play(name: Vendor): FakeUpstream {
  const upstream = upstreams[name];
  const { calls, text } = vendors[name];
  const frames = (file: string) => {
    const lines = readStreamFixture(name, file);
    const framed = lines.map((line) => {
      const type = name === "messages" || name === "responses" ? `event: ${JSON.parse(line).type}\n` : "";
      return `${type}data: ${line}\n\n`;
    });
    return name === "chat-completions" ? [...framed, "data: [DONE]\n\n"] : framed;
  };
  upstream.hits.length = 0;
  upstream.respond = (hit, response) =>
    events(frames(upstream.hits.length === 1 ? calls : text))(hit, response);
  return upstream;
}

/** Returns the vendor's second request as text. */
function secondCall(upstream: FakeUpstream): string {
  return upstream.hits[1]?.body.toString() ?? "";
}

function expectLinked(name: Vendor, body: string): void {
  for (const id of vendors[name].ids) expect(body.split(`"${id}"`)).toHaveLength(3);
  expect(body).toContain("18 °C");
  expect(body).toContain("25 °C");
  expect(body.indexOf("18 °C")).toBeLessThan(body.indexOf("25 °C"));
}

const parameters = { type: "object", properties: { city: { type: "string" } } };
const temperatures: Readonly<Record<string, string>> = { 東京: "18 °C", "São Paulo": "25 °C" };

describe("the openai SDK with responses", () => {
  it.each(names.filter((name) => name !== "responses"))(
    "runs a tool loop with a %s vendor",
    async (model) => {
      const upstream = play(model);
      const client = new OpenAI({ apiKey: "k", baseURL: `${proxy.url}/v1`, maxRetries: 0 });
      const tools = [{ type: "function" as const, name: "get_weather", parameters, strict: false }];
      const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "Two cities" }];
      const stream = client.responses.stream({ model, input, tools, store: false });
      const deltas = new Map<string, string>();
      stream.on("response.function_call_arguments.delta", ({ item_id: id, delta }) => {
        deltas.set(id, (deltas.get(id) ?? "") + delta);
      });
      const first = await stream.finalResponse();
      const calls = first.output.filter((item) => item.type === "function_call");
      expect(calls.map((call) => JSON.parse(call.arguments).city)).toEqual(Object.keys(temperatures));
      expect([...deltas.values()]).toEqual(calls.map((call) => call.arguments));
      expect(first.usage?.input_tokens).toBeGreaterThan(0);

      input.push(...(first.output as OpenAI.Responses.ResponseInputItem[]));
      for (const call of calls) {
        const output = temperatures[JSON.parse(call.arguments).city] ?? "";
        input.push({ type: "function_call_output", call_id: call.call_id, output });
      }
      const second = await client.responses.stream({ model, input, tools, store: false }).finalResponse();
      expect(second.output_text).toBe("é🙂東");
      expectLinked(model, secondCall(upstream));
    },
  );

  it.each(names.filter((name) => name !== "responses"))(
    "continues from the id of a response of a %s vendor",
    async (model) => {
      const upstream = play(model);
      const client = new OpenAI({ apiKey: "k", baseURL: `${proxy.url}/v1`, maxRetries: 0 });
      const tools = [{ type: "function" as const, name: "get_weather", parameters, strict: false }];
      const first = await client.responses.stream({ model, input: "Two cities", tools }).finalResponse();
      const input = first.output.flatMap((item): OpenAI.Responses.ResponseInputItem[] =>
        item.type === "function_call"
          ? [
              {
                type: "function_call_output",
                call_id: item.call_id,
                output: temperatures[JSON.parse(item.arguments).city] ?? "",
              },
            ]
          : [],
      );
      const more = { model, input, tools, previous_response_id: first.id };
      const second = await client.responses.stream(more).finalResponse();
      expect(second.output_text).toBe("é🙂東");
      expectLinked(model, secondCall(upstream));
      expect(secondCall(upstream)).toContain("Two cities");
    },
  );

  it.each(names.filter((name) => name !== "responses"))(
    "can send ids instead of the items of a %s vendor",
    async (model) => {
      const upstream = play(model);
      const client = new OpenAI({ apiKey: "k", baseURL: `${proxy.url}/v1`, maxRetries: 0 });
      const tools = [{ type: "function" as const, name: "get_weather", parameters, strict: false }];
      const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "Two cities" }];
      const first = await client.responses.stream({ model, input, tools }).finalResponse();
      for (const { id } of first.output) input.push({ type: "item_reference", id: id ?? "" });
      for (const item of first.output) {
        if (item.type !== "function_call") continue;
        const output = temperatures[JSON.parse(item.arguments).city] ?? "";
        input.push({ type: "function_call_output", call_id: item.call_id, output });
      }
      const second = await client.responses.stream({ model, input, tools }).finalResponse();
      expect(second.output_text).toBe("é🙂東");
      expectLinked(model, secondCall(upstream));
      expect(secondCall(upstream)).toContain("Zwei Städte");
      const unknown = [{ type: "item_reference" as const, id: "fc_unknown_0" }];
      await expect(client.responses.create({ model, input: unknown })).rejects.toThrow(/fc_unknown_0/);
    },
  );
});

describe("the Google SDK", () => {
  it.each(names.filter((name) => name !== "generative-language"))(
    "runs a tool loop with a %s vendor",
    async (model) => {
      const upstream = play(model);
      const client = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: proxy.url } });
      const config = {
        systemInstruction: "Be brief.",
        tools: [{ functionDeclarations: [{ name: "get_weather", parametersJsonSchema: parameters }] }],
      };
      const contents: Content[] = [{ role: "user", parts: [{ text: "Two cities" }] }];
      const modelTurn: Content = { role: "model", parts: [] };
      for await (const chunk of await client.models.generateContentStream({ model, contents, config })) {
        modelTurn.parts?.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
      }
      const calls = modelTurn.parts?.flatMap((part) => part.functionCall ?? []) ?? [];
      expect(calls.map((call) => call.args?.["city"])).toEqual(Object.keys(temperatures));
      const results = calls.map((call) =>
        createPartFromFunctionResponse(call.id ?? "", call.name ?? "", {
          output: temperatures[String(call.args?.["city"])],
        }),
      );
      contents.push(modelTurn, { role: "user", parts: results });
      let text = "";
      for await (const chunk of await client.models.generateContentStream({ model, contents, config })) {
        text += chunk.text ?? "";
      }
      expect(text).toBe("é🙂東");
      expectLinked(model, secondCall(upstream));
      expect(secondCall(upstream)).toContain("Be brief.");
    },
  );

  it.each(names.filter((name) => name !== "generative-language"))(
    "chats with a %s vendor and counts tokens",
    async (model) => {
      const upstream = play(model);
      upstream.respond = (hit, response) => {
        const lines = readStreamFixture(model, vendors[model].text);
        const named = model === "messages" || model === "responses";
        const frames = lines.map(
          (line) => `${named ? `event: ${JSON.parse(line).type}\n` : ""}data: ${line}\n\n`,
        );
        return events(model === "chat-completions" ? [...frames, "data: [DONE]\n\n"] : frames)(hit, response);
      };
      const client = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: proxy.url } });
      const chat = client.chats.create({ model });
      let tokens = 0;
      for await (const chunk of await chat.sendMessageStream({ message: "Hi" })) {
        tokens = chunk.usageMetadata?.totalTokenCount ?? tokens;
      }
      expect(tokens).toBeGreaterThan(0);
      for await (const chunk of await chat.sendMessageStream({ message: "Again" }))
        expect(chunk).toBeDefined();
      expect(secondCall(upstream)).toContain("é🙂東");
    },
  );
});

import { afterEach, describe, expect, it } from "vitest";
import { vendors } from "../../../src/config/proxy/vendors.ts";
import { json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { configOf, startTestProxy } from "../../support/start-proxy.ts";
import type { Json } from "../translate/harness.ts";
import { findRejection, respondAs, type StrictVendor, strictVendors } from "./strict-vendors.ts";

const JSON_TYPE = { "content-type": "application/json" };
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Starts a proxy whose only upstream is this vendor's stand-in, configured by `vendor` and the stand-in's address. */
async function behind(vendor: StrictVendor) {
  const rejections: string[] = [];
  const fake = await startFakeUpstream((hit, response) => {
    const rejection = findRejection(vendor, hit);
    if (rejection !== undefined) {
      rejections.push(rejection);
      return json({ error: { message: rejection, type: "invalid_request_error" } }, 400)(hit, response);
    }
    const body = JSON.parse(hit.body.toString()) as Json;
    const type = body["stream"] === true ? "text/event-stream" : "application/json";
    return response.writeHead(200, { "content-type": type }).end(respondAs(vendor, body));
  });
  closers.push(fake.close);
  const path = vendor.path.replace("/chat/completions", "");
  const proxy = await startTestProxy({
    upstreams: { main: { vendor: vendor.vendor, base_url: `${fake.url}${path}/`, api_key: "k-vendor-key" } },
    models: [{ match: "*", upstream: "main" }],
  });
  closers.push(proxy.close);
  return { proxy, fake, rejections };
}

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const schema = {
  type: "object",
  properties: { ok: { type: "boolean" } },
  required: ["ok"],
  additionalProperties: false,
};

/** A request with every feature of its dialect, with the path for a whole response and for a stream. */
const clients: Readonly<
  Record<
    string,
    { readonly path: (stream: boolean, model: string) => string; readonly body: (model: string) => Json }
  >
> = {
  messages: {
    path: () => "/v1/messages",
    body: (model) => ({
      model,
      max_tokens: 500,
      system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
      temperature: 1,
      top_k: 5,
      stop_sequences: ["END", "STOP", "HALT", "DONE"],
      metadata: { user_id: "u1" },
      tools: [{ name: "get_weather", description: "Weather", input_schema: parameters }],
      tool_choice: { type: "tool", name: "get_weather", disable_parallel_tool_use: true },
      messages: [
        { role: "user", content: "Weather in Rome?" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Rome.", signature: "sally1.chat-completions." },
            { type: "tool_use", id: "toolu_01A", name: "get_weather", input: { city: "Rome" } },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_01A", content: "sunny" },
            { type: "text", text: "<system-reminder>Be polite.</system-reminder>" },
          ],
        },
        { role: "system", content: "Be brief." },
        { role: "assistant", content: "Sunny." },
        { role: "user", content: [{ type: "text", text: "And in Paris?" }] },
      ],
    }),
  },
  responses: {
    path: () => "/v1/responses",
    body: (model) => ({
      model,
      instructions: "Be brief.",
      temperature: 1.9,
      top_logprobs: 3,
      user: "u1",
      metadata: { a: "b" },
      parallel_tool_calls: false,
      prompt_cache_key: "p",
      text: { format: { type: "json_schema", name: "ok", schema, strict: true } },
      tools: [{ type: "function", name: "get_weather", parameters, strict: true }],
      tool_choice: "required",
      input: [
        { role: "user", content: [{ type: "input_text", text: "Weather in Rome?" }] },
        { type: "function_call", call_id: "call_1", name: "get_weather", arguments: '{"city":"Rome"}' },
        { type: "function_call_output", call_id: "call_1", output: "sunny" },
        { role: "user", content: "And in Paris?" },
      ],
    }),
  },
  "generative-language": {
    path: (stream, model) =>
      `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: () => ({
      systemInstruction: { parts: [{ text: "Be brief." }] },
      generationConfig: {
        seed: 7,
        temperature: 1.8,
        topK: 3,
        candidateCount: 1,
        frequencyPenalty: 0.5,
        presencePenalty: 0.5,
        stopSequences: ["END", "STOP"],
        responseMimeType: "application/json",
        responseLogprobs: true,
        logprobs: 2,
      },
      tools: [{ functionDeclarations: [{ name: "get_weather", parametersJsonSchema: parameters }] }],
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["get_weather"] } },
      contents: [{ role: "user", parts: [{ text: "Weather in Paris?" }] }],
    }),
  },
};

describe("a vendor's stand-in that rejects what the vendor rejects", () => {
  const cases = strictVendors.flatMap((vendor) =>
    Object.keys(clients).map((client) => [vendor.vendor, client] as const),
  );
  it.each(cases)(
    "%s takes a demanding request of a %s client and its call is returned",
    async (name, client) => {
      const vendor = strictVendors.find((each) => each.vendor === name) as StrictVendor;
      const { proxy, fake, rejections } = await behind(vendor);
      const { path, body } = clients[client] as NonNullable<(typeof clients)[string]>;
      for (const stream of [false, true]) {
        const response = await fetch(`${proxy.url}${path(stream, vendor.model)}`, {
          method: "POST",
          headers: JSON_TYPE,
          body: JSON.stringify({
            ...body(vendor.model),
            ...(stream && client !== "generative-language" ? { stream } : {}),
          }),
        });
        const text = await response.text();
        expect(rejections).toEqual([]);
        expect([response.status, text]).toEqual([200, expect.stringContaining("get_weather")]);
        expect(text.replace(/\\|\s/g, "")).toContain("Paris");
      }
      expect(fake.hits.every(({ headers }) => headers.authorization === "Bearer k-vendor-key")).toBe(true);
      expect(proxy.records.map(({ usage }) => usage?.output?.total)).not.toContain(undefined);
    },
  );
});

describe("one line of configuration", () => {
  it.each(vendors.map((vendor) => [vendor.name, vendor] as const))(
    "reaches %s with the key from its variable",
    (name, vendor) => {
      const variable = vendor.variables[0];
      const environment = variable === undefined ? {} : { [variable]: "k-from-variable" };
      for (const [dialect, baseUrl] of Object.entries(vendor.baseUrls)) {
        const { upstreams } = configOf({ upstreams: { main: { vendor: name, dialect } } }, environment);
        expect(upstreams.get("main")).toMatchObject({
          dialect,
          baseUrl,
          vendor: name,
          keys: variable === undefined ? [] : ["k-from-variable"],
        });
      }
      const { upstreams } = configOf({ upstreams: { main: { vendor: name } } }, environment);
      expect(upstreams.get("main")?.dialect).toBe(Object.keys(vendor.baseUrls)[0]);
    },
  );

  it("names the variables if the key is missing, and needs none at another address", () => {
    expect(() => configOf({ upstreams: { main: { vendor: "groq" } } })).toThrow(
      /proxy\.upstreams\.main: Groq needs a key: set GROQ_API_KEY, or set api_key/,
    );
    const { upstreams } = configOf({
      upstreams: { main: { vendor: "groq", base_url: "http://127.0.0.1:9" } },
    });
    expect(upstreams.get("main")).toMatchObject({ baseUrl: "http://127.0.0.1:9/v1", keys: [] });
  });

  it("rejects a dialect that the vendor does not have", () => {
    const settings = { upstreams: { main: { vendor: "mistral", dialect: "messages", api_key: "k-1" } } };
    expect(() => configOf(settings)).toThrow(
      /main\.dialect: Mistral has no messages API; use chat-completions/,
    );
  });

  it("is not needed to recognize a vendor's host", () => {
    const { upstreams } = configOf({
      upstreams: {
        main: { dialect: "chat-completions", base_url: "https://api.groq.com/openai", api_key: "k-1" },
      },
    });
    expect(upstreams.get("main")).toMatchObject({
      vendor: "groq",
      baseUrl: "https://api.groq.com/openai/v1",
    });
  });

  it("sends the key of a messages API as its vendor expects it", async () => {
    const fake = await startFakeUpstream(
      json({ type: "message", role: "assistant", content: [], usage: {} }),
    );
    closers.push(fake.close);
    for (const [vendor, header] of [
      ["minimax", "authorization"],
      ["zai", "authorization"],
      ["deepseek", "x-api-key"],
    ] as const) {
      const proxy = await startTestProxy({
        upstreams: { main: { vendor, dialect: "messages", base_url: fake.url, api_key: "k-vendor-key" } },
        models: [{ match: "*", upstream: "main" }],
      });
      closers.push(proxy.close);
      const body = JSON.stringify({ model: "m", max_tokens: 5, messages: [{ role: "user", content: "Hi" }] });
      await fetch(`${proxy.url}/v1/messages`, { method: "POST", headers: JSON_TYPE, body }).then((response) =>
        response.text(),
      );
      expect(fake.hits.at(-1)?.headers[header]).toContain("k-vendor-key");
    }
  });
});

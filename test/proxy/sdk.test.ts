import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestProxy, type TestProxy } from "../support/start-proxy.ts";

const KEY = "sk-clients-0123456789abcdef";
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

/**
 * The vendors' own SDKs with the native lane; only their base URL is changed. A second proxy with its echo replaces
 * the vendors, so the code under test writes and relays all data that the SDKs read.
 */
let vendors: TestProxy;
let proxy: TestProxy;

beforeAll(async () => {
  vendors = await startTestProxy({});
  const dialects = ["chat-completions", "responses", "messages", "generative-language"];
  proxy = await startTestProxy({
    auth_mode: "strict",
    api_keys: [KEY],
    upstreams: Object.fromEntries(
      dialects.map((dialect) => [
        dialect,
        { dialect, base_url: vendors.url, api_key: "sk-vendor", models: ["echo"] },
      ]),
    ),
  });
});
afterAll(async () => {
  await proxy.close();
  await vendors.close();
  expect([...proxy.internal, ...vendors.internal]).toEqual([]);
});

describe("the openai SDK", () => {
  const client = () => new OpenAI({ apiKey: KEY, baseURL: `${proxy.url}/v1`, maxRetries: 0 });
  const tools = [{ type: "function" as const, function: { name: "weather", parameters: schema } }];

  it("uses chat, streams and tool calls", async () => {
    const messages = [{ role: "user" as const, content: "Hello 🙂" }];
    const whole = await client().chat.completions.create({ model: "echo", messages });
    expect(whole.choices[0]?.message.content).toBe("Echo: Hello 🙂");
    expect(whole.usage?.prompt_tokens).toBeGreaterThan(0);
    let text = "";
    const stream = await client().chat.completions.create({ model: "echo", messages, stream: true });
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
    expect(text).toBe("Echo: Hello 🙂");
    const called = await client().chat.completions.create({
      model: "echo",
      messages,
      tools,
      tool_choice: "required",
    });
    const call = called.choices[0]?.message.tool_calls?.[0];
    expect(call?.type === "function" && JSON.parse(call.function.arguments)).toEqual({ city: "example" });
  });

  it("uses responses, complete and streamed", async () => {
    const whole = await client().responses.create({ model: "echo", input: "Hi" });
    expect(whole.output_text).toBe("Echo: Hi");
    const types: string[] = [];
    for await (const event of await client().responses.create({ model: "echo", input: "Hi", stream: true }))
      types.push(event.type);
    expect([types[0], types.at(-1)]).toEqual(["response.created", "response.completed"]);
  });

  it("generates and edits images, transcribes, embeds, lists and gets models", async () => {
    const made = await client().images.generate({ model: "echo", prompt: "A door" });
    expect(made.data?.[0]?.b64_json).toBeTruthy();
    const image = await toFile(Buffer.from(PNG, "base64"), "Tür.png", { type: "image/png" });
    const edited = await client().images.edit({ model: "echo", image, prompt: "Open it" });
    expect(edited.data?.[0]?.b64_json).toBeTruthy();
    const file = await toFile(Buffer.alloc(200_000, 7), "a.wav", { type: "audio/wav" });
    expect((await client().audio.transcriptions.create({ model: "echo", file })).text).toContain("Echo");
    const embedded = await client().embeddings.create({
      model: "echo",
      input: "x",
      encoding_format: "float",
    });
    expect(embedded.data[0]?.embedding.length).toBe(8);
    expect((await client().models.list()).data.map((model) => model.id)).toEqual(["echo"]);
    expect((await client().models.retrieve("echo")).id).toBe("echo");
  });

  it("throws its own errors", async () => {
    const wrong = new OpenAI({ apiKey: "wrong", baseURL: `${proxy.url}/v1`, maxRetries: 0 });
    await expect(wrong.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    await expect(client().models.retrieve("absent")).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });
});

describe("the Anthropic SDK", () => {
  const client = () => new Anthropic({ apiKey: KEY, baseURL: proxy.url, maxRetries: 0 });
  const ask = { model: "echo", max_tokens: 64, messages: [{ role: "user" as const, content: "Hello" }] };

  it("sends messages, streams and calls tools", async () => {
    const whole = await client().messages.create(ask);
    expect(whole.content).toMatchObject([{ type: "text", text: "Echo: Hello" }]);
    const final = await client().messages.stream(ask).finalMessage();
    expect(final.content).toMatchObject([{ type: "text", text: "Echo: Hello" }]);
    const tools = [{ name: "weather", input_schema: { ...schema, type: "object" as const } }];
    const called = await client()
      .messages.stream({ ...ask, tools, tool_choice: { type: "tool", name: "weather" } })
      .finalMessage();
    expect(called.stop_reason).toBe("tool_use");
    expect(called.content).toMatchObject([{ type: "tool_use", name: "weather", input: { city: "example" } }]);
  });

  it("sends an image, counts tokens and lists models", async () => {
    const source = { type: "base64" as const, media_type: "image/png" as const, data: PNG };
    const content = [
      { type: "image" as const, source },
      { type: "text" as const, text: "What is this?" },
    ];
    const response = await client().messages.create({ ...ask, messages: [{ role: "user", content }] });
    expect(response.content).toMatchObject([{ text: "Echo: What is this?" }]);
    const counted = await client().messages.countTokens({ model: "echo", messages: ask.messages });
    expect(counted.input_tokens).toBeGreaterThan(0);
    const page = await client().models.list();
    expect(page.data.map((model) => model.id)).toEqual(["echo"]);
  });

  it("throws its own errors", async () => {
    const wrong = new Anthropic({ apiKey: "wrong", baseURL: proxy.url, maxRetries: 0 });
    await expect(wrong.messages.create(ask)).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
  });
});

describe("the Google SDK", () => {
  const client = () => new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: proxy.url } });
  const next = () => new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: proxy.url, apiVersion: "v1" } });

  it.each([
    ["v1beta", client],
    ["v1", next],
  ])("generates, streams, counts and lists under /%s", async (_version, create) => {
    const ask = { model: "echo", contents: "Hello" };
    expect((await create().models.generateContent(ask)).text).toBe("Echo: Hello");
    let text = "";
    for await (const chunk of await create().models.generateContentStream(ask)) text += chunk.text ?? "";
    expect(text).toBe("Echo: Hello");
    expect((await create().models.countTokens(ask)).totalTokens).toBeGreaterThan(0);
    const names: (string | undefined)[] = [];
    for await (const model of await create().models.list()) names.push(model.name);
    expect(names).toEqual(["models/echo"]);
    const embedded = await create().models.embedContent({ model: "echo", contents: "x" });
    expect(embedded.embeddings?.[0]?.values?.length).toBe(8);
  });

  it("calls tools and gets one model", async () => {
    const response = await client().models.generateContent({
      model: "echo",
      contents: "call weather",
      config: { tools: [{ functionDeclarations: [{ name: "weather", parametersJsonSchema: schema }] }] },
    });
    expect(response.functionCalls).toMatchObject([{ name: "weather", args: { city: "example" } }]);
    expect((await client().models.get({ model: "echo" })).name).toBe("models/echo");
  });
});

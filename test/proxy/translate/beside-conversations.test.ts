import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { events, type FakeUpstream, json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestProxy, type TestProxy } from "../../support/start-proxy.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

let google: FakeUpstream;
let chat: FakeUpstream;
let messages: FakeUpstream;
let proxy: TestProxy;
let strict: TestProxy;

beforeAll(async () => {
  [google, chat, messages] = await Promise.all([
    startFakeUpstream(),
    startFakeUpstream(),
    startFakeUpstream(),
  ]);
  const upstreams = {
    google: {
      dialect: "generative-language",
      base_url: google.url,
      api_key: "k",
      models: ["gemini-image", "imagen-4", "embed"],
    },
    chat: { dialect: "chat-completions", base_url: chat.url, api_key: "k", models: ["text-embedding"] },
    messages: { dialect: "messages", base_url: messages.url, api_key: "k", models: ["claude"] },
  };
  proxy = await startTestProxy({ upstreams });
  strict = await startTestProxy({ upstreams, strict_translation: true });
});
afterAll(async () => {
  await Promise.all([proxy.close(), strict.close(), google.close(), chat.close(), messages.close()]);
  expect(proxy.internal).toEqual([]);
});
beforeEach(() => {
  google.hits.length = 0;
  chat.hits.length = 0;
  messages.hits.length = 0;
});

function openai(server = proxy) {
  return new OpenAI({ apiKey: "k", baseURL: `${server.url}/v1`, maxRetries: 0 });
}

function body(upstream: FakeUpstream, at = 0) {
  return JSON.parse(upstream.hits[at]?.body.toString() ?? "{}");
}

function spoken(parts: unknown[], more: object = {}) {
  return json({
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", ...more }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 9, totalTokenCount: 12 },
  });
}

describe("108: embeddings across dialects", () => {
  it("asks a generative-language upstream for several texts at once, in numbers and in base64", async () => {
    google.respond = json({ embeddings: [{ values: [0.5, -1] }, { values: [0.25, 2] }] });
    const ask = { model: "embed", input: ["déjà", "vu"], dimensions: 2 };
    const plain = await openai().embeddings.create({ ...ask, encoding_format: "float" });
    expect(plain.data.map((row) => row.embedding)).toEqual([
      [0.5, -1],
      [0.25, 2],
    ]);
    expect(plain.usage.prompt_tokens).toBeGreaterThan(0);
    expect(google.hits[0]?.url).toBe("/v1beta/models/embed:batchEmbedContents");
    expect(body(google).requests[0]).toEqual({
      model: "models/embed",
      content: { parts: [{ text: "déjà" }] },
      outputDimensionality: 2,
    });
    // The SDK asks for base64 unless told otherwise, and reads it back.
    expect((await openai().embeddings.create(ask)).data[1]?.embedding).toEqual([0.25, 2]);
  });

  it("refuses token ids, which mean nothing to another vendor", async () => {
    const asked = openai().embeddings.create({ model: "embed", input: [1, 2, 3] });
    await expect(asked).rejects.toThrow(/does not accept token ids/);
    expect(google.hits).toEqual([]);
  });

  it("lets the Google SDK embed with an upstream of the OpenAI family", async () => {
    chat.respond = json({
      data: [
        { index: 1, embedding: [2] },
        { index: 0, embedding: [1] },
      ],
      usage: { prompt_tokens: 5 },
    });
    const client = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: proxy.url } });
    const config = { outputDimensionality: 1, taskType: "RETRIEVAL_QUERY" };
    const response = await client.models.embedContent({
      model: "text-embedding",
      contents: ["a", "b"],
      config,
    });
    expect(response.embeddings?.map((one) => one.values)).toEqual([[1], [2]]);
    expect(body(chat)).toEqual({
      model: "text-embedding",
      input: ["a", "b"],
      encoding_format: "float",
      dimensions: 1,
    });
    expect(proxy.records.at(-1)).toMatchObject({
      losses: [{ code: "task-type" }],
      usage: { input: { total: 5 } },
    });
  });

  it("says that an upstream of the messages dialect makes none", async () => {
    await expect(openai().embeddings.create({ model: "claude", input: "x" })).rejects.toThrow(
      /does not create embeddings/,
    );
  });
});

describe("pictures by a generative-language upstream", () => {
  it("makes each of several by a call of its own, in the shape asked for", async () => {
    google.respond = spoken([{ text: "Here:" }, { inlineData: { mimeType: "image/webp", data: PNG } }]);
    const made = await openai().images.generate({
      model: "gemini-image",
      prompt: "A door",
      n: 2,
      size: "1536x1024",
    });
    expect(made.data?.map((one) => one.b64_json)).toEqual([PNG, PNG]);
    expect(made).toMatchObject({ output_format: "webp", usage: { input_tokens: 6, output_tokens: 18 } });
    expect(google.hits).toHaveLength(2);
    expect(body(google)).toEqual({
      contents: [{ role: "user", parts: [{ text: "A door" }] }],
      generationConfig: { responseModalities: ["TEXT", "IMAGE"], imageConfig: { aspectRatio: "3:2" } },
    });
    const asUrl = await openai().images.generate({
      model: "gemini-image",
      prompt: "x",
      response_format: "url",
    });
    expect(asUrl.data?.[0]?.url).toBe(`data:image/webp;base64,${PNG}`);
  });

  it("asks a model that paints in its own way", async () => {
    google.respond = json({ predictions: [{ mimeType: "image/png", bytesBase64Encoded: PNG }] });
    const made = await openai().images.generate({ model: "imagen-4", prompt: "A door", n: 3 });
    expect(made.data?.[0]?.b64_json).toBe(PNG);
    expect(google.hits[0]?.url).toBe("/v1beta/models/imagen-4:predict");
    expect(body(google)).toEqual({ instances: [{ prompt: "A door" }], parameters: { sampleCount: 3 } });
  });

  it("streams the finished picture", async () => {
    google.respond = spoken([{ inlineData: { mimeType: "image/png", data: PNG } }]);
    const stream = await openai().images.generate({ model: "gemini-image", prompt: "x", stream: true });
    const received: unknown[] = [];
    for await (const event of stream) received.push(event);
    expect(received).toMatchObject([{ type: "image_generation.completed", b64_json: PNG }]);
  });

  it("edits pictures, and says that it left the mask out", async () => {
    google.respond = spoken([{ inlineData: { mimeType: "image/png", data: PNG } }]);
    const image = await toFile(Buffer.from(PNG, "base64"), "Tür.png", { type: "image/png" });
    const ask = { model: "gemini-image", image: [image, image], mask: image, prompt: "Öffne sie" };
    expect((await openai().images.edit(ask)).data?.[0]?.b64_json).toBe(PNG);
    const imagePart = { inlineData: { mimeType: "image/png", data: PNG } };
    expect(body(google).contents[0].parts).toEqual([imagePart, imagePart, { text: "Öffne sie" }]);
    expect(proxy.records.at(-1)?.losses.map((loss) => loss.code)).toEqual(["mask"]);
    await expect(openai(strict).images.edit(ask)).rejects.toThrow(/strict_translation/);
  });

  it("answers with what the model said where it made none", async () => {
    google.respond = spoken([{ text: "I will not draw that." }]);
    const asked = openai().images.generate({ model: "gemini-image", prompt: "x" });
    await expect(asked).rejects.toThrow(/I will not draw that/);
  });

  it("tells an upstream's refusal with its status", async () => {
    google.respond = json(
      { error: { code: 429, message: "quota is gone", status: "RESOURCE_EXHAUSTED" } },
      429,
    );
    const asked = openai().images.generate({ model: "gemini-image", prompt: "x" });
    await expect(asked).rejects.toBeInstanceOf(OpenAI.RateLimitError);
  });
});

describe("110: transcripts by a generative-language upstream", () => {
  const recording = () => toFile(Buffer.alloc(3_000, 7), "Grüße.mp3");
  const timed = JSON.stringify({
    language: "german",
    duration: 3.5,
    segments: [
      { start: 0, end: 1.25, text: "Grüße." },
      { start: 3_661.5, end: 3_662, text: "Ende." },
    ],
  });

  it("writes down what it hears", async () => {
    google.respond = spoken([{ text: "Grüße aus Köln.\n" }]);
    const ask = { model: "gemini-image", file: await recording(), language: "de", prompt: "Köln" };
    const response = await openai().audio.transcriptions.create(ask);
    expect(response).toMatchObject({ text: "Grüße aus Köln.", usage: { total_tokens: 12 } });
    const [audio, instruction] = body(google).contents[0].parts;
    expect(audio.inlineData).toEqual({
      mimeType: "audio/mp3",
      data: Buffer.alloc(3_000, 7).toString("base64"),
    });
    expect(instruction.text).toMatch(/"de".*Köln/s);
  });

  it.each([
    ["text", "Grüße.\n"],
    ["srt", "1\n00:00:00,000 --> 00:00:01,250\nGrüße.\n\n2\n01:01:01,500 --> 01:01:02,000\nEnde.\n"],
    ["vtt", "WEBVTT\n\n00:00:00.000 --> 00:00:01.250\nGrüße.\n\n01:01:01.500 --> 01:01:02.000\nEnde.\n"],
  ] as const)("as %s", async (format, expected) => {
    google.respond = spoken([{ text: format === "text" ? "Grüße." : timed }]);
    const ask = { model: "gemini-image", file: await recording(), response_format: format };
    expect(await openai().audio.transcriptions.create(ask)).toBe(expected);
    expect(body(google).generationConfig?.responseMimeType).toBe(
      format === "text" ? undefined : "application/json",
    );
  });

  it("as verbose_json, with segments", async () => {
    google.respond = spoken([{ text: timed }]);
    const ask = { model: "gemini-image", file: await recording(), response_format: "verbose_json" } as const;
    const response = await openai().audio.transcriptions.create(ask);
    expect(response).toMatchObject({
      task: "transcribe",
      language: "german",
      duration: 3.5,
      text: "Grüße. Ende.",
      segments: [{ id: 0, start: 0, end: 1.25 }, { id: 1 }],
    });
  });

  it("as a stream", async () => {
    const chunk = (text: string, more: object = {}) =>
      `data: ${JSON.stringify({ candidates: [{ content: { role: "model", parts: [{ text }] }, ...more }] })}\r\n\r\n`;
    google.respond = events([chunk("Grüße "), chunk("aus Köln", { finishReason: "STOP" })]);
    const ask = { model: "gemini-image", file: await recording(), stream: true } as const;
    const received: unknown[] = [];
    for await (const event of await openai().audio.transcriptions.create(ask)) received.push(event);
    expect(received).toEqual([
      { type: "transcript.text.delta", delta: "Grüße " },
      { type: "transcript.text.delta", delta: "aus Köln" },
      { type: "transcript.text.done", text: "Grüße aus Köln" },
    ]);
  });

  it("refuses what is no recording", async () => {
    const file = await toFile(Buffer.from("x"), "a.txt", { type: "text/plain" });
    await expect(
      openai().audio.transcriptions.create({ model: "gemini-image", file }),
    ).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  });
});

describe("103: tokens counted across dialects", () => {
  const ask = {
    model: "gemini-image",
    system: "Be brief.",
    messages: [{ role: "user" as const, content: "Hi" }],
    tools: [{ name: "f", input_schema: { type: "object" as const, properties: { a: { type: "string" } } } }],
  };
  const anthropic = () => new Anthropic({ apiKey: "k", baseURL: proxy.url, maxRetries: 0 });

  it("asks a generative-language upstream about the whole request", async () => {
    google.respond = json({ totalTokens: 321 });
    expect((await anthropic().messages.countTokens(ask)).input_tokens).toBe(321);
    expect(google.hits[0]?.url).toBe("/v1beta/models/gemini-image:countTokens");
    expect(body(google).generateContentRequest).toMatchObject({
      model: "models/gemini-image",
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [{ role: "user", parts: [{ text: "Hi" }] }],
      tools: [{ functionDeclarations: [{ name: "f" }] }],
    });
  });

  it("asks a messages upstream for a client of generative-language", async () => {
    messages.respond = json({ input_tokens: 12 });
    const client = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: proxy.url } });
    expect((await client.models.countTokens({ model: "claude", contents: "Hi" })).totalTokens).toBe(12);
    expect(messages.hits[0]?.url).toBe("/v1/messages/count_tokens");
    expect(body(messages)).toEqual({
      model: "claude",
      messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
    });
  });

  it("estimates, and says so, where the upstream will not count", async () => {
    google.respond = json({ error: { code: 404, message: "no such method", status: "NOT_FOUND" } }, 404);
    const response = await fetch(`${proxy.url}/v1/messages/count_tokens`, {
      method: "POST",
      headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
      body: JSON.stringify(ask),
    });
    expect(response.headers.get("x-sallyport-estimated")).toBe("true");
    expect(Object(await response.json()).input_tokens).toBeGreaterThan(5);
  });

  it("refuses what is no request", async () => {
    const wrong = anthropic().messages.countTokens({ ...ask, messages: "Hi" as never });
    await expect(wrong).rejects.toBeInstanceOf(Anthropic.BadRequestError);
  });
});

import { describe, expect, it } from "vitest";
import { chatStream, type Json, runScene, sent } from "./harness.ts";

const hi = { role: "user", content: "Hi" };
const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const others = ["chat-completions", "responses", "generative-language"] as const;
const fromClaude = (content: readonly Json[], upstream: (typeof others)[number]) =>
  sent("messages", upstream, { model: "m", max_tokens: 9, messages: [{ role: "user", content }] });
const fromChat = (body: Json, upstream: "messages" | "responses" | "generative-language") =>
  sent("chat-completions", upstream, { model: "m", ...body });

describe("features that only one dialect has", () => {
  it.each(others)("12 a %s model receives the search results of a client", async (upstream) => {
    const result = (source: string, title: string, text: string) => ({
      type: "search_result",
      source,
      title,
      content: [{ type: "text", text }],
    });
    const received = await fromClaude(
      [result("https://a.example", "A", "Grass is green."), result("B", "B", "Sky.")],
      upstream,
    );
    expect(received.sentText).toContain("A (https://a.example)\\n\\nGrass is green.");
    expect(received.sentText).toContain("B\\n\\nSky.");
    expect(received.losses).toEqual([]);
  });

  it.each(others)(
    "12 a search result of a client keeps its title in a tool result for a %s model",
    async (upstream) => {
      const found = { type: "search_result", source: "https://a.example", title: "A" };
      const content = [{ ...found, content: [{ type: "text", text: "Grass is green." }] }];
      const messages = [
        hi,
        { role: "assistant", content: [{ type: "tool_use", id: "t", name: "find", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content }] },
      ];
      const received = await sent("messages", upstream, { model: "m", max_tokens: 9, messages });
      expect(received.sentText).toContain("A (https://a.example)\\n\\nGrass is green.");
    },
  );

  it.each([
    ["MEDIA_RESOLUTION_LOW", "low"],
    ["MEDIA_RESOLUTION_HIGH", "high"],
  ])("9 the media resolution %s becomes the detail %s in other dialects", async (level, detail) => {
    const inlineData = { mimeType: "image/png", data: png };
    const contents = [{ role: "user", parts: [{ inlineData, mediaResolution: { level } }] }];
    const received = await sent("generative-language", "chat-completions", { model: "m", contents });
    expect(received.sentText).toContain(`"detail":"${detail}"`);
  });

  it.each(others)(
    "12 a %s model receives a document made of blocks, including its images",
    async (upstream) => {
      const image = { type: "image", source: { type: "base64", media_type: "image/png", data: png } };
      const content = [{ type: "text", text: "One." }, image, { type: "text", text: "Two." }];
      const received = await fromClaude(
        [{ type: "document", title: "T", source: { type: "content", content } }],
        upstream,
      );
      expect(received.sentText).toContain("T\\n\\nOne.\\n\\nTwo.");
      expect(received.sentText).toContain(png);
      expect(received.losses).toEqual([]);
    },
  );

  it("11 23 an image of a failed result follows the results for a messages vendor", async () => {
    const call = (name: string) => ({ functionCall: { name, args: {} } });
    const failed = {
      name: "f",
      response: { error: "bad" },
      parts: [{ inlineData: { mimeType: "image/png", data: png } }],
    };
    const contents = [
      { role: "user", parts: [{ text: "Go" }] },
      { role: "model", parts: [call("f"), call("g")] },
      {
        role: "user",
        parts: [
          { functionResponse: failed },
          { functionResponse: { name: "g", response: { output: "ok" } } },
        ],
      },
    ];
    const received = await sent("generative-language", "messages", { model: "m", contents });
    const [, , results] = received.sent["messages"] as { content: Json[] }[];
    expect(results?.content).toMatchObject([
      { type: "tool_result", is_error: true, content: "bad" },
      { type: "tool_result", content: "ok" },
      { type: "image", source: { data: png } },
    ]);
    expect(received.losses).toEqual([]);
  });

  it.each(["chat-completions", "responses", "messages"] as const)(
    "22 results with ids assigned by the client match calls without ids, for %s",
    async (upstream) => {
      const call = (position: string, more: Json = {}) => ({
        functionCall: { name: "read", args: { position }, ...more },
      });
      const result = (id: string, output: string) => ({
        functionResponse: { id, name: "read", response: { output } },
      });
      const contents = [
        { role: "user", parts: [{ text: "Go" }] },
        { role: "model", parts: [call("a"), call("b", { id: "own" }), call("c")] },
        { role: "user", parts: [result("read-1", "A"), result("own", "B"), result("read-2", "C")] },
      ];
      const received = await sent("generative-language", upstream, { model: "m", contents });
      expect(received.losses).toEqual([]);
      expect(received.sentText).not.toMatch(/read-[12]/);
      const positions = ["A", "B", "C"].map((output) => received.sentText.indexOf(`"${output}"`));
      expect(positions).toEqual(positions.toSorted((left, right) => left - right));
      expect(positions.every((position) => position > 0)).toBe(true);
    },
  );

  it("67 an image generated by another model is a loss in assistant turns for a messages vendor", async () => {
    const contents = [
      { role: "user", parts: [{ text: "Paint" }] },
      { role: "model", parts: [{ text: "Here" }, { inlineData: { mimeType: "image/png", data: png } }] },
      { role: "user", parts: [{ text: "Again" }] },
    ];
    const received = await sent("generative-language", "messages", { model: "m", contents });
    expect((received.sent["messages"] as Json[])[1]).toEqual({
      role: "assistant",
      content: [{ type: "text", text: "Here" }],
    });
    expect(received.losses).toEqual(["assistant-image"]);
  });

  it("50 breakpoints on messages and tools reach a messages vendor, and are a loss for other dialects", async () => {
    const cache_control = { type: "ephemeral" };
    const body = {
      messages: [
        { role: "system", content: "Be brief.", cache_control },
        { ...hi, cache_control },
      ],
      tools: [{ type: "function", cache_control, function: { name: "f" } }],
    };
    const received = await fromChat(body, "messages");
    expect(received.sent).toMatchObject({
      system: [{ text: "Be brief.", cache_control }],
      messages: [{ content: [{ text: "Hi", cache_control }] }],
      tools: [{ name: "f", cache_control }],
    });
    expect(received.losses).toEqual([]);
    expect((await fromChat(body, "generative-language")).losses).toEqual(["cache-control"]);
    const { messages: _, ...toolsAlone } = body;
    expect((await fromChat({ ...toolsAlone, messages: [hi] }, "responses")).losses).toEqual([
      "cache-control",
    ]);
  });

  it.each(["messages", "responses", "generative-language"] as const)(
    "13 earlier assistant audio, of which only the id is sent, is a loss for %s",
    async (upstream) => {
      const spoken = { role: "assistant", audio: { id: "audio_1" } };
      const received = await fromChat(
        { messages: [hi, spoken, { role: "user", content: "And?" }] },
        upstream,
      );
      expect(received.losses.length).toBe(1);
      expect(received.sentText).not.toContain("audio_1");
    },
  );

  it("53 function members that exist only in generative-language are a loss for other dialects", async () => {
    const declaration = { name: "f", response: { type: "STRING" }, behavior: "NON_BLOCKING" };
    const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
    const body = { model: "m", contents, tools: [{ functionDeclarations: [declaration] }] };
    for (const upstream of ["chat-completions", "responses", "messages"] as const)
      expect((await sent("generative-language", upstream, body)).losses).toEqual(["response", "behavior"]);
  });

  it("13 streamed audio is returned at the end, and its transcript as it arrives", async () => {
    const half = (bytes: string) => Buffer.from(bytes).toString("base64");
    const response = chatStream([
      { audio: { id: "audio_1", transcript: "Hel" } },
      { audio: { data: half("a") } },
      { audio: { transcript: "lo", data: half("bc") } },
    ]);
    const google = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };
    const received = await runScene({
      client: "generative-language",
      upstream: "chat-completions",
      body: google,
      array: false,
      response,
    });
    const parts = received.data.flatMap((chunk) => {
      const [candidate] = chunk["candidates"] as { content: { parts: Json[] } }[];
      return candidate?.content.parts ?? [];
    });
    expect(parts.map((part) => part["text"] ?? "").join("")).toBe("Hello");
    expect(parts.flatMap((part) => part["inlineData"] ?? [])).toEqual([
      { mimeType: "audio/pcm", data: half("abc") },
    ]);
    const claude = { model: "m", max_tokens: 9, messages: [hi], stream: true };
    const lost = await runScene({ client: "messages", upstream: "chat-completions", body: claude, response });
    expect(lost.text).toContain('"text":"lo"');
    expect(lost.losses).toEqual(["answer-audio"]);
  });
});

describe("35 tool schemas that vendors reject at their root", () => {
  const text = { type: "string" };
  const number = { type: "number" };
  const schemas = [
    [
      { $ref: "#/definitions/Args", definitions: { Args: { type: "object", properties: { a: text } } } },
      { type: "object", properties: { a: text }, definitions: expect.anything() },
      [],
    ],
    [
      {
        properties: { z: text },
        anyOf: [{ properties: { a: text, b: text }, required: ["a", "b"] }, { $ref: "#/$defs/other" }],
        $defs: { other: { properties: { a: number, c: text }, required: ["a"] } },
      },
      {
        type: "object",
        properties: { z: text, a: text, b: text, c: text },
        required: ["a"],
        $defs: expect.anything(),
      },
      ["schema-anyOf"],
    ],
    [
      {
        type: "object",
        allOf: [{ properties: { a: text }, required: ["a"] }, { properties: { b: text } }],
        required: ["b"],
      },
      { type: "object", properties: { a: text, b: text }, required: ["b", "a"] },
      [],
    ],
    [{ type: ["object", "null"], properties: { a: text } }, { type: "object", properties: { a: text } }, []],
  ] as const;

  it.each(["messages", "responses"] as const)("become an object schema for %s vendors", async (upstream) => {
    for (const [parameters, expected, losses] of schemas) {
      const received = await fromChat(
        { messages: [hi], tools: [{ type: "function", function: { name: "f", parameters } }] },
        upstream,
      );
      const [tool] = received.sent["tools"] as Json[];
      expect(tool?.["input_schema"] ?? tool?.["parameters"]).toEqual(expected);
      expect(received.losses).toEqual(losses);
    }
  });
});

import { describe, expect, it } from "vitest";
import { type Json, runScene, sent } from "./harness.ts";

const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const pdf = Buffer.from("%PDF-1.4 tiny").toString("base64");
const hi = { role: "user", content: "Hi" };

const chatToMessages = (messages: readonly Json[], more: Json = {}) =>
  sent("chat-completions", "messages", { model: "m", messages, ...more });
const messagesToChat = (messages: readonly Json[], more: Json = {}) =>
  sent("messages", "chat-completions", { model: "m", max_tokens: 9, messages, ...more });

describe("5a requests: roles and content", () => {
  it("1 accepts system text as a string and as a list of blocks", async () => {
    expect((await messagesToChat([hi], { system: "Be brief." })).sent["messages"]).toEqual([
      { role: "system", content: "Be brief." },
      hi,
    ]);
    const blocks = [
      { type: "text", text: "A" },
      { type: "text", text: "B", cache_control: { type: "ephemeral" } },
    ];
    const received = await messagesToChat([hi], { system: blocks });
    expect(received.sent["messages"]).toEqual([{ role: "system", content: "A\n\nB" }, hi]);
    expect(received.losses).toEqual(["cache-control"]);
  });

  it("1 joins several system messages before the first turn", async () => {
    const received = await chatToMessages([
      { role: "system", content: "A" },
      { role: "system", content: "B" },
      hi,
    ]);
    expect(received.sent["system"]).toEqual([
      { type: "text", text: "A" },
      { type: "text", text: "B" },
    ]);
  });

  it("2 marks a system message within the conversation in the user's turn, at its position", async () => {
    const received = await chatToMessages([
      hi,
      { role: "assistant", content: "Hello" },
      { role: "system", content: "From now on in French." },
      { role: "user", content: "Go on" },
    ]);
    expect(received.sent["messages"]).toEqual([
      { role: "user", content: [{ type: "text", text: "Hi" }] },
      { role: "assistant", content: [{ type: "text", text: "Hello" }] },
      {
        role: "user",
        content: [
          { type: "text", text: "<system>\nFrom now on in French.\n</system>" },
          { type: "text", text: "Go on" },
        ],
      },
    ]);
    expect(received.losses).toEqual(["system-position"]);
  });

  it("2 keeps a system message within the conversation if the target has the role", async () => {
    const received = await messagesToChat([
      hi,
      { role: "system", content: "Switch." },
      { role: "user", content: "Go" },
    ]);
    expect((received.sent["messages"] as Json[]).map((message) => message["role"])).toEqual([
      "user",
      "system",
      "user",
    ]);
    expect(received.losses).toEqual([]);
  });

  it("3 converts developer to system", async () => {
    expect((await chatToMessages([{ role: "developer", content: "Be brief." }, hi])).sent["system"]).toBe(
      "Be brief.",
    );
  });

  it("4 merges consecutive messages of one role for the messages dialect", async () => {
    const received = await chatToMessages([hi, { role: "user", content: "there" }]);
    expect(received.sent["messages"]).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "Hi" },
          { type: "text", text: "there" },
        ],
      },
    ]);
  });

  it("5 inserts a user turn before a leading assistant message, with a loss", async () => {
    const received = await chatToMessages([{ role: "assistant", content: "Welcome." }, hi]);
    expect((received.sent["messages"] as Json[])[0]?.["role"]).toBe("user");
    expect(received.losses).toContain("first-turn");
  });

  it("5 sends a prefill to a messages upstream, and reports a loss for other dialects", async () => {
    const prefill = { role: "assistant", content: "{" };
    const received = await chatToMessages([hi, prefill]);
    expect((received.sent["messages"] as Json[]).at(-1)).toEqual({
      role: "assistant",
      content: [{ type: "text", text: "{" }],
    });
    expect(received.losses).toEqual([]);
    expect((await messagesToChat([hi, prefill])).losses).toEqual(["assistant-prefill"]);
    const newer = await runScene({
      client: "chat-completions",
      upstream: "messages",
      model: "claude-opus-5",
      body: { model: "m", messages: [hi, prefill] },
    });
    expect(newer.losses).toEqual(["assistant-prefill"]);
    expect((newer.sent["messages"] as Json[]).at(-1)?.["role"]).toBe("user");
  });

  it("6 drops empty and whitespace-only content", async () => {
    const received = await chatToMessages([
      {
        role: "user",
        content: [
          { type: "text", text: "" },
          { type: "text", text: "Hi" },
          { type: "text", text: " \n" },
        ],
      },
      { role: "assistant", content: "" },
      { role: "user", content: [] },
    ]);
    expect(received.sent["messages"]).toEqual([{ role: "user", content: [{ type: "text", text: "Hi" }] }]);
  });

  it("6 accepts null as assistant content next to calls", async () => {
    const call = { id: "c1", type: "function", function: { name: "f", arguments: "{}" } };
    const received = await chatToMessages([
      hi,
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c1", content: "x" },
    ]);
    expect((received.sent["messages"] as Json[])[1]).toEqual({
      role: "assistant",
      content: [{ type: "tool_use", id: "c1", name: "f", input: {} }],
    });
  });

  it("7 trims whitespace at the end of a prefill", async () => {
    const received = await chatToMessages([hi, { role: "assistant", content: "Once upon \n" }]);
    expect((received.sent["messages"] as Json[]).at(-1)?.["content"]).toEqual([
      { type: "text", text: "Once upon" },
    ]);
  });

  it("8 reports unknown part types as a loss and never writes them as text", async () => {
    const received = await chatToMessages([
      {
        role: "user",
        content: [
          { type: "hologram", data: 1 },
          { type: "text", text: "Hi" },
        ],
      },
    ]);
    expect(received.sentText).not.toContain("hologram");
    expect(received.losses).toEqual(["unknown"]);
  });

  it("9 converts images from data URL to base64 with the detected media type, keeps URLs, and reports detail", async () => {
    const received = await chatToMessages([
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: `data:image/jpeg;base64,${png}`, detail: "high" } },
          { type: "image_url", image_url: { url: "https://example.com/a.png" } },
        ],
      },
    ]);
    expect((received.sent["messages"] as Json[])[0]?.["content"]).toEqual([
      { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
      { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
    ]);
    expect(received.losses).toEqual(["image-detail"]);
  });

  it("9 converts images from base64 to data URL", async () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: png } };
    const received = await messagesToChat([
      { role: "user", content: [{ type: "text", text: "See" }, image] },
    ]);
    expect((received.sent["messages"] as Json[])[0]?.["content"]).toEqual([
      { type: "text", text: "See" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
    ]);
  });

  it("9 drops media that the configuration marks as unsupported, with a loss", async () => {
    const image = {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
    };
    const byAddress = { type: "image", source: { type: "url", url: "https://a.example/x.png" } };
    const body = (block: Json) => ({
      model: "m",
      max_tokens: 9,
      messages: [{ role: "user", content: [block, { type: "text", text: "See" }] }],
    });
    for (const upstream of ["chat-completions", "responses", "generative-language"] as const) {
      const blind = { capabilities: { "*": { images: "none" } } };
      const received = await sent("messages", upstream, body(image), blind);
      expect([upstream, received.losses, received.sentText.includes("iVBORw0KGgo")]).toEqual([
        upstream,
        ["image"],
        false,
      ]);
    }
    const bytes = { capabilities: { "*": { images: "base64" } } };
    expect((await sent("messages", "responses", body(byAddress), bytes)).losses).toEqual(["image-url"]);
  });

  it("12 reports a document's context and citations as losses if the dialect lacks them", async () => {
    const document = {
      type: "document",
      source: { type: "text", media_type: "text/plain", data: "Pay 5." },
      context: "An invoice.",
      citations: { enabled: true },
    };
    const received = await sent("messages", "responses", {
      model: "m",
      max_tokens: 9,
      messages: [{ role: "user", content: [document, { type: "text", text: "How much?" }] }],
    });
    expect(received.losses).toEqual(["document-context", "document-citations"]);
  });

  it("10 reports an image URL as a loss for an upstream that requires bytes, without fetching it", async () => {
    const received = await sent("chat-completions", "generative-language", {
      model: "m",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "See" },
            { type: "image_url", image_url: { url: "http://169.254.169.254/a.png" } },
          ],
        },
      ],
    });
    expect(received.losses.some((code) => code.startsWith("image"))).toBe(true);
  });

  it("11 sends images of a tool result to a chat upstream in the next user message, with a reference", async () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: png } };
    const received = await messagesToChat([
      hi,
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "f", input: {} }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "done" }, image] },
        ],
      },
    ]);
    expect((received.sent["messages"] as Json[]).slice(2)).toEqual([
      { role: "tool", tool_call_id: "t1", content: "done\n[image 1 of this result follows]" },
      {
        role: "user",
        content: [
          { type: "text", text: "From the result of call t1:" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
        ],
      },
    ]);
  });

  it("12 converts PDF documents with their names in both directions, and text documents to text", async () => {
    const document = {
      type: "document",
      title: "a.pdf",
      source: { type: "base64", media_type: "application/pdf", data: pdf },
    };
    const received = await messagesToChat([
      {
        role: "user",
        content: [
          document,
          { type: "document", source: { type: "text", media_type: "text/plain", data: "words" } },
        ],
      },
    ]);
    expect((received.sent["messages"] as Json[])[0]?.["content"]).toEqual([
      { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${pdf}` } },
      { type: "text", text: "words" },
    ]);
    const back = await chatToMessages([
      {
        role: "user",
        content: [
          { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${pdf}` } },
        ],
      },
    ]);
    expect((back.sent["messages"] as Json[])[0]?.["content"]).toEqual([
      {
        type: "document",
        source: { type: "base64", media_type: "application/pdf", data: pdf },
        title: "a.pdf",
      },
    ]);
  });

  it("13 reports audio as a loss for messages", async () => {
    const received = await chatToMessages([
      {
        role: "user",
        content: [
          { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
          { type: "text", text: "Hear" },
        ],
      },
    ]);
    expect(received.losses).toEqual(["audio"]);
    const toGemini = await sent("chat-completions", "generative-language", {
      model: "m",
      messages: [
        {
          role: "user",
          content: [{ type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } }],
        },
      ],
    });
    expect(toGemini.sentText).toContain('"audio/wav"');
  });

  it("13 sends video to generative-language only", async () => {
    const contents = [
      {
        parts: [{ inlineData: { mimeType: "video/mp4", data: "AAAA" } }, { text: "What happens?" }],
      },
    ];
    for (const upstream of ["chat-completions", "responses", "messages"] as const) {
      const received = await sent("generative-language", upstream, { contents });
      expect([upstream, received.losses]).toEqual([upstream, ["video"]]);
      expect(received.sentText).not.toContain("AAAA");
    }
  });

  it("14 sends refusals in the history as assistant text", async () => {
    const received = await chatToMessages([
      hi,
      { role: "assistant", content: null, refusal: "No." },
      { role: "user", content: "Why?" },
    ]);
    expect((received.sent["messages"] as Json[])[1]).toEqual({
      role: "assistant",
      content: [{ type: "text", text: "No." }],
    });
  });

  it("15 reports the name of a message as a loss if the dialect lacks it", async () => {
    expect((await chatToMessages([{ role: "user", name: "Ann", content: "Hi" }])).losses).toEqual(["name"]);
  });

  it("sends instructions without a message as the turn that vendors require", async () => {
    const body = { model: "m", messages: [{ role: "system", content: "Name a colour." }] };
    const toMessages = await sent("chat-completions", "messages", body);
    expect(toMessages.sent).toMatchObject({
      messages: [{ role: "user", content: [{ type: "text", text: "Name a colour." }] }],
    });
    expect(toMessages.sent).not.toHaveProperty("system");
    const toGoogle = await sent("chat-completions", "generative-language", body);
    expect(toGoogle.sent).toEqual({ contents: [{ role: "user", parts: [{ text: "Name a colour." }] }] });
    const toResponses = await sent("chat-completions", "responses", body);
    expect(toResponses.sent).toMatchObject({ input: [{ content: [{ text: "Name a colour." }] }] });
    expect(toResponses.sent).not.toHaveProperty("instructions");
    expect([toMessages, toGoogle, toResponses].map(({ losses }) => losses)).toEqual([
      ["system-position"],
      ["system-position"],
      [],
    ]);
  });

  it("rejects a conversation of which nothing can be encoded, and names the lost parts", async () => {
    const content = [{ type: "file", file: { file_id: "file-1" } }];
    for (const upstream of ["messages", "responses", "generative-language"] as const) {
      const body = { model: "m", messages: [{ role: "user", content }] };
      const received = await runScene({ client: "chat-completions", upstream, body });
      expect([received.status, received.path]).toEqual([400, ""]);
      expect(received.text).toContain("file-reference: File reference dropped");
    }
  });

  it("reports no loss for members that request the default", async () => {
    const body = { model: "m", input: "Hi", background: false, truncation: "disabled" };
    const biased = { model: "m", messages: [hi], logit_bias: {} };
    expect((await sent("responses", "messages", body)).losses).toEqual([]);
    expect((await sent("chat-completions", "generative-language", biased)).losses).toEqual([]);
    expect((await sent("chat-completions", "responses", biased)).losses).toEqual([]);
  });
});

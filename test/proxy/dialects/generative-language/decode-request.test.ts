import { describe, expect, it } from "vitest";
import { codec as generativeLanguage } from "../../../../src/proxy/dialects/generative-language/index.ts";
import { DialectError } from "../../../../src/proxy/exchange/dialect-error.ts";
import type { Part } from "../../../../src/proxy/exchange/parts.ts";
import { text } from "../../../support/exchange.ts";

function decode(body: Record<string, unknown>, context = { model: "gemini" }) {
  return generativeLanguage.decodeRequest(body, context).value;
}

function partsOf(...parts: unknown[]): readonly Part[] {
  return decode({ contents: [{ role: "user", parts }] }).turns[0]?.parts ?? [];
}

describe("decoding a generative-language request", () => {
  it.each([
    { systemInstruction: { parts: [{ text: "Be brief." }] } },
    { systemInstruction: { role: "system", parts: [{ text: "Be brief." }] } },
    { system_instruction: { parts: [{ text: "Be brief." }] } },
    { systemInstruction: "Be brief." },
  ])("1: decodes the instructions of %j", (body) => {
    expect(decode(body).instructions).toEqual([text("Be brief.")]);
  });

  it("4: joins the pieces of a streamed response in the history to one text and one thought", () => {
    const parts = [
      { text: "Let me ", thought: true },
      { text: "think.", thought: true },
      { text: "", thought: true, thoughtSignature: "c2ln" },
      { text: "It is " },
      { text: "mild." },
    ];
    expect(decode({ contents: [{ role: "model", parts }] }).turns).toEqual([
      {
        role: "assistant",
        parts: [
          { type: "reasoning", text: "Let me think.", vendor: "generative-language", signature: "c2ln" },
          text("It is mild."),
        ],
      },
    ]);
  });

  it("9, 12, 13: decodes media given as bytes or URL by their media type", () => {
    expect(
      partsOf(
        { inlineData: { mimeType: "image/png", data: "AAAA" } },
        { inline_data: { mime_type: "application/pdf", data: "BBBB", display_name: "a.pdf" } },
        { fileData: { mimeType: "audio/mp3", fileUri: "https://e.org/a.mp3" } },
        { fileData: { fileUri: "https://youtu.be/x" } },
        { fileData: { fileUri: "https://e.org/a.webp" } },
      ),
    ).toEqual([
      { type: "image", source: { kind: "base64", mediaType: "image/png", data: "AAAA" } },
      {
        type: "document",
        name: "a.pdf",
        source: { kind: "base64", mediaType: "application/pdf", data: "BBBB" },
      },
      { type: "audio", source: { kind: "url", url: "https://e.org/a.mp3", mediaType: "audio/mp3" } },
      { type: "video", source: { kind: "url", url: "https://youtu.be/x" } },
      { type: "image", source: { kind: "url", url: "https://e.org/a.webp" } },
    ]);
  });

  it("9: recognizes a file at the vendor", () => {
    const uri = "https://generativelanguage.googleapis.com/v1beta/files/abc";
    expect(partsOf({ fileData: { mimeType: "image/png", fileUri: uri } })).toMatchObject([
      { type: "image", source: { kind: "file", id: uri }, origin: { dialect: "generative-language" } },
    ]);
  });

  it("21, 22: gives a call without an ID the same ID in every request, and matches results by name and order", () => {
    const contents = [
      { role: "user", parts: [{ text: "Go" }] },
      {
        role: "model",
        parts: [
          { functionCall: { name: "f", args: { n: 1 } } },
          { functionCall: { name: "g", args: {} } },
          { functionCall: { name: "f", args: { n: 2 } } },
        ],
      },
      {
        role: "function",
        parts: [
          { functionResponse: { name: "f", response: { output: "one" } } },
          { functionResponse: { name: "f", response: { output: "two" } } },
          { functionResponse: { name: "g", response: { output: "gee" } } },
        ],
      },
    ];
    const { turns } = decode({ contents });
    const calls = turns[1]?.parts.flatMap((part) => (part.type === "tool-call" ? [part.id] : [])) ?? [];
    const callIds = turns[2]?.parts.flatMap((part) => (part.type === "tool-result" ? [part.callId] : []));
    expect(new Set(calls).size).toBe(3);
    expect(callIds).toEqual([calls[0], calls[2], calls[1]]);
    const later = decode({ contents: [...contents, { role: "user", parts: [{ text: "And?" }] }] });
    expect(later.turns.slice(0, 3)).toEqual(turns);
  });

  it("21: keeps existing IDs, and matches results that are out of order", () => {
    const { turns } = decode({
      contents: [
        { role: "model", parts: ["a", "b"].map((id) => ({ functionCall: { id, name: "f", args: {} } })) },
        {
          role: "user",
          parts: ["b", "a"].map((id) => ({ functionResponse: { id, name: "f", response: { output: id } } })),
        },
      ],
    });
    expect(turns[1]?.parts).toMatchObject([{ callId: "b" }, { callId: "a" }]);
  });

  it.each([
    [{ output: "x" }, "x", undefined],
    [{ result: { a: 1 } }, '{"a":1}', undefined],
    [{ content: "x" }, "x", undefined],
    [{ error: "no route" }, "no route", true],
    [{ temperature: 3, unit: "c" }, '{"temperature":3,"unit":"c"}', undefined],
    [{}, undefined, undefined],
  ])("22, 24: decodes the tool result %j", (response, value, isError) => {
    const [part] = partsOf({ functionResponse: { name: "f", response } });
    expect(part).toMatchObject({
      type: "tool-result",
      content: value === undefined ? [] : [text(value)],
      structured: response,
    });
    expect(part?.type === "tool-result" && part.isError).toBe(isError);
  });

  it("11: decodes the images of a tool result", () => {
    const [part] = partsOf({
      functionResponse: {
        name: "f",
        response: { output: "see" },
        parts: [{ inlineData: { mimeType: "image/png", data: "AAAA" } }],
      },
    });
    expect(part?.type === "tool-result" && part.content).toEqual([
      text("see"),
      { type: "image", source: { kind: "base64", mediaType: "image/png", data: "AAAA" } },
    ]);
  });

  it("27: decodes the vendor's own tools as hosted tools", () => {
    const { tools } = decode({ tools: [{ google_search: {} }, { codeExecution: {} }, { urlContext: {} }] });
    expect(tools).toMatchObject([
      { tool: "web-search", raw: { googleSearch: {} } },
      { tool: "code-execution" },
      { tool: "web-fetch" },
    ]);
  });

  it.each([
    [{ mode: "AUTO" }, { mode: "auto" }],
    [{ mode: "NONE" }, { mode: "none" }],
    [{ mode: "ANY" }, { mode: "required" }],
    [
      { mode: "ANY", allowedFunctionNames: ["f"] },
      { mode: "tool", name: "f" },
    ],
    [
      { mode: "ANY", allowed_function_names: ["f", "g"] },
      { mode: "allowed", names: ["f", "g"], required: true },
    ],
    [
      { mode: "VALIDATED", allowedFunctionNames: ["f"] },
      { mode: "allowed", names: ["f"], required: false },
    ],
  ])("30: decodes the tool choice %j", (functionCallingConfig, expected) => {
    expect(decode({ toolConfig: { functionCallingConfig } }).toolChoice).toEqual(expected);
  });

  it("33: converts schemas to JSON Schema, and keeps properties named like keywords", () => {
    const parameters = {
      type: "OBJECT",
      properties: {
        type: { type: "STRING", nullable: true, enum: ["a"] },
        format: { type: "ARRAY", items: { type: "INTEGER", format: "int32" }, min_items: "2" },
        any_of: { anyOf: [{ type: "STRING" }, { type: "NUMBER" }], nullable: true },
      },
      required: ["type"],
      propertyOrdering: ["type"],
    };
    const [tool] = decode({ tools: [{ functionDeclarations: [{ name: "f", parameters }] }] }).tools;
    expect(tool?.type === "function" && tool.schema).toEqual({
      type: "object",
      properties: {
        type: { type: ["string", "null"], enum: ["a", null] },
        format: { type: "array", items: { type: "integer", format: "int32" }, minItems: 2 },
        any_of: { anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }] },
      },
      required: ["type"],
    });
  });

  it("33: leaves JSON Schema unchanged", () => {
    const parametersJsonSchema = { type: "object", $defs: { a_b: { type: "string" } } };
    const [tool] = decode({ tools: [{ functionDeclarations: [{ name: "f", parametersJsonSchema }] }] }).tools;
    expect(tool?.type === "function" && tool.schema).toBe(parametersJsonSchema);
  });

  it.each([
    [{ thinkingBudget: -1 }, { budget: -1 }],
    [{ thinkingBudget: 0 }, { budget: 0 }],
    [
      { thinking_level: "HIGH", include_thoughts: true },
      { effort: "high", include: true },
    ],
  ])("37, 44: decodes the thinking options %j", (thinkingConfig, expected) => {
    expect(decode({ generationConfig: { thinkingConfig } }).reasoning).toEqual(expected);
  });

  it("42: decodes the signatures of calls and texts", () => {
    const [turn] = decode({
      contents: [
        {
          role: "model",
          parts: [
            { text: "Well", thoughtSignature: "dGV4dA" },
            { functionCall: { name: "f", args: {} }, thought_signature: "c2ln" },
          ],
        },
      ],
    }).turns;
    expect(turn?.parts).toMatchObject([
      { type: "text", signature: "dGV4dA" },
      { type: "tool-call", signature: "c2ln" },
    ]);
  });

  it("48, 53: decodes members in snake_case, and keeps members without an equivalent as extensions", () => {
    const value = decode({
      generation_config: {
        max_output_tokens: 9,
        stop_sequences: ["END"],
        response_mime_type: "application/json",
        response_schema: { type: "OBJECT", properties: { a: { type: "STRING" } } },
        response_modalities: ["TEXT", "IMAGE"],
        media_resolution: "LOW",
      },
      safety_settings: [{ category: "X" }],
      cached_content: "cachedContents/1",
    });
    expect(value.sampling).toEqual({ maxOutputTokens: 9, stop: ["END"] });
    expect(value.output).toMatchObject({ schema: { type: "object", properties: { a: { type: "string" } } } });
    expect(value.modalities).toEqual(["text", "image"]);
    expect(value.extensions["generative-language"]).toEqual({
      safetySettings: [{ category: "X" }],
      cachedContent: "cachedContents/1",
      generationConfig: { mediaResolution: "LOW" },
    });
  });

  it("54: uses the model of the path, with or without its collection, instead of the body's", () => {
    expect(decode({}, { model: "models/gemini-2.5-pro" }).model).toBe("gemini-2.5-pro");
    expect(decode({ model: "models/x" }, { model: "y" }).model).toBe("y");
  });

  it.each([
    { contents: 3 },
    { contents: [{ parts: [{ text: 3 }] }] },
    { tools: [{ functionDeclarations: [{}] }] },
  ])("94: rejects an invalid request: %j", (body) => {
    expect(() => decode(body)).toThrow(DialectError);
  });
});

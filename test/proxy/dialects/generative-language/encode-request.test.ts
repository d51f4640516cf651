import { describe, expect, it } from "vitest";
import { codec as generativeLanguage } from "../../../../src/proxy/dialects/generative-language/index.ts";
import type { Capabilities } from "../../../../src/proxy/exchange/capabilities.ts";
import { stringifyJson } from "../../../../src/proxy/exchange/json.ts";
import type { Part } from "../../../../src/proxy/exchange/parts.ts";
import type { ExchangeRequest, Tool } from "../../../../src/proxy/exchange/request.ts";
import { createCallId } from "../../../../src/proxy/exchange/tool-call-id.ts";
import { everything, request, text, writtenBody } from "../../../support/exchange.ts";

const budgets: Capabilities = { ...everything, reasoning: "budget", combinesTools: false };
const levels: Capabilities = { ...everything, reasoning: "level", efforts: ["low", "high"] };

function write(value: Partial<ExchangeRequest>, capabilities = budgets) {
  return writtenBody(generativeLanguage, request(value), capabilities);
}

function call(id: string, more: Partial<Extract<Part, { type: "tool-call" }>> = {}): Part {
  return { type: "tool-call", id, name: "f", arguments: "{}", ...more };
}

function result(callId: string, more: Partial<Extract<Part, { type: "tool-result" }>> = {}): Part {
  return { type: "tool-result", callId, content: [text("ok")], ...more };
}

describe("encoding a generative-language request", () => {
  it("1, 2: encodes instructions separately, and marks a system message within the conversation", () => {
    const { body, losses } = write({
      instructions: [text("a"), text("b")],
      turns: [
        { role: "user", parts: [text("Hi")] },
        { role: "system", parts: [text("In German.")] },
      ],
    });
    expect(body["systemInstruction"]).toEqual({ parts: [{ text: "a" }, { text: "b" }] });
    expect(body["contents"]).toEqual([
      { role: "user", parts: [{ text: "Hi" }, { text: "<system>\nIn German.\n</system>" }] },
    ]);
    expect(losses).toEqual(["system-position"]);
  });

  it("4: joins turns of one role and drops empty ones", () => {
    const { body } = write({
      turns: [
        { role: "user", parts: [text("a")] },
        { role: "user", parts: [text("b")] },
        { role: "assistant", parts: [] },
      ],
    });
    expect(body["contents"]).toEqual([{ role: "user", parts: [{ text: "a" }, { text: "b" }] }]);
  });

  it("9, 10: encodes bytes inline and URLs as files, and reports a loss if the model accepts bytes only", () => {
    const image: Part = {
      type: "image",
      source: { kind: "url", url: "https://e.org/a.png", mediaType: "image/png" },
    };
    const turns = [{ role: "user", parts: [text("x"), image] } as const];
    const file = { fileData: { mimeType: "image/png", fileUri: "https://e.org/a.png" } };
    expect(write({ turns }).body["contents"]).toMatchObject([{ parts: [{ text: "x" }, file] }]);
    expect(write({ turns }, { ...budgets, images: "base64" }).losses).toEqual(["image-url"]);
    expect(write({ turns }, { ...budgets, images: "none" }).losses).toEqual(["image"]);
  });

  it("11, 22: encodes results with the name of their call, failures as errors, and images after their result", () => {
    const image: Part = { type: "image", source: { kind: "base64", mediaType: "image/png", data: "AAAA" } };
    const { body } = write({
      turns: [
        { role: "assistant", parts: [call("a", { name: "look" }), call("b", { name: "go" })] },
        {
          role: "user",
          parts: [
            result("a", { content: [text("see"), image] }),
            result("b", { content: [text("no route")], isError: true }),
          ],
        },
      ],
    });
    expect(body["contents"]).toMatchObject([
      { role: "user", parts: [{ text: "Continue." }] },
      { role: "model" },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "a", name: "look", response: { output: "see" } } },
          { inlineData: { mimeType: "image/png", data: "AAAA" } },
          { functionResponse: { id: "b", name: "go", response: { error: "no route" } } },
        ],
      },
    ]);
  });

  it("21: sends no call IDs that the proxy created", () => {
    const id = createCallId("f", 1);
    const { body } = write({
      turns: [
        { role: "assistant", parts: [call(id)] },
        { role: "user", parts: [result(id)] },
      ],
    });
    expect(JSON.stringify(body)).not.toContain('"id"');
  });

  it("25: keeps every digit of arguments, and wraps arguments that are not an object in an object", () => {
    const turns = (argument: string) => [
      { role: "user", parts: [text("Go")] } as const,
      { role: "assistant", parts: [call("a", { arguments: argument })] } as const,
    ];
    const { value } = generativeLanguage.encodeRequest(
      request({ turns: turns('{"id": 9007199254740993}') }),
      everything,
    );
    expect(stringifyJson(value.body)).toContain("9007199254740993");
    for (const input of ["[1]", '{"a', "null"]) {
      const { body, losses } = write({ turns: turns(input) });
      expect(body["contents"]).toMatchObject([{}, { parts: [{ functionCall: { args: { input } } }] }]);
      expect(losses).toEqual(["tool-arguments"]);
    }
  });

  it("5: inserts a user turn before a leading call, but not before leading text", () => {
    const opened = write({ turns: [{ role: "assistant", parts: [call("a")] }] });
    expect(opened.body["contents"]).toMatchObject([{ role: "user" }, { role: "model" }]);
    expect(opened.losses).toEqual(["first-turn"]);
    expect(write({ turns: [{ role: "assistant", parts: [text("Hello")] }] })).toMatchObject({ losses: [] });
  });

  it("27: encodes another vendor's search as Google's, unless the model rejects it together with functions", () => {
    const search: Tool = { type: "hosted", tool: "web-search", dialect: "messages", raw: {} };
    const f: Tool = { type: "function", name: "f" };
    expect(write({ tools: [search] }).body["tools"]).toEqual([{ googleSearch: {} }]);
    expect(write({ tools: [search, f] })).toMatchObject({
      body: { tools: [{ functionDeclarations: [{ name: "f" }] }] },
      losses: ["hosted-tool-web-search"],
    });
    expect(write({ tools: [search, f] }, levels).body["tools"]).toEqual([
      { functionDeclarations: [{ name: "f" }] },
      { googleSearch: {} },
    ]);
  });

  it("28: converts a custom tool and its calls to a function with one string", () => {
    const { body } = write({
      tools: [{ type: "custom", name: "patch", format: { type: "grammar", definition: "start: x" } }],
      turns: [{ role: "assistant", parts: [call("a", { name: "patch", arguments: "free", custom: true })] }],
    });
    expect(body["tools"]).toMatchObject([
      {
        functionDeclarations: [
          {
            name: "patch",
            parametersJsonSchema: { properties: { input: { type: "string" } }, required: ["input"] },
          },
        ],
      },
    ]);
    expect(body["contents"]).toMatchObject([{}, { parts: [{ functionCall: { args: { input: "free" } } }] }]);
  });

  it("30, 31, 35: encodes tool choices, and drops the limit of one call at a time and choices without tools", () => {
    const tools: Tool[] = [
      { type: "function", name: "f" },
      { type: "function", name: "g" },
    ];
    const config = (toolChoice: NonNullable<ExchangeRequest["toolChoice"]>) =>
      write({ tools, toolChoice }).body["toolConfig"];
    expect(config({ mode: "none" })).toEqual({ functionCallingConfig: { mode: "NONE" } });
    expect(config({ mode: "tool", name: "f" })).toEqual({
      functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] },
    });
    const allowed = write({ tools, toolChoice: { mode: "allowed", names: ["f"], required: false } }).body;
    expect(allowed).toMatchObject({
      tools: [{ functionDeclarations: [{ name: "f" }] }],
      toolConfig: { functionCallingConfig: { mode: "AUTO" } },
    });
    expect(write({ tools, parallelToolCalls: false }).losses).toEqual(["parallel-tool-calls"]);
    expect(write({ toolChoice: { mode: "auto" } }).body).not.toHaveProperty("toolConfig");
  });

  it("35: omits the schema of a function without arguments", () => {
    const tools: Tool[] = [{ type: "function", name: "f", schema: { type: "object", properties: {} } }];
    expect(write({ tools }).body["tools"]).toEqual([{ functionDeclarations: [{ name: "f" }] }]);
  });

  it("33: sends JSON Schema unchanged if the model accepts it, otherwise the vendor's subset", () => {
    const schema = { type: "object", properties: { a: { type: ["string", "null"] } } };
    const tools: Tool[] = [{ type: "function", name: "f", schema }];
    const declared = (capabilities: Capabilities) =>
      (write({ tools }, capabilities).body["tools"] as { functionDeclarations: unknown[] }[])[0]
        ?.functionDeclarations;
    expect(declared(budgets)).toEqual([{ name: "f", parametersJsonSchema: schema }]);
    expect(declared({ ...budgets, jsonSchemaTools: false })).toEqual([
      {
        name: "f",
        parameters: { type: "OBJECT", properties: { a: { type: "STRING", nullable: true } } },
      },
    ]);
  });

  it("37: encodes effort and budget as a budget or a level, depending on the model", () => {
    const thinking = (reasoning: NonNullable<ExchangeRequest["reasoning"]>, capabilities: Capabilities) => {
      const { body, losses } = write({ reasoning }, capabilities);
      return [(body["generationConfig"] as Record<string, unknown> | undefined)?.["thinkingConfig"], losses];
    };
    expect(thinking({ effort: "medium" }, budgets)).toEqual([
      { thinkingBudget: 8_192, includeThoughts: true },
      [],
    ]);
    expect(thinking({ budget: 0 }, budgets)).toEqual([{ thinkingBudget: 0, includeThoughts: false }, []]);
    expect(thinking({ adaptive: true }, budgets)).toEqual([
      { thinkingBudget: -1, includeThoughts: true },
      [],
    ]);
    expect(thinking({ effort: "xhigh" }, levels)).toEqual([
      { thinkingLevel: "HIGH", includeThoughts: true },
      ["reasoning-effort"],
    ]);
    expect(thinking({ effort: "high" }, { ...budgets, reasoning: "none" })).toEqual([
      undefined,
      ["reasoning-effort"],
    ]);
  });

  it("40: drops another vendor's thinking with a loss and never sends it as text", () => {
    const { body, losses } = write({
      turns: [
        {
          role: "assistant",
          parts: [{ type: "reasoning", text: "SECRET", vendor: "messages", signature: "sig" }, text("Gone.")],
        },
      ],
    });
    expect(body["contents"]).toEqual([{ role: "model", parts: [{ text: "Gone." }] }]);
    expect(losses).toEqual(["reasoning-signature"]);
  });

  it("42: sends signatures with their calls, and the documented placeholder with the first unsigned call", () => {
    const turns = [
      { role: "assistant", parts: [call("a"), call("b")] },
      { role: "user", parts: [result("a"), result("b")] },
      { role: "assistant", parts: [call("c", { signature: "c2ln" })] },
    ] as const;
    const signatures = (capabilities: Capabilities) =>
      (write({ turns }, capabilities).body["contents"] as { parts: Record<string, unknown>[] }[])
        .flatMap((content) => content.parts)
        .filter((part) => part["functionCall"] !== undefined)
        .map((part) => part["thoughtSignature"]);
    expect(signatures(levels)).toEqual(["skip_thought_signature_validator", undefined, "c2ln"]);
    expect(signatures(budgets)).toEqual([undefined, undefined, "c2ln"]);
  });

  it("47: drops stop sequences after the fifth", () => {
    const { body, losses } = write({ sampling: { stop: ["1", "2", "3", "4", "5", "6"] } });
    expect(body["generationConfig"]).toEqual({ stopSequences: ["1", "2", "3", "4", "5"] });
    expect(losses).toEqual(["stop"]);
  });

  it("48: encodes a response schema with its media type", () => {
    const output = {
      type: "json-schema",
      schema: { type: "object", properties: { a: { type: "string" } } },
    } as const;
    expect(write({ output }).body["generationConfig"]).toEqual({
      responseMimeType: "application/json",
      responseJsonSchema: output.schema,
    });
    expect(write({ output }, { ...budgets, jsonSchemaTools: false }).body["generationConfig"]).toEqual({
      responseMimeType: "application/json",
      responseSchema: { type: "OBJECT", properties: { a: { type: "STRING" } } },
    });
  });

  it.each([
    ["a function", { type: "function", name: "f" }],
    ["a hosted tool", { type: "hosted", tool: "web-search", dialect: "responses", raw: {} }],
  ] as const)("48: drops a response format beside %s, unless the model accepts both", (_, tool) => {
    const formats = [{ type: "json" }, { type: "json-schema", schema: { type: "object" } }] as const;
    for (const output of formats) {
      const older = write({ output, tools: [tool] });
      expect(older.body).not.toHaveProperty("generationConfig");
      expect(older.losses).toEqual(["structured-output"]);
      const newer = write({ output, tools: [tool] }, levels);
      expect(newer.body["generationConfig"]).toMatchObject({ responseMimeType: "application/json" });
      expect(newer.losses).toEqual([]);
    }
    expect(write({ output: { type: "text" }, tools: [tool] }).losses).toEqual([]);
  });

  it("49, 52: reports members without an equivalent as losses", () => {
    const { losses } = write({
      user: "u",
      metadata: { a: "b" },
      verbosity: "low",
      store: true,
      previousResponseId: "resp_1",
      sampling: { logitBias: { 1: 1 } },
      extensions: { responses: { truncation: "auto" } },
    });
    expect(losses).toEqual([
      "logit-bias",
      "user",
      "metadata",
      "verbosity",
      "store",
      "previous-response-id",
      "truncation",
    ]);
  });

  it.each([
    ["gemini-2.5-pro", false, "/models/gemini-2.5-pro:generateContent"],
    ["models/gemini-2.5-pro", true, "/models/gemini-2.5-pro:streamGenerateContent?alt=sse"],
    ["tunedModels/my", false, "/tunedModels/my:generateContent"],
    ["a/b:free", false, "/models/a%2Fb%3Afree:generateContent"],
  ])("54: encodes the model %s in the path", (model, stream, path) => {
    expect(write({ model, stream }).path).toBe(path);
  });
});

import { describe, expect, it } from "vitest";
import { codec as responses } from "../../../../src/proxy/dialects/responses/index.ts";
import { DialectError } from "../../../../src/proxy/exchange/dialect-error.ts";
import type { Part } from "../../../../src/proxy/exchange/parts.ts";
import type { ExchangeRequest, Tool } from "../../../../src/proxy/exchange/request.ts";
import { everything, request, text, writtenBody } from "../../../support/exchange.ts";

function write(value: Partial<ExchangeRequest>, capabilities = everything) {
  return writtenBody(responses, request(value), capabilities);
}

function assistant(...parts: Part[]) {
  return { turns: [{ role: "assistant", parts } as const] };
}

function user(...parts: Part[]) {
  return { turns: [{ role: "user", parts } as const] };
}

describe("encoding a responses request", () => {
  it("1, 3: encodes the first instruction as `instructions`, and others as a message with a supported role", () => {
    const value = { instructions: [text("a"), text("b")] };
    const input = (role: string) => [{ type: "message", role, content: [{ type: "input_text", text: "b" }] }];
    expect(write(value).body).toMatchObject({ instructions: "a", input: input("developer") });
    const older = { ...everything, acceptsDeveloperRole: false };
    expect(write(value, older).body).toMatchObject({ input: input("system") });
  });

  it("5: reports a prefill as a loss", () => {
    expect(write(assistant(text("Once upon"))).losses).toEqual(["assistant-prefill"]);
  });

  it("12: sends a document's bytes with a file name, which the vendor requires", () => {
    const source = { kind: "base64", mediaType: "application/pdf", data: "JVBERi0" } as const;
    const { body, losses } = write(user({ type: "document", source, context: "An invoice." }));
    expect(body["input"]).toMatchObject([
      {
        content: [
          {
            type: "input_file",
            filename: "document.pdf",
            file_data: "data:application/pdf;base64,JVBERi0",
          },
        ],
      },
    ]);
    expect(losses).toEqual(["document-context"]);
  });

  it("9: reports a file at another vendor as a loss", () => {
    const origin = { dialect: "messages", raw: {} } as const;
    const { losses } = write(
      user(text("x"), { type: "image", source: { kind: "file", id: "file_1" }, origin }),
    );
    expect(losses).toEqual(["file-reference"]);
  });

  it("11, 23: marks a failed result in its text, and keeps the images of the result", () => {
    const image = {
      type: "image",
      source: { kind: "base64", mediaType: "image/png", data: "AAAA" },
    } as const;
    const { body } = write(
      user({ type: "tool-result", callId: "c1", content: [text("no route"), image], isError: true }),
    );
    expect(body["input"]).toEqual([
      {
        type: "function_call_output",
        call_id: "c1",
        output: [
          { type: "input_text", text: "Error: no route" },
          { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "auto" },
        ],
      },
    ]);
  });

  it("21: replaces a call ID that the vendor would reject, in the call and its result", () => {
    const id = "x".repeat(80);
    const turns = [
      { role: "assistant", parts: [{ type: "tool-call", id, name: "f", arguments: "" }] },
      { role: "user", parts: [{ type: "tool-result", callId: id, content: [text("r")] }] },
    ] as const;
    const [call, result] = write({ turns }).body["input"] as Record<string, unknown>[];
    expect(call?.["call_id"]).toBe(result?.["call_id"]);
    expect(String(call?.["call_id"]).length).toBeLessThanOrEqual(64);
    expect(call?.["arguments"]).toBe("{}");
  });

  it("27: encodes another vendor's web search, and rejects a request whose only tool has no equivalent", () => {
    const search: Tool = {
      type: "hosted",
      tool: "web-search",
      dialect: "messages",
      raw: { name: "web_search" },
    };
    expect(write({ tools: [search] }).body["tools"]).toEqual([{ type: "web_search" }]);
    const other: Tool = { type: "hosted", tool: "other", dialect: "messages", raw: { type: "computer" } };
    expect(() => write({ tools: [other] })).toThrow(DialectError);
    expect(write({ tools: [other, search] }).losses).toEqual(["hosted-tool-other"]);
  });

  it("28, 29: encodes custom calls and namespaces as they were declared", () => {
    const namespace = { namespace: "mcp__files__", name: "read" };
    const tools: Tool[] = [
      { type: "custom", name: "patch" },
      { type: "function", name: "mcp__files__read", extras: { namespace } },
      { type: "function", name: "mcp__files__list", extras: { namespace: { ...namespace, name: "list" } } },
    ];
    const { body } = write({
      tools,
      turns: [
        {
          role: "assistant",
          parts: [
            { type: "tool-call", id: "a", name: "patch", arguments: "free text", custom: true },
            { type: "tool-call", id: "b", name: "mcp__files__read", arguments: "{}" },
          ],
        },
      ],
    });
    const parameters = { type: "object", properties: {} };
    expect(body["tools"]).toEqual([
      { type: "custom", name: "patch" },
      {
        type: "namespace",
        name: "mcp__files__",
        tools: [
          { type: "function", name: "read", parameters, strict: false },
          { type: "function", name: "list", parameters, strict: false },
        ],
      },
    ]);
    expect(body["input"]).toEqual([
      { type: "custom_tool_call", call_id: "a", name: "patch", input: "free text" },
      { type: "function_call", call_id: "b", namespace: "mcp__files__", name: "read", arguments: "{}" },
    ]);
  });

  it("30, 35: sends no choice without tools, and named and allowed tools with their types", () => {
    expect(write({ toolChoice: { mode: "required" }, parallelToolCalls: false }).body).not.toHaveProperty(
      "tool_choice",
    );
    const tools: Tool[] = [
      { type: "custom", name: "c" },
      { type: "function", name: "f" },
    ];
    const choice = (toolChoice: NonNullable<ExchangeRequest["toolChoice"]>) =>
      write({ tools, toolChoice }).body["tool_choice"];
    expect(choice({ mode: "tool", name: "c" })).toEqual({ type: "custom", name: "c" });
    expect(choice({ mode: "allowed", names: ["f"], required: false })).toEqual({
      type: "allowed_tools",
      mode: "auto",
      tools: [{ type: "function", name: "f" }],
    });
  });

  it("37: converts budgets to efforts that the model supports, and reports the change", () => {
    const { body, losses } = write(
      { reasoning: { budget: 60_000, include: true } },
      { ...everything, efforts: ["low", "high"] },
    );
    expect(body["reasoning"]).toEqual({ effort: "high", summary: "auto" });
    expect(losses).toEqual(["reasoning-effort"]);
    expect(write({ reasoning: { adaptive: true } }).body).not.toHaveProperty("reasoning");
  });

  it("39: drops sampling members that a reasoning model rejects, with a loss", () => {
    const { body, losses } = write(
      { sampling: { temperature: 1, topP: 0.5 } },
      { ...everything, acceptsSampling: false },
    );
    expect(body).not.toHaveProperty("temperature");
    expect(losses).toEqual(["temperature", "top-p"]);
  });

  it("40, 41: sends reasoning that this vendor signed, and drops all other reasoning", () => {
    const { body, losses } = write(
      assistant(
        { type: "reasoning", text: "SECRET", vendor: "messages", signature: "sig" },
        { type: "reasoning", text: "plan", vendor: "responses", signature: "gAAA" },
        { type: "tool-call", id: "c1", name: "f", arguments: "{}" },
      ),
    );
    expect(body["input"]).toMatchObject([
      { type: "reasoning", summary: [{ type: "summary_text", text: "plan" }], encrypted_content: "gAAA" },
      { type: "function_call" },
    ]);
    expect(JSON.stringify(body)).not.toContain("SECRET");
    expect(losses).toContain("reasoning-signature");
  });

  it("41: sets store to false by default, and requests encrypted reasoning from reasoning models", () => {
    expect(write({}).body).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
    expect(write({ store: true }).body).not.toHaveProperty("include");
    expect(write({}, { ...everything, reasoning: "none" }).body).not.toHaveProperty("include");
  });

  it("45, 46, 47: reports unsupported members as losses, and lowers members to the model's limits", () => {
    const { body, losses } = write(
      {
        sampling: {
          maxOutputTokens: 9_000,
          temperature: 1.5,
          stop: ["END"],
          topK: 3,
          seed: 0,
          presencePenalty: 0,
          logitBias: { 5: 1 },
          candidates: 2,
        },
        modalities: ["text", "audio"],
      },
      { ...everything, maxOutputTokens: 4_000, maxTemperature: 1 },
    );
    expect(body).toMatchObject({ max_output_tokens: 4_000, temperature: 1 });
    expect(losses).toEqual([
      "stop",
      "top-k",
      "seed",
      "logit-bias",
      "candidates",
      "modalities",
      "max-tokens",
      "temperature",
    ]);
  });

  it("48: encodes a response schema, or JSON mode if the model supports no schema", () => {
    const output = { type: "json-schema", schema: { type: "object" }, strict: true } as const;
    expect(write({ output }).body["text"]).toEqual({
      format: { type: "json_schema", name: "answer", schema: { type: "object" }, strict: true },
    });
    const json = write({ output }, { ...everything, structuredOutput: "json" });
    expect(json.body["text"]).toEqual({ format: { type: "json_object" } });
    expect(json.losses).toEqual(["json-schema"]);
  });

  it("50, 55: reports cache breakpoints and each member of another dialect as losses", () => {
    const { body, losses } = write({
      turns: [{ role: "user", parts: [{ ...text("x"), cache: {} }] }],
      extensions: { messages: { context_management: {}, betas: [] }, responses: { truncation: "auto" } },
      serviceTier: "standard_only",
    });
    expect(losses).toEqual(["service-tier", "context-management", "betas", "cache-control"]);
    expect(body["truncation"]).toBe("auto");
  });
});

import { describe, expect, it } from "vitest";
import { codec as responses } from "../../../../src/proxy/dialects/responses/index.ts";
import { DialectError } from "../../../../src/proxy/exchange/dialect-error.ts";
import { bare, text } from "../../../support/exchange.ts";

function decode(body: Record<string, unknown>) {
  return responses.decodeRequest({ model: "gpt", ...body }, {}).value;
}

function turnsOf(input: unknown) {
  return decode({ input }).turns.map((turn) => ({ role: turn.role, parts: turn.parts.map(bare) }));
}

function refusal(body: Record<string, unknown>) {
  try {
    decode(body);
  } catch (error) {
    if (error instanceof DialectError) return error.error;
    throw error;
  }
  throw new Error("The request was accepted.");
}

describe("decoding a responses request", () => {
  it("1: decodes `instructions` and leading system and developer messages as instructions", () => {
    const value = decode({
      instructions: "Be brief.",
      input: [
        { role: "developer", content: "Speak French." },
        { type: "message", role: "system", content: [{ type: "input_text", text: "No jokes." }] },
        { role: "user", content: "Hi" },
      ],
    });
    expect(value.instructions).toEqual([text("Be brief."), text("Speak French."), text("No jokes.")]);
    expect(value.turns).toHaveLength(1);
  });

  it("2: keeps the position of a system message within the conversation", () => {
    const turns = turnsOf([
      { role: "user", content: "Hi" },
      { role: "developer", content: "From now on in German." },
      { role: "user", content: "Go on" },
    ]);
    expect(turns.map((turn) => turn.role)).toEqual(["user", "system", "user"]);
  });

  it("4: keeps two user messages as two turns, and joins consecutive assistant items to one", () => {
    const turns = turnsOf([
      { role: "user", content: "a" },
      { role: "user", content: "b" },
      { role: "assistant", content: [{ type: "output_text", text: "c" }] },
      { type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "d" },
      { role: "user", content: "e" },
    ]);
    expect(turns.map((turn) => [turn.role, turn.parts.length])).toEqual([
      ["user", 1],
      ["user", 1],
      ["assistant", 2],
      ["user", 2],
    ]);
  });

  it("6: skips empty strings, lists and nulls", () => {
    expect(
      turnsOf([
        { role: "user", content: "" },
        { role: "assistant", content: null },
      ]),
    ).toEqual([
      { role: "user", parts: [] },
      { role: "assistant", parts: [] },
    ]);
  });

  it("8: keeps a content part of an unknown type unchanged, not as text", () => {
    const [turn] = decode({
      input: [{ role: "user", content: [{ type: "input_smell", smell: "rose" }] }],
    }).turns;
    expect(turn?.parts).toEqual([
      { type: "unknown", origin: { dialect: "responses", raw: { type: "input_smell", smell: "rose" } } },
    ]);
  });

  it("9: decodes images given as data URL, URL and file ID, and corrects a wrong media type", () => {
    const content = [
      { type: "input_image", image_url: "data:image/jpeg;base64,iVBORw0KGgoAAA", detail: "high" },
      { type: "input_image", image_url: "https://example.com/a.png" },
      { type: "input_image", file_id: "file_1" },
    ];
    expect(turnsOf([{ role: "user", content }])[0]?.parts).toEqual([
      {
        type: "image",
        source: { kind: "base64", mediaType: "image/png", data: "iVBORw0KGgoAAA" },
        detail: "high",
      },
      { type: "image", source: { kind: "url", url: "https://example.com/a.png" } },
      { type: "image", source: { kind: "file", id: "file_1" } },
    ]);
  });

  it("11: decodes an image in the output of a tool", () => {
    const output = [
      { type: "input_text", text: "a picture" },
      { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo" },
    ];
    expect(turnsOf([{ type: "function_call_output", call_id: "c1", output }])[0]?.parts).toEqual([
      {
        type: "tool-result",
        callId: "c1",
        content: [
          text("a picture"),
          { type: "image", source: { kind: "base64", mediaType: "image/png", data: "iVBORw0KGgo" } },
        ],
      },
    ]);
  });

  it("12, 13: decodes files and audio with their names and media types", () => {
    const content = [
      { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0" },
      { type: "input_file", file_url: "https://example.com/b.pdf" },
      { type: "input_file", file_data: "JVBERi0xLjQ" },
      { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
    ];
    expect(turnsOf([{ role: "user", content }])[0]?.parts).toEqual([
      {
        type: "document",
        name: "a.pdf",
        source: { kind: "base64", mediaType: "application/pdf", data: "JVBERi0" },
      },
      { type: "document", source: { kind: "url", url: "https://example.com/b.pdf" } },
      { type: "document", source: { kind: "base64", mediaType: "application/pdf", data: "JVBERi0xLjQ" } },
      { type: "audio", source: { kind: "base64", mediaType: "audio/mpeg", data: "AAAA" } },
    ]);
  });

  it("14: decodes refusals and annotations in the history", () => {
    const annotation = {
      type: "url_citation",
      url: "https://e.org",
      title: "E",
      start_index: 0,
      end_index: 2,
    };
    const content = [
      { type: "output_text", text: "It is", annotations: [annotation] },
      { type: "refusal", refusal: "No." },
    ];
    expect(turnsOf([{ type: "message", role: "assistant", content }])[0]?.parts).toEqual([
      { ...text("It is"), citations: [{ url: "https://e.org", title: "E", start: 0, end: 2 }] },
      { type: "refusal", text: "No." },
    ]);
  });

  it("16: accepts input as one string, and items without a type", () => {
    const hi = [{ role: "user", parts: [text("Hi")] }];
    expect(turnsOf("Hi")).toEqual(hi);
    expect(turnsOf([{ role: "user", content: "Hi" }])).toEqual(hi);
  });

  it("16: keeps items that only this dialect has unchanged, in the turn to which they belong", () => {
    const items = [
      { type: "item_reference", id: "msg_1" },
      { type: "local_shell_call", call_id: "c1", action: { command: ["ls"] } },
      { type: "local_shell_call_output", id: "c1", output: "a.txt" },
      { type: "compaction", encrypted_content: "abc" },
    ];
    const { turns } = decode({ input: items });
    expect(turns.flatMap((turn) => turn.parts.map((part) => part.origin?.raw))).toEqual(items);
    expect(turns.map((turn) => turn.role)).toEqual(["assistant", "user", "assistant"]);
  });

  it("17: keeps the phase of a message", () => {
    const [turn] = decode({
      input: [
        { role: "assistant", phase: "commentary", content: [{ type: "output_text", text: "Looking." }] },
      ],
    }).turns;
    expect(turn?.parts[0]?.origin?.raw).toEqual({ phase: "commentary" });
  });

  it("25: keeps arguments as text, and converts an object to text", () => {
    const turns = turnsOf([
      { type: "function_call", call_id: "c1", name: "f", arguments: '{"id": 9007199254740993}' },
      { type: "function_call", call_id: "c2", name: "f", arguments: { a: 1 } },
    ]);
    expect(turns[0]?.parts).toMatchObject([
      { arguments: '{"id": 9007199254740993}' },
      { arguments: '{"a":1}' },
    ]);
  });

  it("27: decodes the vendor's own tools as hosted tools with their declarations", () => {
    const tools = [
      { type: "web_search" },
      { type: "image_generation", size: "auto" },
      { type: "computer_use" },
    ];
    expect(decode({ tools }).tools).toEqual([
      { type: "hosted", tool: "web-search", dialect: "responses", raw: tools[0] },
      { type: "hosted", tool: "image-generation", dialect: "responses", raw: tools[1] },
      { type: "hosted", tool: "other", dialect: "responses", raw: tools[2] },
    ]);
  });

  it("28: decodes custom tools, and their calls and results as free text", () => {
    const format = { type: "grammar", syntax: "lark", definition: "start: x" };
    const value = decode({
      tools: [{ type: "custom", name: "apply_patch", description: "Patches.", format }],
      input: [
        { type: "custom_tool_call", call_id: "c1", name: "apply_patch", input: "*** Begin" },
        { type: "custom_tool_call_output", call_id: "c1", output: "done" },
      ],
    });
    expect(value.tools).toEqual([{ type: "custom", name: "apply_patch", description: "Patches.", format }]);
    expect(value.turns.flatMap((turn) => turn.parts)).toEqual([
      { type: "tool-call", id: "c1", name: "apply_patch", arguments: "*** Begin", custom: true },
      { type: "tool-result", callId: "c1", content: [text("done")], custom: true },
    ]);
  });

  it("29: decodes namespaced, nested and flat functions, and qualifies the names of namespaced functions", () => {
    const value = decode({
      tools: [
        {
          type: "namespace",
          name: "mcp__files__",
          tools: [{ type: "function", name: "read", parameters: { type: "object" } }],
        },
        { type: "function", function: { name: "nested", parameters: { type: "object" } } },
        { type: "function", name: "flat", strict: true, parameters: { type: "object" } },
      ],
      input: [
        { type: "function_call", call_id: "c1", namespace: "mcp__files__", name: "read", arguments: "{}" },
      ],
    });
    expect(value.tools.map((tool) => tool.type === "function" && tool.name)).toEqual([
      "mcp__files__read",
      "nested",
      "flat",
    ]);
    expect(value.turns[0]?.parts).toMatchObject([{ type: "tool-call", name: "mcp__files__read" }]);
  });

  it.each([
    ["auto", { mode: "auto" }],
    ["none", { mode: "none" }],
    ["required", { mode: "required" }],
    [
      { type: "function", name: "f" },
      { mode: "tool", name: "f" },
    ],
    [
      { type: "custom", name: "f" },
      { mode: "tool", name: "f" },
    ],
    [
      { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "f" }] },
      { mode: "allowed", names: ["f"], required: true },
    ],
  ])("30: decodes the tool choice %j", (choice, expected) => {
    expect(decode({ tool_choice: choice }).toolChoice).toEqual(expected);
  });

  it("30: keeps the choice of a hosted tool as an extension of this dialect", () => {
    const value = decode({ tool_choice: { type: "web_search" } });
    expect(value.toolChoice).toBeUndefined();
    expect(value.extensions.responses).toEqual({ tool_choice: { type: "web_search" } });
  });

  it("37, 41, 44: decodes effort, summary and encrypted reasoning", () => {
    const value = decode({
      reasoning: { effort: "xhigh", summary: "detailed" },
      include: ["reasoning.encrypted_content", "file_search_call.results"],
      store: false,
    });
    expect(value.reasoning).toEqual({ effort: "xhigh", summary: "detailed", include: true, encrypted: true });
    expect(value.store).toBe(false);
    expect(value.extensions.responses).toEqual({ include: ["file_search_call.results"] });
  });

  it("41: keeps the signature of a reasoning item, before its call", () => {
    const [turn] = decode({
      input: [
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" },
        { type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
      ],
    }).turns;
    expect(turn?.parts).toMatchObject([
      { type: "reasoning", text: "", vendor: "responses", signature: "gAAA", id: "rs_1" },
      { type: "tool-call" },
    ]);
  });

  it("48: decodes text formats", () => {
    const schema = { type: "object" };
    const format = { type: "json_schema", name: "n", schema, strict: true };
    expect(decode({ text: { format } }).output).toEqual({
      type: "json-schema",
      name: "n",
      schema,
      strict: true,
    });
    expect(decode({ text: { format: { type: "json_object" } } }).output).toEqual({ type: "json" });
    expect(decode({ text: { verbosity: "low" } }).verbosity).toBe("low");
  });

  it("52, 55: keeps members without an equivalent as extensions", () => {
    const body = { truncation: "auto", background: true, max_tool_calls: 3, previous_response_id: "resp_1" };
    const value = decode(body);
    expect(value.previousResponseId).toBe("resp_1");
    expect(value.extensions.responses).toEqual({ truncation: "auto", max_tool_calls: 3 });
    expect(value.background).toBe(true);
  });

  it.each([
    [{ model: undefined }, "model"],
    [{ input: 3 }, "input"],
    [{ input: [{ role: "emperor", content: "x" }] }, "input[0].role"],
    [{ input: [{ type: "function_call", name: "f" }] }, "input[0].call_id"],
    [{ tools: [{ type: "function" }] }, "tools[0].name"],
    [{ tool_choice: "perhaps" }, "tool_choice"],
    [{ max_output_tokens: -1 }, "max_output_tokens"],
  ])("94: rejects an invalid request and names the member: %j", (body, param) => {
    expect(refusal(body)).toMatchObject({ status: 400, kind: "invalid-request", param });
  });
});

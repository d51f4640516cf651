import { describe, expect, it } from "vitest";
import { chatResponse, chatStream, type Json, messagesResponse, runScene, sent } from "./harness.ts";

const hi = { role: "user", content: "Hi" };
const user = [{ role: "user", parts: [{ text: "Hi" }] }];
const object = (properties: Json, more: Json = {}) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});

describe("schemas that a vendor would reject", () => {
  const bounded = object({
    age: { type: "integer", minimum: 0, description: "In years." },
    tags: { type: "array", items: { type: "string", maxLength: 9 }, minItems: 2 },
    when: { type: "string", format: "date" },
    site: { oneOf: [{ type: "string", format: "uri" }, { type: "null" }] },
    minimum: { $ref: "#/$defs/open" },
  });
  const withDefs = {
    ...bounded,
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $defs: { open: { type: "object", properties: { a: { type: "string", default: "b" } } } },
  };
  const taken = {
    ...bounded,
    properties: {
      age: { type: "integer", description: "In years.\n\n{minimum: 0}" },
      tags: {
        type: "array",
        items: { type: "string", description: "{maxLength: 9}" },
        description: "{minItems: 2}",
      },
      when: { type: "string", format: "date" },
      site: { anyOf: [{ type: "string", format: "uri" }, { type: "null" }] },
      minimum: { $ref: "#/$defs/open" },
    },
    $defs: {
      open: {
        type: "object",
        properties: { a: { type: "string", default: "b" } },
        additionalProperties: false,
      },
    },
  };
  const losses = ["schema-maxLength", "schema-minItems", "schema-minimum"];

  it("48 describe value bounds in the description instead, in a response for a messages vendor", async () => {
    const response_format = {
      type: "json_schema",
      json_schema: { name: "a", strict: true, schema: withDefs },
    };
    const received = await sent("chat-completions", "messages", {
      model: "m",
      messages: [hi],
      response_format,
    });
    expect(received.sent["output_config"]).toEqual({ format: { type: "json_schema", schema: taken } });
    expect(received.losses.toSorted()).toEqual(losses);
  });

  it("32 describe value bounds in the description instead, in strict tools for a messages vendor only", async () => {
    const tool = (strict: boolean) => ({
      type: "function",
      function: { name: "f", strict, parameters: withDefs },
    });
    const ask = (strict: boolean) =>
      sent("chat-completions", "messages", { model: "m", messages: [hi], tools: [tool(strict)] });
    const received = await ask(true);
    expect(received.sent["tools"]).toEqual([{ name: "f", input_schema: taken, strict: true }]);
    expect(received.losses.toSorted()).toEqual(losses);
    const loose = await ask(false);
    expect([loose.sent["tools"], loose.losses]).toEqual([[{ name: "f", input_schema: withDefs }], []]);
  });

  it("48 are closed for a messages vendor if they allow arbitrary member names, with a loss", async () => {
    const schema = { type: "object", additionalProperties: { type: "string" } };
    const response_format = { type: "json_schema", json_schema: { name: "a", schema } };
    const received = await sent("chat-completions", "messages", {
      model: "m",
      messages: [hi],
      response_format,
    });
    const closed = { type: "object", additionalProperties: false };
    expect(received.sent["output_config"]).toEqual({ format: { type: "json_schema", schema: closed } });
    expect(received.losses).toEqual(["schema-additionalProperties"]);
  });

  it.each([
    [{ type: "string", format: "uri" }],
    [{ oneOf: [{ type: "string" }, { type: "integer" }] }],
    [{ type: "array", items: { allOf: [{ type: "string" }] } }],
    [{ $ref: "#/definitions/a" }],
  ] as const)("34 48 are not sent as strict with %j to vendors of the OpenAI family", async (member) => {
    const schema = { ...object({ a: member }), definitions: { a: { type: "string", format: "uri" } } };
    const format = { type: "json_schema", schema };
    const tools = [{ name: "f", strict: true, input_schema: schema }];
    const body = { model: "m", max_tokens: 9, messages: [hi], tools, output_config: { format } };
    const received = await sent("messages", "responses", body);
    expect(received.sent).toMatchObject({
      tools: [{ strict: false }],
      text: { format: { strict: false } },
    });
    expect(received.losses.toSorted()).toEqual(["json-schema", "strict"]);
    const fine = {
      ...body,
      tools: [],
      output_config: { format: { ...format, schema: object({ a: { type: "string", format: "date" } }) } },
    };
    expect((await sent("messages", "responses", fine)).losses).toEqual([]);
  });
});

describe("a response schema that is not an object", () => {
  const list = { type: "ARRAY", items: { type: "OBJECT", properties: { name: { type: "STRING" } } } };
  const body = {
    model: "m",
    contents: user,
    generationConfig: { responseMimeType: "application/json", responseSchema: list },
  };
  const items = { type: "object", properties: { name: { type: "string" } } };
  const enclosing = object({ value: { type: "array", items } });
  const listText = '[ {"name": "a}"}, {"name": "b"} ]';
  const textOf = (given: Json) => {
    const [candidate] = given["candidates"] as { content: { parts: { text: string }[] } }[];
    return candidate?.content.parts.map((part) => part.text).join("");
  };

  it.each(["chat-completions", "responses", "messages"] as const)(
    "48 is wrapped in an object for a %s vendor",
    async (upstream) => {
      const received = await sent("generative-language", upstream, body);
      const formats = [
        received.sent["response_format"],
        received.sent["text"],
        received.sent["output_config"],
      ];
      const closed = {
        ...enclosing,
        properties: { value: { type: "array", items: { ...items, additionalProperties: false } } },
      };
      expect(JSON.stringify(formats)).toContain(JSON.stringify(upstream === "messages" ? closed : enclosing));
    },
  );

  it("48 is unwrapped for the client, complete", async () => {
    const asked = { client: "generative-language", upstream: "chat-completions", body } as const;
    const received = await runScene({
      ...asked,
      response: chatResponse({ content: `{"value": ${listText}}\n` }),
    });
    expect(textOf(received.json)).toBe(listText);
    const refused = await runScene({ ...asked, response: chatResponse({ content: "I cannot {" }) });
    expect(textOf(refused.json)).toBe("I cannot {");
  });

  it("48 is unwrapped for the client from a tool's arguments", async () => {
    const input = { value: JSON.parse(listText) };
    const received = await runScene({
      client: "generative-language",
      upstream: "messages",
      model: "claude-3-5-haiku-20241022",
      body,
      response: messagesResponse(
        [{ type: "tool_use", id: "t", name: "structured_answer", input }],
        "tool_use",
      ),
    });
    expect(received.sent["tools"]).toMatchObject([{ input_schema: enclosing }]);
    expect(JSON.parse(textOf(received.json) ?? "")).toEqual(JSON.parse(listText));
  });

  it("48 is unwrapped for the client, streamed and split at any byte", async () => {
    const schema = { type: "array", items: { type: "string" } };
    const whole = `{ "value" : ${listText} } \n`;
    for (let size = 1; size <= whole.length; size += 1) {
      const pieces = whole.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [];
      const responses = await runScene({
        client: "responses",
        upstream: "chat-completions",
        body: {
          model: "m",
          input: "Hi",
          stream: true,
          text: { format: { type: "json_schema", name: "a", schema } },
        },
        response: chatStream(pieces.map((content) => ({ content }))),
      });
      const last = responses.data.at(-1)?.["response"] as { output: { content: { text: string }[] }[] };
      expect(last.output[0]?.content[0]?.text, `${size}`).toBe(listText);
    }
  });

  it("48 is unwrapped for the client from a stream of similar events", async () => {
    const schema = { type: "array", items: { type: "integer" } };
    const output_config = { format: { type: "json_schema", schema } };
    const numbers = Array.from({ length: 50 }, (_, position) => position);
    const pieces = ['{"value":[0', ...numbers.slice(1).map((number) => `,${number}`), "]", "}", " "];
    const received = await runScene({
      client: "messages",
      upstream: "chat-completions",
      body: { model: "m", max_tokens: 9, messages: [hi], stream: true, output_config },
      response: chatStream(pieces.map((content) => ({ content }))),
    });
    const texts = received.data.map((event) => (event["delta"] as Json | undefined)?.["text"] ?? "");
    expect(texts.join("")).toBe(JSON.stringify(numbers));
  });

  it("48 is left unchanged if it refers to itself", async () => {
    const schema = { type: "array", items: { anyOf: [{ type: "string" }, { $ref: "#" }] } };
    const text = { format: { type: "json_schema", name: "a", schema } };
    const received = await sent("responses", "chat-completions", { model: "m", input: "Hi", text });
    expect(received.sent["response_format"]).toMatchObject({ json_schema: { schema } });
  });
});

describe("a schema for a model without structured output", () => {
  const schema = object({ a: { type: "string" } });
  const ask = (upstream: "messages" | "generative-language", capabilities: Json) =>
    sent(
      "chat-completions",
      upstream,
      {
        model: "m",
        messages: [hi],
        response_format: { type: "json_schema", json_schema: { name: "a", schema } },
      },
      { capabilities: { "*": { structuredOutput: "none", ...capabilities } } },
    );

  it.each([
    ["the model always thinks", { alwaysThinks: true }],
    ["the upstream cannot force one", { toolChoices: ["auto", "none"] }],
  ])("48 is dropped instead of forcing a tool call if %s", async (_, capabilities) => {
    const received = await ask("messages", capabilities);
    expect(received.sent).not.toHaveProperty("tools");
    expect(received.losses).toEqual(["structured-output"]);
  });

  it("48 is sent as a tool that the upstream requires, or that a Gemini model calls while it thinks", async () => {
    const required = await ask("messages", { toolChoices: ["required"] });
    expect(required.sent["tool_choice"]).toMatchObject({ type: "any" });
    expect(required.losses).toEqual([]);
    const thinking = await ask("generative-language", { alwaysThinks: true });
    expect(thinking.sent["toolConfig"]).toMatchObject({ functionCallingConfig: { mode: "ANY" } });
    expect(thinking.losses).not.toContain("structured-output");
  });
});

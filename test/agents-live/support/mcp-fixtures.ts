import type {
  CallToolResult,
  ElicitRequestFormParams,
  GetPromptResult,
  ReadResourceResult,
} from "@modelcontextprotocol/sdk/types.js";

/** The features that the conformance suite (0.1.13) expects of a server, under the names that it uses. */

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

const text = (content: string) => ({ type: "text" as const, text: content });
const image = { type: "image" as const, data: PIXEL, mimeType: "image/png" };
const resource = (uri: string, mimeType: string, content: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType, text: content },
});

/** Tools that always return the same result. */
export const results: Readonly<Record<string, CallToolResult>> = {
  test_simple_text: { content: [text("This is a simple text response for testing.")] },
  test_image_content: { content: [image] },
  test_audio_content: { content: [{ type: "audio", data: SILENCE, mimeType: "audio/wav" }] },
  test_embedded_resource: {
    content: [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  },
  test_multiple_content_types: {
    content: [
      text("Multiple content types test:"),
      image,
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  },
  test_error_handling: {
    isError: true,
    content: [text("This tool intentionally returns an error for testing")],
  },
};

type Schema = ElicitRequestFormParams["requestedSchema"];

/** Tools that request input from the person, by the form that they show. */
export const elicitations: Readonly<Record<string, Schema>> = {
  test_elicitation: {
    type: "object",
    properties: {
      username: { type: "string", description: "User's response" },
      email: { type: "string", description: "User's email address" },
    },
    required: ["username", "email"],
  },
  test_elicitation_sep1034_defaults: {
    type: "object",
    properties: {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    },
  },
  test_elicitation_sep1330_enums: {
    type: "object",
    properties: {
      untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
      titledSingle: { type: "string", oneOf: choices(["value1", "value2", "value3"], "Option") },
      legacyEnum: {
        type: "string",
        enum: ["opt1", "opt2", "opt3"],
        enumNames: ["Option One", "Option Two", "Option Three"],
      },
      untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
      titledMulti: { type: "array", items: { anyOf: choices(["value1", "value2", "value3"], "Choice") } },
    },
  },
};

function choices(values: readonly string[], noun: string): { const: string; title: string }[] {
  const ordinals = ["First", "Second", "Third"];
  return values.map((value, index) => ({ const: value, title: `${ordinals[index]} ${noun}` }));
}

const withText = (name: string) => ({
  type: "object" as const,
  properties: { [name]: { type: "string" } },
  required: [name],
});

export const tools = [
  ...Object.keys(results),
  "test_tool_with_logging",
  "test_tool_with_progress",
  "test_reconnection",
  "test_elicitation_sep1034_defaults",
  "test_elicitation_sep1330_enums",
]
  .map(
    (
      name,
    ): { name: string; description: string; inputSchema: { type: "object"; [key: string]: unknown } } => ({
      name,
      description: name.replaceAll("_", " "),
      inputSchema: { type: "object", properties: {} },
    }),
  )
  .concat([
    { name: "test_sampling", description: "asks the client's model", inputSchema: withText("prompt") },
    { name: "test_elicitation", description: "asks the person", inputSchema: withText("message") },
    {
      name: "json_schema_2020_12_tool",
      description: "Tool with JSON Schema 2020-12 features",
      inputSchema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        $defs: {
          address: {
            type: "object",
            properties: { street: { type: "string" }, city: { type: "string" } },
          },
        },
        properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
        additionalProperties: false,
      },
    },
  ]);

export const resources = ["static-text", "static-binary", "watched-resource"].map((name) => ({
  uri: `test://${name}`,
  name,
  description: name.replaceAll("-", " "),
  mimeType: name === "static-binary" ? "image/png" : "text/plain",
}));

export const templates = [
  { uriTemplate: "test://template/{id}/data", name: "template", mimeType: "application/json" },
];

export function readResource(uri: string): ReadResourceResult {
  if (uri === "test://static-binary") return { contents: [{ uri, mimeType: "image/png", blob: PIXEL }] };
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) {
    const content = "This is the content of the static text resource.";
    return { contents: [{ uri, mimeType: "text/plain", text: content }] };
  }
  const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { contents: [{ uri, mimeType: "application/json", text: data }] };
}

const argumentsOf = (...names: string[]) =>
  names.map((name) => ({ name, description: name, required: true }));

export const prompts = [
  { name: "test_simple_prompt", description: "simple" },
  {
    name: "test_prompt_with_arguments",
    description: "with arguments",
    arguments: argumentsOf("arg1", "arg2"),
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "with a resource",
    arguments: argumentsOf("resourceUri"),
  },
  { name: "test_prompt_with_image", description: "with an image" },
];

export function prompt(name: string, given: Record<string, string> = {}): GetPromptResult {
  const user = (content: GetPromptResult["messages"][number]["content"]) => ({
    role: "user" as const,
    content,
  });
  if (name === "test_prompt_with_arguments") {
    return {
      messages: [user(text(`Prompt with arguments: arg1='${given["arg1"]}', arg2='${given["arg2"]}'`))],
    };
  }
  if (name === "test_prompt_with_embedded_resource") {
    const embedded = resource(
      given["resourceUri"] ?? "",
      "text/plain",
      "Embedded resource content for testing.",
    );
    return { messages: [user(embedded), user(text("Please process the embedded resource above."))] };
  }
  if (name === "test_prompt_with_image") {
    return { messages: [user(image), user(text("Please analyze the image above."))] };
  }
  return { messages: [user(text("This is a simple prompt for testing."))] };
}

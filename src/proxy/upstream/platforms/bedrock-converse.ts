import { AppError } from "../../../errors.ts";
import { defined } from "../../exchange/defined.ts";
import { asObject, asObjects, type Json } from "../../exchange/json.ts";

/**
 * Converts a request of `messages` to Converse.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
export function toConverse(request: Json): Json {
  const { system, messages, max_tokens, temperature, top_p, top_k, stop_sequences, thinking } = request;
  const extra = defined({ top_k, thinking });
  const inferenceConfig = defined({
    maxTokens: max_tokens,
    temperature,
    topP: top_p,
    stopSequences: asObjects(stop_sequences).length > 0 ? stop_sequences : undefined,
  });
  const instructions = toBlocks(system).flatMap((block) => [
    { text: getText(block) },
    ...toCachePoint(block),
  ]);
  return defined({
    system: instructions.length > 0 ? instructions : undefined,
    messages: asObjects(messages).map((message) => ({
      role: message["role"],
      content: toBlocks(message["content"]).flatMap((block) => [...toContent(block), ...toCachePoint(block)]),
    })),
    inferenceConfig: Object.keys(inferenceConfig).length > 0 ? inferenceConfig : undefined,
    toolConfig: toToolConfig(request),
    additionalModelRequestFields: Object.keys(extra).length > 0 ? extra : undefined,
  });
}

function toToolConfig({ tools, tool_choice }: Json): Json | undefined {
  const hosted = asObjects(tools).find(({ type }) => type !== undefined && type !== "custom");
  if (hosted !== undefined) throw unsupported(`the tool ${String(hosted["type"])}`);
  const specs = asObjects(tools).flatMap((tool) => [
    {
      toolSpec: defined({
        name: tool["name"],
        description: tool["description"] || undefined,
        inputSchema: { json: tool["input_schema"] ?? { type: "object" } },
      }),
    },
    ...toCachePoint(tool),
  ]);
  if (specs.length === 0) return undefined;
  const { type, name } = asObject(tool_choice);
  // Converse has no `none`, and requires the tools if the conversation has used them.
  const choices: Readonly<Record<string, Json>> = {
    auto: { auto: {} },
    any: { any: {} },
    tool: { tool: { name } },
  };
  return defined({ tools: specs, toolChoice: choices[String(type)] });
}

function toContent(block: Json): Json[] {
  switch (block["type"]) {
    case "text":
      return block["text"] === "" ? [] : [{ text: block["text"] }];
    case "image":
      return toMedia("image", block);
    case "document":
      return toMedia("document", block);
    case "tool_use":
      return [{ toolUse: { toolUseId: block["id"], name: block["name"], input: block["input"] ?? {} } }];
    case "tool_result":
      return [
        {
          toolResult: defined({
            toolUseId: block["tool_use_id"],
            content: toBlocks(block["content"]).flatMap(toContent),
            status: block["is_error"] === true ? "error" : undefined,
          }),
        },
      ];
    case "thinking":
      return [
        {
          reasoningContent: {
            reasoningText: defined({
              text: block["thinking"],
              signature: block["signature"] || undefined,
            }),
          },
        },
      ];
    case "redacted_thinking":
      return [{ reasoningContent: { redactedContent: block["data"] } }];
    default:
      throw unsupported(`a content block of type ${String(block["type"])}`);
  }
}

function unsupported(what: string): AppError {
  return new AppError("unsupported", `Amazon Bedrock's Converse does not accept ${what}`);
}

/** Converts an image or a document given by its bytes or as text. Converse does not accept URLs. */
function toMedia(kind: "image" | "document", block: Json): Json[] {
  const { type, media_type, data } = asObject(block["source"]);
  const format = FORMATS[String(media_type)];
  if (type === "text" && kind === "document")
    return [{ document: { format: "txt", name: toDocumentName(block), source: { text: data } } }];
  if (type !== "base64" || format === undefined)
    throw unsupported(`${kind}s that are not given by their bytes`);
  const source = { bytes: data };
  return [
    kind === "image"
      ? { image: { format, source } }
      : { document: { format, name: toDocumentName(block), source } },
  ];
}

const FORMATS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpeg",
  "image/gif": "gif",
  "image/webp": "webp",
  "application/pdf": "pdf",
  "text/plain": "txt",
};

/** Returns a document's name as Converse accepts it: letters, digits, single spaces, hyphens, brackets. */
function toDocumentName({ title }: Json): string {
  const name = String(title ?? "document")
    .replace(/[^A-Za-z0-9 ()[\]-]+/g, " ")
    .replace(/\s+/g, " ");
  return name.trim().slice(0, 200) || "document";
}

function toCachePoint({ cache_control }: Json): Json[] {
  if (cache_control === undefined || cache_control === null) return [];
  const { ttl } = asObject(cache_control);
  return [{ cachePoint: defined({ type: "default", ttl: ttl === "1h" ? ttl : undefined }) }];
}

/** Returns content as blocks; a text is one block. */
function toBlocks(content: unknown): Json[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : asObjects(content);
}

function getText({ text }: Json): string {
  return typeof text === "string" ? text : "";
}

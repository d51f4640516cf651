import { AppError } from "../../../errors.ts";
import { defined } from "../../exchange/defined.ts";
import { asObject, asObjects, type Json } from "../../exchange/json.ts";
import { toCallId } from "../../exchange/tool-call-id.ts";
import { shortenToolName } from "../../exchange/tool-name.ts";

/**
 * Matches the models that accept cache points, in instructions and messages only. Other models reject requests with
 * cache points.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 */
const CACHES = /(?:^|[./:])amazon\.nova-/;
/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html */
const CALL_IDS = { pattern: /^[a-zA-Z0-9_.:-]+$/, maxLength: 64 };
/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html */
const MAX_TOOL_NAME = 64;

/**
 * Converts a request of the `messages` dialect to Amazon Bedrock's Converse API. Throws `unsupported` if the request
 * has a hosted tool or content that Converse does not accept.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
export function toConverse(model: string, request: Json): Json {
  const caches = CACHES.test(model);
  const names = new DocumentNames();
  const { system, messages, max_tokens, temperature, top_p, top_k, stop_sequences, thinking } = request;
  const extra = defined({ top_k, thinking });
  const inferenceConfig = defined({
    maxTokens: max_tokens,
    temperature,
    topP: top_p,
    stopSequences: asObjects(stop_sequences).length > 0 ? stop_sequences : undefined,
  });
  const instructions = toBlocks(system)
    .filter(hasText)
    .flatMap((block) => [{ text: block["text"] }, ...(caches ? toCachePoint(block) : [])]);
  return defined({
    system: instructions.length > 0 ? instructions : undefined,
    messages: asObjects(messages).map((message) => ({
      role: message["role"],
      content: withTextForDocuments(
        toBlocks(message["content"]).flatMap((block) => [
          ...toContent(block, names),
          ...(caches && hasText(block) ? toCachePoint(block) : []),
        ]),
      ),
    })),
    inferenceConfig: Object.keys(inferenceConfig).length > 0 ? inferenceConfig : undefined,
    toolConfig: toToolConfig(request),
    additionalModelRequestFields: Object.keys(extra).length > 0 ? extra : undefined,
  });
}

function toToolConfig({ tools, tool_choice, messages }: Json): Json | undefined {
  const hosted = asObjects(tools).find(({ type }) => type !== undefined && type !== "custom");
  if (hosted !== undefined) throw unsupported(`the tool ${String(hosted["type"])}`);
  const specs = asObjects(tools).map((tool) => ({
    toolSpec: defined({
      name: toToolName(tool["name"]),
      description: tool["description"] || undefined,
      inputSchema: { json: tool["input_schema"] ?? { type: "object" } },
    }),
  }));
  if (specs.length === 0) return undefined;
  const { type, name } = asObject(tool_choice);
  // Converse has no tool choice `none`, and requires the tools if the conversation has used them.
  if (type === "none" && !usesTools(messages)) return undefined;
  const choices: Readonly<Record<string, Json>> = {
    auto: { auto: {} },
    any: { any: {} },
    tool: { tool: { name: toToolName(name) } },
  };
  return defined({ tools: specs, toolChoice: choices[String(type)] });
}

function usesTools(messages: unknown): boolean {
  return asObjects(messages).some(({ content }) =>
    toBlocks(content).some(({ type }) => type === "tool_use" || type === "tool_result"),
  );
}

function toId(id: unknown): unknown {
  return typeof id === "string" ? toCallId(CALL_IDS, id) : id;
}

/** Shortens a tool name that is too long for Converse; `findToolNames` restores it. */
function toToolName(name: unknown): unknown {
  return typeof name === "string" && name.length > MAX_TOOL_NAME
    ? shortenToolName(name, MAX_TOOL_NAME)
    : name;
}

/** Returns the client's names of the tools whose names were shortened, by the shortened name. */
export function findToolNames({ tools }: Json): ReadonlyMap<unknown, unknown> {
  const names = asObjects(tools).map(({ name }) => [toToolName(name), name] as const);
  return new Map(names.filter(([sent, name]) => sent !== name));
}

function toContent(block: Json, names: DocumentNames): Json[] {
  switch (block["type"]) {
    case "text":
      return hasText(block) ? [{ text: block["text"] }] : [];
    case "image":
      return toMedia("image", block, names);
    case "document":
      return toMedia("document", block, names);
    case "tool_use":
      return [
        {
          toolUse: {
            toolUseId: toId(block["id"]),
            name: toToolName(block["name"]),
            input: block["input"] ?? {},
          },
        },
      ];
    case "tool_result":
      return [
        {
          toolResult: defined({
            toolUseId: toId(block["tool_use_id"]),
            content: toBlocks(block["content"]).flatMap((each) => toContent(each, names)),
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

/** Converts an image or a document in base64, or a document as text. Converse does not accept URLs. */
function toMedia(kind: "image" | "document", block: Json, names: DocumentNames): Json[] {
  const { type, media_type, data } = asObject(block["source"]);
  const format = FORMATS[String(media_type)];
  if (type === "text" && kind === "document")
    return [{ document: { format: "txt", name: names.take(block), source: { text: data } } }];
  if (type !== "base64" || format === undefined)
    throw unsupported(`${kind}s other than base64 data of a supported type`);
  const source = { bytes: data };
  return [
    kind === "image"
      ? { image: { format, source } }
      : { document: { format, name: names.take(block), source } },
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

/**
 * Creates names that Converse accepts for the documents of a request: unique, and made of letters, digits, single
 * spaces, hyphens, parentheses and square brackets.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html
 */
class DocumentNames {
  private readonly taken = new Set<string>();

  take({ title }: Json): string {
    const plain = String(title ?? "document")
      .replace(/[^A-Za-z0-9 ()[\]-]+/g, " ")
      .replace(/\s+/g, " ");
    const name = plain.trim().slice(0, 190).trim() || "document";
    let unique = name;
    for (let count = 2; this.taken.has(unique.toLowerCase()); count += 1) unique = `${name} (${count})`;
    this.taken.add(unique.toLowerCase());
    return unique;
  }
}

/**
 * Adds the name of the first document as text to a message that has documents but no text, because Converse rejects
 * such a message.
 */
function withTextForDocuments(content: readonly Json[]): readonly Json[] {
  const { document } = content.find((block) => block["document"] !== undefined) ?? {};
  if (document === undefined || content.some(({ text }) => text !== undefined)) return content;
  return [...content, { text: String(asObject(document)["name"]) }];
}

/** Returns the cache point that follows a block. It has no `ttl`, because Nova models always cache for five minutes. */
function toCachePoint({ cache_control }: Json): Json[] {
  return cache_control === undefined || cache_control === null ? [] : [{ cachePoint: { type: "default" } }];
}

function toBlocks(content: unknown): Json[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : asObjects(content);
}

/** Returns whether a block has text that Converse accepts. Converse rejects text that is only whitespace. */
function hasText({ type, text }: Json): boolean {
  return type === "text" && typeof text === "string" && text.trim() !== "";
}

import { countDocument, countImage, type MediaRule } from "./count-media.ts";
import { countText } from "./count-text.ts";

/** Tokens of each message, and of the whole request, in addition to their content. */
const MESSAGE = 3;
const REQUEST = 3;
/** Members that describe content and are not sent to the model as text. */
const SILENT = new Set([
  "type",
  "id",
  "call_id",
  "tool_call_id",
  "tool_use_id",
  "cache_control",
  "signature",
  "thoughtSignature",
  "encrypted_content",
  "media_type",
  "mimeType",
  "mime_type",
  "detail",
  "status",
]);
/** Top-level members whose content is sent to the model. */
const SPOKEN = [
  "system",
  "instructions",
  "systemInstruction",
  "system_instruction",
  "messages",
  "input",
  "contents",
  "prompt",
  "content",
] as const;
const TOOLS = ["tools", "functions"] as const;
const DEEPEST = 64;

/**
 * Estimates the input tokens of a request in any dialect: text and tool schemas with `countText`, images by their width
 * and height, PDFs by their pages, audio and other media by their length.
 */
export function estimateTokens(body: unknown, rule: MediaRule = "pixels"): number {
  const request = requestIn(body);
  let tokens = REQUEST;
  for (const name of SPOKEN) tokens += countContent(request[name], rule, 0);
  for (const name of ["messages", "input", "contents"]) {
    const turns = request[name];
    if (Array.isArray(turns)) tokens += MESSAGE * turns.length;
  }
  for (const name of TOOLS) {
    const tools = request[name];
    if (Array.isArray(tools)) for (const tool of tools) tokens += countText(JSON.stringify(tool));
  }
  return Math.max(1, Math.round(tokens));
}

/** Returns the request to count, which generative-language clients can wrap in `generateContentRequest`. */
function requestIn(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body !== "object" || body === null) return {};
  const request = body as Readonly<Record<string, unknown>>;
  const { generateContentRequest: wrapped } = request;
  return typeof wrapped === "object" && wrapped !== null ? (wrapped as typeof request) : request;
}

function countContent(value: unknown, rule: MediaRule, depth: number): number {
  if (typeof value === "string")
    return value.startsWith("data:") ? countDataUrl(value, rule) : countText(value);
  if (typeof value === "number" || typeof value === "boolean") return 1;
  if (typeof value !== "object" || value === null || depth > DEEPEST) return 0;
  if (Array.isArray(value))
    return value.reduce((sum: number, each) => sum + countContent(each, rule, depth + 1), 0);
  const media = countMedia(value, rule);
  if (media !== undefined) return media;
  let tokens = 0;
  for (const [name, member] of Object.entries(value)) {
    if (SILENT.has(name) || (name === "role" && typeof member === "string")) continue;
    const isArguments =
      typeof member === "object" && (name === "args" || name === "response" || name === "input");
    tokens +=
      isArguments && !Array.isArray(member)
        ? countText(JSON.stringify(member))
        : countContent(member, rule, depth + 1);
  }
  return tokens;
}

/** Estimates the tokens of `{data, media_type}` and its other spellings; undefined if the value is not media. */
function countMedia(value: object, rule: MediaRule): number | undefined {
  const { data, media_type, mimeType, mime_type } = value as Record<string, unknown>;
  const type = media_type ?? mimeType ?? mime_type;
  if (typeof data !== "string" || typeof type !== "string") return undefined;
  return countBytes(type, data, rule);
}

function countDataUrl(url: string, rule: MediaRule): number {
  const comma = url.indexOf(",");
  return countBytes(url.slice(5, comma).split(";", 1)[0] ?? "", url.slice(comma + 1), rule);
}

function countBytes(type: string, data: string, rule: MediaRule): number {
  if (type.startsWith("image/")) return countImage(data, rule);
  if (type === "application/pdf") return countDocument(data, rule);
  if (type.startsWith("text/")) return countText(data);
  // Audio: Google counts 32 tokens per second, and a second of speech usually takes 16 kB.
  return Math.round((data.length * 0.75 * 32) / 16_000);
}

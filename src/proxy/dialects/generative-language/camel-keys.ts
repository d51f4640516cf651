import { isObject, RawJson } from "../../exchange/json.ts";

/**
 * Members whose value is an object of the dialect or a list of such objects. Other members are not searched: they can
 * be schemas or tool arguments, in which the client chose the names.
 */
const own = new Set([
  "candidates",
  "citationMetadata",
  "citationSources",
  "citations",
  "content",
  "contents",
  "fileData",
  "functionCall",
  "functionCallingConfig",
  "functionDeclarations",
  "functionResponse",
  "generationConfig",
  "groundingChunks",
  "groundingMetadata",
  "groundingSupports",
  "inlineData",
  "logprobsResult",
  "maps",
  "partialArgs",
  "parts",
  "promptFeedback",
  "retrievedContext",
  "segment",
  "systemInstruction",
  "thinkingConfig",
  "toolConfig",
  "tools",
  "urlContextMetadata",
  "usageMetadata",
  "web",
]);

/**
 * Renames the dialect's snake_case members to camelCase: the vendor accepts both, as protobuf's JSON mapping requires
 * (https://protobuf.dev/programming-guides/json/). Returns the same value if it has no snake_case members.
 */
export function camelKeys(value: unknown): unknown {
  return hasSnake(value) ? renamed(value) : value;
}

function hasSnake(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasSnake);
  if (!isObject(value) || value instanceof RawJson) return false;
  for (const key in value) {
    if (isSnake(key) || (own.has(key) && hasSnake(value[key]))) return true;
  }
  return false;
}

function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (!isObject(value) || value instanceof RawJson) return value;
  const members: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const name = isSnake(key) ? camel(key) : key;
    members[name] = own.has(name) ? renamed(member) : member;
  }
  return members;
}

function isSnake(key: string): boolean {
  return key.indexOf("_") > 0;
}

function camel(key: string): string {
  return key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

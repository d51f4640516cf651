import { isObject, RawJson } from "../../exchange/json.ts";

/**
 * Members that hold objects of the dialect's own, or lists of them. What other members hold may be a schema or a
 * tool's arguments, whose names are the client's.
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
 * The vendor's JSON takes every member in camelCase and in snake_case (protobuf's JSON mapping,
 * https://protobuf.dev/programming-guides/json/): all of the dialect's own as camelCase, the value itself where it was.
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

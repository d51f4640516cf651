import { isObject } from "../../exchange/json.ts";
import type { CacheHint } from "../../exchange/parts.ts";

/**
 * Parses the member `cache_control` of the messages dialect, which OpenRouter and LiteLLM accept in chat-completions
 * too. Returns undefined if its type is not `ephemeral`.
 */
export function decodeCacheControl(value: unknown): CacheHint | undefined {
  if (!isObject(value) || value["type"] !== "ephemeral") return undefined;
  const ttl = value["ttl"];
  return ttl === "5m" || ttl === "1h" ? { ttl } : {};
}

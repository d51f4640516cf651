import { isObject } from "../../exchange/json.ts";
import type { CacheHint } from "../../exchange/parts.ts";

/** The messages dialect's `cache_control`, which OpenRouter and LiteLLM take in chat-completions too. */
export function decodeCacheControl(value: unknown): CacheHint | undefined {
  if (!isObject(value) || value["type"] !== "ephemeral") return undefined;
  const ttl = value["ttl"];
  return ttl === "5m" || ttl === "1h" ? { ttl } : {};
}

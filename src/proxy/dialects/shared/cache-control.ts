import { isObject } from "../../exchange/json.ts";
import type { CacheHint } from "../../exchange/parts.ts";

/** Parses `cache_control` of the messages dialect, which OpenRouter and LiteLLM also accept in chat-completions. */
export function decodeCacheControl(value: unknown): CacheHint | undefined {
  if (!isObject(value) || value["type"] !== "ephemeral") return undefined;
  const ttl = value["ttl"];
  return ttl === "5m" || ttl === "1h" ? { ttl } : {};
}

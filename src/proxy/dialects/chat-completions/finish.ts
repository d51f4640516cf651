import type { Finish } from "../../exchange/response.ts";

/**
 * Converts `finish_reason`. A regular end becomes `tool-calls`, `refusal` or `stop` depending on the parts in `seen`,
 * because some upstreams send `stop` after a tool call, or `tool_calls` without a tool call.
 */
export function decodeFinish(
  raw: string | null | undefined,
  seen: { calls: boolean; refusal: boolean },
): Finish {
  const unified = ((): Finish["unified"] => {
    switch (raw) {
      case "length":
      // Gateways pass through the reasons of other vendors.
      case "max_tokens":
      case "MAX_TOKENS":
        return "length";
      case "content_filter":
        return "content-filter";
      case "end_turn":
      case "STOP":
      // Reasons of Snowflake, Together and TGI.
      case "":
      case "eos":
      case "eos_token":
      case "tool_use":
      case "stop":
      case "tool_calls":
      case "function_call":
        return seen.calls ? "tool-calls" : seen.refusal ? "refusal" : "stop";
      case "error":
        return "error";
      default:
        return "other";
    }
  })();
  return typeof raw === "string" ? { unified, raw } : { unified };
}

/** Encodes `finish_reason`. A refusal becomes `stop` if the response has its text, otherwise `content_filter`. */
export function encodeFinish(finish: Finish, seen: { calls: boolean; refusal: boolean }): string {
  switch (finish.unified) {
    case "length":
    case "context-overflow":
    case "pause":
      return "length";
    case "content-filter":
      return "content_filter";
    case "refusal":
      return seen.refusal ? "stop" : "content_filter";
    default:
      return seen.calls ? "tool_calls" : "stop";
  }
}

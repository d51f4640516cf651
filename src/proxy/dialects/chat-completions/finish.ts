import type { Finish } from "../../exchange/response.ts";

/**
 * What `finish_reason` means. A cut-off answer stays cut off whatever it was doing; upstreams that say `stop` after a
 * call meant the call, and those that say `tool_calls` without one did not.
 */
export function decodeFinish(
  raw: string | null | undefined,
  seen: { calls: boolean; refusal: boolean },
): Finish {
  const unified = ((): Finish["unified"] => {
    switch (raw) {
      case "length":
      // Gateways hand on other vendors' words.
      case "max_tokens":
      case "MAX_TOKENS":
        return "length";
      case "content_filter":
        return "content-filter";
      case "end_turn":
      case "STOP":
      // Snowflake, Together and TGI.
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

/** `finish_reason` for a client. A refusal that came as words of its own ends like any answer. */
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

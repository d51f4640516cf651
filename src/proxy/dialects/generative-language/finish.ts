import { ownMember } from "../../exchange/json.ts";
import type { Finish } from "../../exchange/response.ts";

/** Unified finish reasons by the vendor's reason (https://ai.google.dev/api/generate-content#FinishReason). */
const reasons: Readonly<Record<string, Finish["unified"]>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: "content-filter",
  RECITATION: "content-filter",
  BLOCKLIST: "content-filter",
  PROHIBITED_CONTENT: "content-filter",
  SPII: "content-filter",
  IMAGE_SAFETY: "content-filter",
  IMAGE_PROHIBITED_CONTENT: "content-filter",
  IMAGE_RECITATION: "content-filter",
  MODEL_ARMOR: "content-filter",
  LANGUAGE: "content-filter",
  MALFORMED_FUNCTION_CALL: "error",
  UNEXPECTED_TOOL_CALL: "error",
  TOO_MANY_TOOL_CALLS: "error",
  MALFORMED_RESPONSE: "error",
  MISSING_THOUGHT_SIGNATURE: "error",
};

/**
 * Converts a finish reason. `STOP` becomes `tool-calls` if the response has a tool call. An unknown or
 * nonspecific reason (`OTHER`, `NO_IMAGE`, `IMAGE_OTHER`) becomes an error if the response has no content, because a
 * normal finish would hide the failure.
 */
export function decodeFinish(
  raw: string,
  seen: { readonly called: boolean; readonly hasContent: boolean },
  message: string | null | undefined,
): Finish {
  const known = ownMember(reasons, raw);
  const unified = known ?? (seen.hasContent ? "other" : "error");
  return {
    unified: unified === "stop" && seen.called ? "tool-calls" : unified,
    raw,
    ...(typeof message === "string" ? { message } : {}),
  };
}

/** Encodes a finish reason. A reason of this vendor that `reasons` contains stays unchanged. */
export function encodeFinish(finish: Finish): string {
  if (finish.raw !== undefined && isOwn(finish)) return finish.raw;
  switch (finish.unified) {
    case "length":
    case "context-overflow":
    case "pause":
      return "MAX_TOKENS";
    case "content-filter":
    case "refusal":
      return "SAFETY";
    case "error":
    case "other":
      return "OTHER";
    default:
      return "STOP";
  }
}

function isOwn(finish: Finish): boolean {
  const meaning = ownMember(reasons, finish.raw ?? "");
  return meaning === finish.unified || (meaning === "stop" && finish.unified === "tool-calls");
}

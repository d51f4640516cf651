import { ownMember } from "../../exchange/own-member.ts";
import type { Finish } from "../../exchange/response.ts";

/** What the vendor's reasons mean (https://ai.google.dev/api/generate-content#FinishReason). */
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
  MALFORMED_FUNCTION_CALL: "error",
  UNEXPECTED_TOOL_CALL: "error",
  TOO_MANY_TOOL_CALLS: "error",
  MALFORMED_RESPONSE: "error",
  MISSING_THOUGHT_SIGNATURE: "error",
};

/** The vendor says STOP also where the model made a call. */
export function decodeFinish(raw: string, called: boolean, message: string | null | undefined): Finish {
  const unified = ownMember(reasons, raw) ?? "other";
  return {
    unified: unified === "stop" && called ? "tool-calls" : unified,
    raw,
    ...(typeof message === "string" ? { message } : {}),
  };
}

/** The reason this dialect's clients know; one of the vendor's own is told as it was. */
export function encodeFinish(finish: Finish): string {
  if (finish.raw !== undefined && isOwn(finish)) return finish.raw;
  switch (finish.unified) {
    case "length":
    case "context-overflow":
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

import { defined } from "../../exchange/defined.ts";
import { ownMember } from "../../exchange/json.ts";
import type { Finish } from "../../exchange/response.ts";

const unified: Readonly<Record<string, Finish["unified"]>> = {
  end_turn: "stop",
  stop_sequence: "stop-sequence",
  max_tokens: "length",
  tool_use: "tool-calls",
  pause_turn: "pause",
  refusal: "refusal",
  model_context_window_exceeded: "context-overflow",
  // Amazon Bedrock's reasons (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html).
  malformed_model_output: "error",
  malformed_tool_use: "error",
};

/** Converts `stop_reason`, `stop_sequence` and the explanation of a refusal. */
export function decodeFinish(
  raw: string | null | undefined,
  stopSequence: string | null | undefined,
  explanation: string | null | undefined,
): Finish {
  return defined({
    unified: ownMember(unified, raw ?? "") ?? "other",
    raw: raw ?? undefined,
    stopSequence: stopSequence ?? undefined,
    message: explanation ?? undefined,
  });
}

export interface EncodedFinish {
  readonly stop_reason: string;
  readonly stop_sequence: string | null;
  readonly stop_details?: unknown;
}

/**
 * Encodes the finish reason as `stop_reason` and its details. `seen` contains whether the response has tool calls and
 * whether it has a refusal.
 */
export function encodeFinish(finish: Finish, seen: { calls: boolean; refusal: boolean }): EncodedFinish {
  const reason = ((): string => {
    switch (finish.unified) {
      case "length":
        return "max_tokens";
      case "context-overflow":
        return "model_context_window_exceeded";
      case "content-filter":
      case "refusal":
        return "refusal";
      case "pause":
        return "pause_turn";
      case "stop-sequence":
        return "stop_sequence";
      default:
        return seen.calls ? "tool_use" : seen.refusal ? "refusal" : "end_turn";
    }
  })();
  const members = { stop_reason: reason, stop_sequence: finish.stopSequence ?? null };
  if (reason !== "refusal" || finish.message === undefined) return members;
  return { ...members, stop_details: { type: "refusal", category: null, explanation: finish.message } };
}

import { defined } from "../../exchange/defined.ts";
import type { Converted } from "../../exchange/loss.ts";
import type { Candidate, ExchangeResponse, Finish, Usage } from "../../exchange/response.ts";
import { fromInclusiveCounts } from "../../exchange/usage.ts";
import { parseResponsePiece } from "../shared/parse.ts";
import { responseSchema, type WireResponse } from "./schema.ts";

/** Parses a complete response body. Throws `DialectError` if it is invalid. */
export function decodeResponse(body: unknown): Converted<ExchangeResponse> {
  const wire = parseResponsePiece(responseSchema, body, "completion");
  const value = defined({
    ...decodeIdentity(wire),
    candidates: (wire.choices ?? []).map(
      (choice): Candidate => ({
        parts: choice.text ? [{ type: "text", text: choice.text }] : [],
        finish: decodeFinish(choice.finish_reason),
      }),
    ),
    usage: decodeUsage(wire),
  });
  return { value, losses: [] };
}

/** Returns the id, model and creation time of a response, without those that the upstream omitted. */
export function decodeIdentity(wire: WireResponse) {
  return defined({
    id: wire.id || undefined,
    model: wire.model || undefined,
    created: wire.created || undefined,
  });
}

/** Converts `finish_reason`. An unknown or absent reason becomes `other`. */
export function decodeFinish(raw: string | null | undefined): Finish {
  const unified =
    raw === "length"
      ? "length"
      : raw === "content_filter"
        ? "content-filter"
        : raw === "stop"
          ? "stop"
          : "other";
  return typeof raw === "string" ? { unified, raw } : { unified };
}

/** Converts the token counts; returns undefined if there are none. */
export function decodeUsage(wire: WireResponse): Usage | undefined {
  if (!wire.usage) return undefined;
  return fromInclusiveCounts({
    input: wire.usage.prompt_tokens,
    output: wire.usage.completion_tokens,
    raw: wire.usage,
  });
}

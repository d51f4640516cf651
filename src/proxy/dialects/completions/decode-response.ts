import { defined } from "../../exchange/defined.ts";
import type { Converted } from "../../exchange/loss.ts";
import type { Candidate, ExchangeResponse, Finish, Usage } from "../../exchange/response.ts";
import { usageOfInclusive } from "../../exchange/usage.ts";
import { parseResponsePiece } from "../shared/parse.ts";
import { responseSchema, type WireResponse } from "./schema.ts";

/** Reads a whole answer. Throws `DialectError` where it is none. */
export function decodeResponse(body: unknown): Converted<ExchangeResponse> {
  const wire = parseResponsePiece(responseSchema, body, "completion");
  const value = defined({
    ...identityOf(wire),
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

/** Who answered, as far as the upstream says it. */
export function identityOf(wire: WireResponse) {
  return defined({
    id: wire.id || undefined,
    model: wire.model || undefined,
    created: wire.created || undefined,
  });
}

/** `finish_reason`. */
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

/** Counts, where there are any. */
export function decodeUsage(wire: WireResponse): Usage | undefined {
  if (!wire.usage) return undefined;
  return usageOfInclusive({
    input: wire.usage.prompt_tokens,
    output: wire.usage.completion_tokens,
    raw: wire.usage,
  });
}

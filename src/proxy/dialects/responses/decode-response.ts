import { DialectError, invalidResponse } from "../../exchange/dialect-error.ts";
import { isObject } from "../../exchange/json.ts";
import type { Converted } from "../../exchange/loss.ts";
import type { Part } from "../../exchange/parts.ts";
import type { ExchangeResponse, Finish, Usage } from "../../exchange/response.ts";
import { usageOfInclusive } from "../../exchange/usage.ts";
import { parseResponsePiece } from "../shared/parse.ts";
import { withoutNullish } from "../shared/without-nullish.ts";
import { decodeItem } from "./decode-items.ts";
import { errorOfResponse } from "./errors.ts";
import { responseSchema, type WireResponse } from "./schema.ts";

/** Reads a whole answer. A response that failed is thrown as what it failed of. */
export function decodeResponse(body: unknown): Converted<ExchangeResponse> {
  const wire = parseResponsePiece(responseSchema, body, "response");
  if (wire.status === "failed" || wire.status === "cancelled" || (wire.error && !wire.output)) {
    throw new DialectError(errorOfResponse(wire));
  }
  if (!wire.output) throw invalidResponse("The upstream's response has no `output`.", body);
  const parts = wire.output.flatMap((item, itemIndex) => decodeOutputItem(item, itemIndex));
  const value: ExchangeResponse = {
    ...identityOf(wire),
    candidates: [{ parts, finish: finishOf(wire, parts) }],
    ...withoutNullish({ usage: decodeUsage(wire) }),
  };
  return { value, losses: [] };
}

/** The parts of one output item; a fault in it is the upstream's, not the client's. */
export function decodeOutputItem(item: unknown, itemIndex: number): readonly Part[] {
  try {
    return decodeItem(item, `output[${itemIndex}]`).parts;
  } catch (error) {
    if (error instanceof DialectError) throw invalidResponse(error.message, item);
    throw error;
  }
}

/** The parts of one output item by their place in it: a message's empty texts are none, and keep their place. */
export function decodeIndexedParts(
  item: unknown,
  itemIndex: number,
): readonly (readonly [index: number, part: Part])[] {
  const content = isObject(item) && item["type"] === "message" ? item["content"] : undefined;
  if (!Array.isArray(content)) return [...decodeOutputItem(item, itemIndex).entries()];
  return content.flatMap((entry: unknown, index) =>
    decodeOutputItem({ ...(isObject(item) ? item : {}), content: [entry] }, itemIndex).map(
      (part) => [index, part] as const,
    ),
  );
}

/** What a response says of itself, as an exchange names it. */
export function identityOf(wire: WireResponse) {
  return withoutNullish({ id: wire.id, model: wire.model, created: wire.created_at });
}

/** Why the response ended. Length beats a call; a refusal beats a plain stop. */
export function finishOf(wire: WireResponse, parts: readonly Pick<Part, "type">[]): Finish {
  const reason = wire.incomplete_details?.reason ?? undefined;
  if (wire.status === "incomplete") {
    const raw = reason ?? "incomplete";
    if (reason === "content_filter") return { unified: "content-filter", raw };
    return { unified: reason === "max_tool_calls" ? "other" : "length", raw };
  }
  const raw = wire.status ?? "completed";
  if (parts.some((part) => part.type === "tool-call")) return { unified: "tool-calls", raw };
  return { unified: parts.some((part) => part.type === "refusal") ? "refusal" : "stop", raw };
}

/** Token counts: cached ones are inside the input, reasoning inside the output. */
export function decodeUsage(wire: WireResponse): Usage | undefined {
  const usage = wire.usage;
  if (!usage) return undefined;
  const counts = usageOfInclusive({
    input: usage.input_tokens,
    cacheRead: usage.input_tokens_details?.cached_tokens,
    // A 0 is what those say who do not know: the member is required.
    cacheWrite: usage.input_tokens_details?.cache_write_tokens || undefined,
    output: usage.output_tokens,
    reasoning: usage.output_tokens_details?.reasoning_tokens,
    total: usage.total_tokens,
    raw: usage,
  });
  return wire.service_tier ? { ...counts, serviceTier: wire.service_tier } : counts;
}

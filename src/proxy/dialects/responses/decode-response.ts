import { DialectError, invalidResponse } from "../../exchange/dialect-error.ts";
import { isObject } from "../../exchange/json.ts";
import type { Converted } from "../../exchange/loss.ts";
import type { Part } from "../../exchange/parts.ts";
import type { ExchangeResponse, Finish, Usage } from "../../exchange/response.ts";
import { finishSteps, isPauseDue, type Steps } from "../../exchange/steps.ts";
import { fromInclusiveCounts } from "../../exchange/usage.ts";
import { decodeResponsePart, parseResponseInSteps, parseResponsePiece } from "../shared/parse.ts";
import { withoutNullish } from "../shared/without-nullish.ts";
import { decodeItem } from "./decode-items.ts";
import { decodeResponseError } from "./errors.ts";
import { responseSchema, type WireResponse } from "./schema.ts";

/**
 * Parses a complete response body. Throws `DialectError` if the body is invalid, or if the response has failed, was
 * canceled, or is still running and has no output.
 */
export function* decodeResponse(body: unknown, isLarge: boolean): Steps<Converted<ExchangeResponse>> {
  const wire = isLarge
    ? yield* parseResponseInSteps(responseSchema, body, "response")
    : parseResponsePiece(responseSchema, body, "response");
  if (wire.status === "failed" || wire.status === "cancelled" || (wire.error && !wire.output)) {
    throw new DialectError(decodeResponseError(wire));
  }
  if (!wire.output) throw invalidResponse("The upstream's response has no `output`.", body);
  const isRunning = wire.status === "queued" || wire.status === "in_progress";
  if (isRunning && wire.output.length === 0)
    throw invalidResponse(`The upstream's response is not complete: its status is ${wire.status}.`, body);
  const parts: Part[] = [];
  for (const [itemIndex, item] of wire.output.entries()) {
    if (isPauseDue()) yield;
    for (const part of yield* decodeOutputInSteps(item, itemIndex)) parts.push(part);
  }
  const value: ExchangeResponse = {
    ...decodeIdentity(wire),
    candidates: [{ parts, finish: decodeFinish(wire, parts) }],
    ...withoutNullish({ usage: decodeUsage(wire) }),
  };
  return { value, losses: [] };
}

/** Converts an output item to parts. Throws `DialectError` (502) if it is invalid. */
function decodeOutputItem(item: unknown, itemIndex: number): readonly Part[] {
  return finishSteps(decodeOutputInSteps(item, itemIndex));
}

function* decodeOutputInSteps(item: unknown, itemIndex: number): Steps<readonly Part[]> {
  return (yield* decodeResponsePart(decodeItem(withRole(item), `output[${itemIndex}]`), item)).parts;
}

/** Adds the role `assistant` to a message without a role, which some servers send. */
function withRole(item: unknown): unknown {
  const isMessage = isObject(item) && (item["type"] ?? "message") === "message";
  return isMessage && item["role"] == null ? { ...item, role: "assistant" } : item;
}

/**
 * Converts an output item to parts with their content index. Empty text of a message yields no part but counts toward
 * the index.
 */
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

/** Returns the id, model and creation time of a response, without those that the upstream omitted. */
export function decodeIdentity(wire: WireResponse) {
  return withoutNullish({ id: wire.id, model: wire.model, created: wire.created_at });
}

/**
 * Returns the finish reason. A cut-off response takes precedence over a tool call, and a tool call over a refusal.
 */
export function decodeFinish(wire: WireResponse, parts: readonly Pick<Part, "type">[]): Finish {
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

/** Converts the token counts. The input count includes cached tokens, and the output count includes reasoning. */
export function decodeUsage(wire: WireResponse): Usage | undefined {
  const usage = wire.usage;
  if (!usage) return undefined;
  const counts = fromInclusiveCounts({
    input: usage.input_tokens,
    cacheRead: usage.input_tokens_details?.cached_tokens,
    // The dialect requires the member, so upstreams without this count send 0.
    cacheWrite: usage.input_tokens_details?.cache_write_tokens || undefined,
    output: usage.output_tokens,
    reasoning: usage.output_tokens_details?.reasoning_tokens,
    total: usage.total_tokens,
    raw: usage,
  });
  return wire.service_tier ? { ...counts, serviceTier: wire.service_tier } : counts;
}

import { getUpstreamProfile } from "../../dialects/index.ts";
import { invalidRequest } from "../../exchange/dialect-error.ts";
import { isObject } from "../../exchange/json.ts";
import type { Part, UpstreamDialect } from "../../exchange/parts.ts";
import type { Turn } from "../../exchange/request.ts";

const TRIGGER = "compaction_trigger";

/**
 * Throws `DialectError` (400) if a call requests a compaction from an upstream of a dialect other than responses. Codex
 * appends an item of type `compaction_trigger` to a long conversation and expects only an encrypted item in response. A
 * text response would end the session of Codex without an error.
 */
export function refuseCompaction(turns: readonly Turn[], upstream: UpstreamDialect): void {
  const { compactsConversations } = getUpstreamProfile(upstream);
  if (compactsConversations || !turns.some(({ parts }) => parts.some(isTrigger))) return;
  throw invalidRequest(
    "Cannot compact the conversation: the fallback upstream is not of the responses dialect. Send the request again.",
    "input",
  );
}

/** Matches the name of the member `type` and the whitespace before its value. */
const TYPE = /"type"\s*:\s*$/;
/** Maximum bytes before a value that are searched for the name of its member. */
const MAX_NAME = 64;

/**
 * Returns whether a call of the responses dialect requests a compaction, by its route or by an item of type
 * `compaction_trigger`. The quoted name and type cannot occur within a string, where quotes are escaped.
 */
export function asksToCompact(operation: string, body: unknown): boolean {
  if (operation === "compact") return true;
  if (!Buffer.isBuffer(body)) return false;
  const value = `"${TRIGGER}"`;
  for (let at = body.indexOf(value); at >= 0; at = body.indexOf(value, at + 1))
    if (TYPE.test(body.toString("latin1", Math.max(0, at - MAX_NAME), at))) return true;
  return false;
}

/** Returns a request without the item that requests a compaction; undefined if the request has no such item. */
export function withoutTrigger(body: unknown): Readonly<Record<string, unknown>> | undefined {
  const input = isObject(body) ? body["input"] : undefined;
  if (!isObject(body) || !Array.isArray(input)) return undefined;
  const items = input.filter((item) => !isObject(item) || item["type"] !== TRIGGER);
  return items.length === input.length ? undefined : { ...body, input: items };
}

function isTrigger(part: Part): boolean {
  if (part.type !== "unknown") return false;
  const { raw } = part.origin;
  return isObject(raw) && raw["type"] === TRIGGER;
}

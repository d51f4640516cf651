import { getUpstreamProfile } from "../../dialects/index.ts";
import { invalidRequest } from "../../exchange/dialect-error.ts";
import { isObject } from "../../exchange/json.ts";
import type { Part, UpstreamDialect } from "../../exchange/parts.ts";
import type { Turn } from "../../exchange/request.ts";

const TRIGGER = "compaction_trigger";

/**
 * Throws `DialectError` (400) where a call asks an upstream of another dialect to compact the conversation: Codex ends one
 * that has grown too long with an item of type `compaction_trigger` and wants nothing but a sealed one back. An answer in
 * words would end its session without saying why.
 */
export function refuseCompaction(turns: readonly Turn[], upstream: UpstreamDialect): void {
  const { compactsConversations } = getUpstreamProfile(upstream);
  if (compactsConversations || !turns.some(({ parts }) => parts.some(isTrigger))) return;
  throw invalidRequest(
    "Only an upstream of the responses dialect can compact a conversation. Codex makes a summary of its own instead where `sallyport proxy connect codex` has set it up.",
    "input",
  );
}

/**
 * Whether this call, at an upstream of the responses dialect, asks for a compacted conversation: by the route for it, or by
 * the item, whose name stands in texts with its quotes escaped.
 */
export function asksToCompact(operation: string, body: unknown): boolean {
  return operation === "compact" || (Buffer.isBuffer(body) && body.includes(`"${TRIGGER}"`));
}

function isTrigger(part: Part): boolean {
  if (part.type !== "unknown") return false;
  const { raw } = part.origin;
  return isObject(raw) && raw["type"] === TRIGGER;
}

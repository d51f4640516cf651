import { getProfile } from "../../dialects/index.ts";
import { getPartsAt, parseItemId } from "../../dialects/responses/output-items.ts";
import { invalidRequest } from "../../exchange/dialect-error.ts";
import { isObject } from "../../exchange/json.ts";
import type { Part } from "../../exchange/parts.ts";
import type { Turn } from "../../exchange/request.ts";
import { attachSignatures } from "../../exchange/signature.ts";
import type { ConversationStore } from "./conversation-store.ts";

/** Returns whether any turn contains an `item_reference`. */
export function hasReferencedItems(turns: readonly Turn[]): boolean {
  return turns.some((turn) => turn.parts.some((part) => referenceIn(part) !== undefined));
}

/**
 * Replaces each `item_reference` of the responses dialect with the item to which it refers. Several clients send ids
 * instead of the items that they received, including tool calls and reasoning. Throws `DialectError` (400) if an item
 * is not found.
 */
export async function withReferencedItems(
  turns: readonly Turn[],
  store: ConversationStore | undefined,
): Promise<readonly Turn[]> {
  if (!hasReferencedItems(turns)) return turns;
  return Promise.all(
    turns.map(async (turn) => {
      const parts = (await Promise.all(turn.parts.map((part) => resolve(part, store)))).flat();
      return { ...turn, parts: attachSignatures(parts) };
    }),
  );
}

function referenceIn(part: Part): string | undefined {
  if (part.type !== "unknown" || !getProfile(part.origin.dialect).storesResponses) return undefined;
  const { raw } = part.origin;
  return isObject(raw) && raw["type"] === "item_reference" && typeof raw["id"] === "string"
    ? raw["id"]
    : undefined;
}

async function resolve(part: Part, store: ConversationStore | undefined): Promise<readonly Part[]> {
  const id = referenceIn(part);
  if (id === undefined) return [part];
  const named = parseItemId(id);
  const kept = named === undefined ? undefined : await store?.load(named.responseId);
  const found = getPartsAt(kept?.turns.at(-1)?.parts ?? [], named?.position ?? 0);
  if (found.length > 0) return found;
  throw invalidRequest(
    `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false.`,
    "input",
  );
}

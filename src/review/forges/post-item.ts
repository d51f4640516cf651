import { AppError } from "../../errors.ts";
import type { OutgoingItem, PostResult } from "./forge.ts";

export type RejectedItem = PostResult["rejected"][number];
export type StateChange = Extract<OutgoingItem, { kind: "resolve" | "reopen" }>;

/**
 * Posts one item with `send`. If the forge rejects it, adds it to `rejected`, so that the other items are still posted.
 * Returns whether it was posted. Throws every other error.
 */
export async function postItem(
  item: OutgoingItem,
  rejected: RejectedItem[],
  send: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await send();
    return true;
  } catch (error) {
    if (!(error instanceof AppError) || !isRejection(error, item)) throw error;
    rejected.push({ item, reason: error.message });
    return false;
  }
}

/** Reports whether an error concerns one item only. A forbidden text forbids the whole review. */
function isRejection({ code }: AppError, item: OutgoingItem): boolean {
  if (code === "forge_rejected" || code === "forge_not_found") return true;
  return code === "forge_forbidden" && isStateChange(item);
}

/** Reports whether an item resolves or reopens a thread. */
export function isStateChange(item: OutgoingItem): item is StateChange {
  return item.kind === "resolve" || item.kind === "reopen";
}

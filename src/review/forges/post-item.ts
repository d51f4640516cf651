import { AppError } from "../../errors.ts";
import type { OutgoingItem, OutgoingReview, RejectedItem } from "./forge.ts";

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

/**
 * Sends the verdict of a review whose texts are posted. If the forge rejects it, adds it to `rejected`: the
 * texts stay posted. Throws every other error, and also the rejection if the review has no other content.
 */
export async function postVerdict(
  { items }: OutgoingReview,
  rejected: RejectedItem[],
  send: () => Promise<unknown>,
): Promise<void> {
  const item = items.find((each) => each.kind === "verdict");
  const isAlone = items.length === 1 && item?.body === "";
  try {
    await send();
  } catch (error) {
    const isRejected = error instanceof AppError && VERDICT_REJECTIONS.includes(error.code);
    if (!isRejected || !item || isAlone) throw error;
    const isTextPosted = item.body !== "" && !rejected.some((each) => each.item === item);
    rejected.push({ item, reason: error.message, isTextPosted });
  }
}

const VERDICT_REJECTIONS: readonly string[] = ["forge_rejected", "forge_forbidden", "forge_not_found"];

/**
 * Reports whether an error concerns one item only. If the forge forbids a text, it forbids the whole review.
 */
function isRejection({ code }: AppError, item: OutgoingItem): boolean {
  if (code === "forge_rejected" || code === "forge_not_found") return true;
  return code === "forge_forbidden" && isStateChange(item);
}

/** Reports whether an item resolves or reopens a thread. */
export function isStateChange(item: OutgoingItem): item is StateChange {
  return item.kind === "resolve" || item.kind === "reopen";
}

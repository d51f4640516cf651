import type { Attempt, OutgoingItem, OutgoingReview, PostResult, RejectedItem } from "./forge.ts";
import { createMultiset } from "./multiset.ts";
import { isStateChange, postItem, postVerdict, type StateChange } from "./post-item.ts";

/** The calls of a forge that publishes comments one by one and has votes instead of verdicts. */
export interface EachForge {
  /** Returns the person's comments at the forge, or all comments if the account is unknown. */
  list(): Promise<readonly { readonly id: string; readonly body: string }[]>;
  /** Publishes an item with text. */
  create(item: Exclude<OutgoingItem, StateChange>): Promise<void>;
  /** Resolves or reopens a thread. Repeating it has no effect. */
  changeState(item: StateChange): Promise<void>;
  /** Sets the person's vote. Repeating it has no effect. */
  vote(verdict: OutgoingReview["verdict"]): Promise<void>;
}

/**
 * Posts a review item by item. The first attempt records the comments that exist before it. A later attempt
 * finds, by their text, the comments that were published since, and does not publish them again.
 */
export async function postEach(
  forge: EachForge,
  review: OutgoingReview,
  attempt: Attempt,
): Promise<PostResult> {
  const published = createMultiset(await publishedTexts(forge, attempt));
  const rejected: RejectedItem[] = [];
  for (const item of review.items) {
    if (isStateChange(item)) await postItem(item, rejected, () => forge.changeState(item));
    else if (item.body.trim() !== "" && !published.take(item.body.trim()))
      await postItem(item, rejected, () => forge.create(item));
  }
  if (review.verdict !== "comment") await postVerdict(review, rejected, () => forge.vote(review.verdict));
  return { url: review.pull.url, rejected };
}

/** Returns the items with text that an interrupted attempt has published. */
export async function settleEach(
  forge: EachForge,
  { items }: OutgoingReview,
  attempt: Attempt,
): Promise<readonly OutgoingItem[]> {
  if (attempt.get("known") === undefined) return [];
  const published = createMultiset(await publishedTexts(forge, attempt));
  return items.filter((item) => "body" in item && published.take(item.body.trim()));
}

async function publishedTexts(forge: EachForge, attempt: Attempt): Promise<string[]> {
  const comments = await forge.list();
  const known = attempt.get("known");
  if (known !== undefined)
    return comments.filter(({ id }) => !known.includes(id)).map(({ body }) => body.trim());
  await attempt.record(
    "known",
    comments.map(({ id }) => id),
  );
  return [];
}

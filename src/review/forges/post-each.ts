import { AppError } from "../../errors.ts";
import type { Attempt, OutgoingItem, OutgoingReview, PostResult } from "./forge.ts";
import { createMultiset } from "./multiset.ts";

type StateChange = Extract<OutgoingItem, { kind: "resolve" | "reopen" }>;

/** A forge without reviews: comments are published one by one, and the verdict is a vote. */
export interface EachForge {
  /** Returns the comments at the forge that the person may have written. */
  list(): Promise<readonly { readonly id: string; readonly body: string }[]>;
  /** Publishes an item with text. */
  create(item: Exclude<OutgoingItem, StateChange>): Promise<void>;
  /** Resolves or reopens a thread. Repeating it has no effect. */
  changeState(item: StateChange): Promise<void>;
  /** Gives the verdict. Repeating it has no effect. */
  vote(verdict: OutgoingReview["verdict"]): Promise<void>;
}

/**
 * Posts a review item by item. The first try records the comments that exist before it; a later one recognizes what was
 * published since by its text, and does not publish it again.
 */
export async function postEach(
  forge: EachForge,
  review: OutgoingReview,
  attempt: Attempt,
): Promise<PostResult> {
  const published = createMultiset(await publishedTexts(forge, attempt));
  const rejected: PostResult["rejected"][number][] = [];
  for (const item of review.items) {
    try {
      if (isStateChange(item)) await forge.changeState(item);
      else if (item.body.trim() !== "" && !published.take(item.body.trim())) await forge.create(item);
    } catch (error) {
      const isRejected =
        error instanceof AppError &&
        (error.code === "forge_rejected" ||
          error.code === "forge_not_found" ||
          (error.code === "forge_forbidden" && !("body" in item)));
      if (!isRejected) throw error;
      rejected.push({ item, reason: error.message });
    }
  }
  if (review.verdict !== "comment") await forge.vote(review.verdict);
  return { url: review.pull.url, rejected };
}

/** Returns the items that an interrupted attempt has published. */
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

function isStateChange(item: OutgoingItem): item is StateChange {
  return item.kind === "resolve" || item.kind === "reopen";
}

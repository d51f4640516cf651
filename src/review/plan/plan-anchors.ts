import { AppError } from "../../errors.ts";
import { findQuote, followRange, quoteContext } from "../live/follow-quote.ts";
import type { ThreadAnchors } from "../live/thread-anchors.ts";
import type { ThreadStore } from "../live/thread-store.ts";
import type { PlanReview } from "./plan-review.ts";

/** Returns the anchors of a plan: ranges of its Markdown source, and the review as a whole. */
export function createPlanAnchors(review: PlanReview): ThreadAnchors {
  return {
    async locate(anchor) {
      if (anchor.kind === "review") return { anchor };
      if (anchor.kind !== "plan")
        throw new AppError("validation", `anchor: a plan has no anchors of the kind "${anchor.kind}"`);
      const { plan } = review;
      const { start, end } = anchor;
      if (end > plan.length)
        throw new AppError("validation", `anchor: the plan has ${plan.length} characters, and end is ${end}`);
      return {
        anchor: { kind: "plan", start, end, quote: plan.slice(start, end) },
        context: quoteContext(plan, anchor),
      };
    },
  };
}

/** Returns a function that finds anchors again in `after`; `before` is the text that they refer to, if it is known. */
export function followPlan(before: string | undefined, after: string): Parameters<ThreadStore["follow"]>[0] {
  return async ({ anchor, outdated }, context) => {
    if (anchor.kind !== "plan") return { anchor, outdated };
    const followed = before === undefined || outdated ? undefined : followRange(before, after, anchor);
    const surroundings =
      before === undefined || outdated
        ? (context ?? { before: [], after: [] })
        : quoteContext(before, anchor);
    const range = followed ?? findQuote(after, anchor.quote, surroundings, anchor.start);
    if (range === undefined) return { anchor, outdated: true, context: surroundings };
    return { anchor: { ...anchor, ...range }, outdated: false, context: quoteContext(after, range) };
  };
}

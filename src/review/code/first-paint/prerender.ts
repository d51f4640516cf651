import { setTimeout as delay } from "node:timers/promises";
import type { ReviewMode } from "../../context.ts";
import type { CodeReview } from "../code-review.ts";
import { createFirstViews } from "./first-views.ts";

/** Milliseconds that a page waits for its first view. Without one it has nothing to show before the index is there. */
const TIMEOUT_MS = 3_000;

/** Draws the top of the diff into the page; where that takes too long, the page goes out empty. */
export function createPrerender({ diffs }: CodeReview): NonNullable<ReviewMode["prerender"]> {
  const draw = createFirstViews(diffs);
  return async (page, { settings }) => {
    const { theme, view = {} } = await settings.read();
    const { layout = "split", wrap = true, whitespace = true } = view;
    if (!whitespace) return page;
    const first = await Promise.race([draw({ layout, wrap }), delay(TIMEOUT_MS, undefined, { ref: false })]);
    if (!first) return page;
    const { withFirstPaint } = await import("../../first-paint.ts");
    const title = `${diffs.repository.name} (${first.branch}): review`;
    return withFirstPaint(page, { title, theme, html: first.html });
  };
}

import { setTimeout as delay } from "node:timers/promises";
import type { ReviewMode } from "../../context.ts";
import type { CodeReview } from "../code-review.ts";
import { createFirstViews } from "./first-views.ts";

/** Milliseconds that a page waits for its prerendered diff; without it, the page is empty until the index arrives. */
const TIMEOUT_MS = 3_000;

/**
 * Returns a function that renders the top of the diff into the page, or returns the page unchanged after a timeout.
 */
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

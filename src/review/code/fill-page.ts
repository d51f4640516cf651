import { setTimeout as delay } from "node:timers/promises";
import type { Snapshot } from "../git/snapshot.ts";
import type { ReviewMode } from "../review-mode.ts";
import type { CodeReview } from "./code-review.ts";
import type { DrawOptions } from "./draw-diff.ts";

/** Milliseconds that the page waits for its first view. The page can do without, and loads its scripts meanwhile. */
const PATIENCE_MS = 100;

interface FirstView {
  readonly branch: string;
  readonly html: string;
}

/** Draws the top of the diff into the page; of a diff that is not there yet, the page goes out empty. */
export function createPageFiller({ diffs }: CodeReview): NonNullable<ReviewMode["fillPage"]> {
  const drawn = new WeakMap<Snapshot, Map<string, Promise<string>>>();
  const draw = async (options: DrawOptions): Promise<FirstView> => {
    const [{ snapshot, gitContext, release }, { drawDiff }] = await Promise.all([
      diffs.current(),
      loadDrawing(),
    ]);
    try {
      const views = drawn.get(snapshot) ?? new Map<string, Promise<string>>();
      drawn.set(snapshot, views);
      const key = JSON.stringify(options);
      const view = views.get(key) ?? drawDiff(snapshot, options);
      views.set(key, view);
      return { branch: gitContext.currentBranch, html: await view };
    } finally {
      release();
    }
  };
  return async (page, { settings }) => {
    const { theme, view = {} } = await settings.read();
    const { layout = "split", wrap = true, whitespace = true } = view;
    if (!whitespace) return page;
    const drawing = draw({ layout, wrap });
    const first = await Promise.race([drawing, delay(PATIENCE_MS, undefined, { ref: false })]);
    if (!first) {
      drawing.catch(() => {});
      return page;
    }
    const { withFirstView } = await import("../first-view.ts");
    const title = `${diffs.repository.name} (${first.branch}): review`;
    return withFirstView(page, { title, theme, html: first.html });
  };
}

/** The code that draws and its highlighter, made ready while git is at work. */
async function loadDrawing() {
  const [drawing, { loadHighlighter }] = await Promise.all([
    import("./draw-diff.ts"),
    import("./highlighter.ts"),
  ]);
  await loadHighlighter();
  return drawing;
}

import { setTimeout as delay } from "node:timers/promises";
import type { ReviewMode } from "../../context.ts";
import type { DiffLease, DiffSession } from "../../git/diff-session.ts";
import type { Snapshot } from "../../git/snapshot.ts";
import type { CodeReview } from "../code-review.ts";
import type { DrawOptions } from "./render-diff.ts";
import { topFiles } from "./shown-files.ts";

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

/** The rendered top of a diff. */
interface DrawnDiff {
  readonly branch: string;
  readonly html: string;
}

/** Milliseconds in which git compares a typical day's changes; only a slower diff has its top taken separately. */
const HEAD_START_MS = 150;

/**
 * Returns a function that renders the top of the current diff, once for each set of options. While git still compares
 * a first diff with many files, the top files are taken and rendered separately.
 */
export function createFirstViews(diffs: DiffSession): (options: DrawOptions) => Promise<DrawnDiff> {
  const drawn = new WeakMap<Snapshot, Map<string, Promise<string>>>();
  const tops = new Map<string, Promise<DrawnDiff | undefined>>();
  let isThere = false;

  const drawWhole = async (options: DrawOptions): Promise<DrawnDiff> => {
    const [lease, draw] = await Promise.all([diffs.current(), loadDrawing()]);
    isThere = true;
    tops.clear();
    const views = drawn.get(lease.snapshot) ?? new Map<string, Promise<string>>();
    drawn.set(lease.snapshot, views);
    const key = JSON.stringify(options);
    const html = views.get(key) ?? draw(lease.snapshot, options);
    views.set(key, html);
    return viewOf(lease, html);
  };
  const drawTop = async (options: DrawOptions): Promise<DrawnDiff | undefined> => {
    await delay(HEAD_START_MS, undefined, { ref: false });
    if (isThere) return undefined;
    const [lease, draw] = await Promise.all([diffs.part(topFiles), loadDrawing()]);
    return lease && viewOf(lease, draw(lease.snapshot, options));
  };
  return (options) => {
    const whole = drawWhole(options);
    if (isThere) return whole;
    const key = JSON.stringify(options);
    const top = tops.get(key) ?? drawTop(options).catch(() => undefined);
    tops.set(key, top);
    return Promise.race([whole, top.then((view) => view ?? whole)]);
  };
}

async function viewOf(
  { gitContext, release }: Pick<DiffLease, "gitContext" | "release">,
  html: Promise<string>,
): Promise<DrawnDiff> {
  try {
    return { branch: gitContext.currentBranch, html: await html };
  } finally {
    release();
  }
}

/** Loads the renderer and its highlighter while git runs. */
async function loadDrawing() {
  const [{ drawDiff }, { loadHighlighter }] = await Promise.all([
    import("./render-diff.ts"),
    import("./highlighter.ts"),
  ]);
  await loadHighlighter();
  return drawDiff;
}

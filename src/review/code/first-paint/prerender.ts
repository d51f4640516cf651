import { setTimeout as delay } from "node:timers/promises";
import type { ReviewMode } from "../../context.ts";
import type { DiffLease, DiffSession } from "../../diff-session.ts";
import type { Snapshot } from "../../git/snapshot.ts";
import type { CodeReview } from "../code-review.ts";
import type { RenderOptions } from "./render-diff.ts";
import { topFiles } from "./shown-files.ts";

/** Milliseconds that a page waits for its prerendered diff; without it, the page is empty until the index arrives. */
const TIMEOUT_MS = 3_000;

/**
 * Returns a function that renders the top of the diff into the page. It returns the page unchanged after a timeout, or
 * if the settings hide whitespace changes.
 */
export function createPrerender({ diffs }: CodeReview): NonNullable<ReviewMode["prerender"]> {
  const renderTop = createTopRenderer(diffs);
  return async (page, { settings, threads }) => {
    const { theme, view = {} } = await settings.read();
    const { layout = "split", wrap = true, whitespace = true, tabWidth = 4 } = view;
    if (!whitespace) return page;
    const rendered = await Promise.race([
      renderTop({ layout, wrap, tabWidth }),
      delay(TIMEOUT_MS, undefined, { ref: false }),
    ]);
    if (!rendered) return page;
    const { withFirstPaint } = await import("../../first-paint.ts");
    const title = `${diffs.repository.name} (${rendered.branch}): review`;
    return withFirstPaint(page, { title, theme, html: rendered.html, agent: threads.live?.state.agent });
  };
}

interface RenderedDiff {
  readonly branch: string;
  readonly html: string;
}

/**
 * Milliseconds in which git compares a typical day's changes. If a diff takes longer, its top is prepared
 * separately.
 */
const HEAD_START_MS = 150;

/**
 * Returns a function that renders the top of the current diff, once for each set of options. While git still
 * compares a first diff with many files, the top files are compared and rendered separately.
 */
export function createTopRenderer(diffs: DiffSession): (options: RenderOptions) => Promise<RenderedDiff> {
  const rendered = new WeakMap<Snapshot, Map<string, Promise<string>>>();
  const tops = new Map<string, Promise<RenderedDiff | undefined>>();
  let hasWhole = false;

  const renderWhole = async (options: RenderOptions): Promise<RenderedDiff> => {
    const [lease, render] = await Promise.all([diffs.current(), loadRenderer()]);
    hasWhole = true;
    tops.clear();
    const views = rendered.get(lease.snapshot) ?? new Map<string, Promise<string>>();
    rendered.set(lease.snapshot, views);
    const key = JSON.stringify(options);
    const html = views.get(key) ?? render(lease.snapshot, options);
    views.set(key, html);
    return toRendered(lease, html);
  };
  const renderTop = async (options: RenderOptions): Promise<RenderedDiff | undefined> => {
    await delay(HEAD_START_MS, undefined, { ref: false });
    if (hasWhole) return undefined;
    const [lease, render] = await Promise.all([diffs.part(topFiles), loadRenderer()]);
    return lease && toRendered(lease, render(lease.snapshot, options));
  };
  return (options) => {
    const whole = renderWhole(options);
    if (hasWhole) return whole;
    const key = JSON.stringify(options);
    const top = tops.get(key) ?? renderTop(options).catch(() => undefined);
    tops.set(key, top);
    return Promise.race([whole, top.then((view) => view ?? whole)]);
  };
}

async function toRendered(
  { gitContext, release }: Pick<DiffLease, "gitContext" | "release">,
  html: Promise<string>,
): Promise<RenderedDiff> {
  try {
    return { branch: gitContext.currentBranch, html: await html };
  } finally {
    release();
  }
}

async function loadRenderer() {
  const [{ renderDiff }, { loadHighlighter }] = await Promise.all([
    import("./render-diff.ts"),
    import("./highlighter.ts"),
  ]);
  await loadHighlighter();
  return renderDiff;
}

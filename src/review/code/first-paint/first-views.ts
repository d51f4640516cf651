import { setTimeout as delay } from "node:timers/promises";
import type { DiffDesk, HeldDiff } from "../../git/diff-desk.ts";
import type { Snapshot } from "../../git/snapshot.ts";
import type { DrawOptions } from "./draw-diff.ts";
import { topFiles } from "./shown-files.ts";

/** The top of a diff, drawn. */
export interface DrawnDiff {
  readonly branch: string;
  readonly html: string;
}

/** Milliseconds in which git has compared what most people change in a day; then its top need not be taken alone. */
const HEAD_START_MS = 150;

/**
 * Draws the top of the diff on the table, once for each way to show it. While git still compares the first diff, and
 * has many files to go through, the files on top are taken and drawn on their own.
 */
export function createFirstViews(diffs: DiffDesk): (options: DrawOptions) => Promise<DrawnDiff> {
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
  { gitContext, release }: Pick<HeldDiff, "gitContext" | "release">,
  html: Promise<string>,
): Promise<DrawnDiff> {
  try {
    return { branch: gitContext.currentBranch, html: await html };
  } finally {
    release();
  }
}

/** The code that draws and its highlighter, made ready while git is at work. */
async function loadDrawing() {
  const [{ drawDiff }, { loadHighlighter }] = await Promise.all([
    import("./draw-diff.ts"),
    import("./highlighter.ts"),
  ]);
  await loadHighlighter();
  return drawDiff;
}

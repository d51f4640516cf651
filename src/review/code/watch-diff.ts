import type { DiffDesk } from "../git/diff-desk.ts";

export interface DiffWatch {
  /** Whether anybody would hear of it; without, nothing is done. */
  readonly isWanted: () => boolean;
  readonly onOutdated: () => void;
  /** Milliseconds between two looks, at least. */
  readonly pause?: number;
}

const PAUSE_MS = 3_000;
/** A look that takes long is followed by so many times its length of rest. */
const REST = 20;

/**
 * Tells, at every look, when the diff has fallen out of date: a page may have come since the last one. Nothing is
 * watched that could be large: git is asked, seldom, and only while a page is open. Returns the way to stop.
 */
export function watchDiff(
  diffs: Pick<DiffDesk, "isOutdated">,
  { isWanted, onOutdated, pause = PAUSE_MS }: DiffWatch,
): () => void {
  let stopped = false;
  let timer: NodeJS.Timeout;
  const look = async () => {
    const started = performance.now();
    if (isWanted()) {
      // A repository that is busy, or whose diff cannot be taken just now, is looked at again.
      const isOutdated = await diffs.isOutdated().catch(() => false);
      if (isOutdated && !stopped) onOutdated();
    }
    if (!stopped) schedule(Math.max(pause, (performance.now() - started) * REST));
  };
  const schedule = (delay: number) => {
    timer = setTimeout(() => void look(), delay);
    timer.unref();
  };
  schedule(pause);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

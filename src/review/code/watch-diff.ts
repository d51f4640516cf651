import type { DiffSession } from "../diff-session.ts";

export interface DiffWatch {
  /** Reports whether a page is connected. Without one, the diff is not checked. */
  readonly isWanted: () => boolean;
  readonly onOutdated: () => void;
  /** Minimum milliseconds between two checks. */
  readonly pause?: number;
}

const PAUSE_MS = 3_000;
/** Pause after a slow check, as a multiple of its duration. */
const REST = 20;

/**
 * Checks at intervals, while a page is connected, whether the diff is outdated. Calls `onOutdated` after every check
 * that finds it outdated, because a page may have connected since the last one. Returns a function that stops the
 * checks.
 */
export function watchDiff(
  diffs: Pick<DiffSession, "isOutdated">,
  { isWanted, onOutdated, pause = PAUSE_MS }: DiffWatch,
): () => void {
  let stopped = false;
  let timer: NodeJS.Timeout;
  const look = async () => {
    const started = performance.now();
    if (isWanted()) {
      // A check that fails, for example because the repository is busy, is repeated later.
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

import { type FSWatcher, watch } from "node:fs";
import type { ReviewEntry } from "../api-types.ts";

/** Milliseconds within which changes of the folder count as one, because a running file is written in two steps. */
const SETTLE_MS = 100;
/**
 * Milliseconds between checks while the folder does not change. These checks find killed reviews, whose files
 * remain.
 */
const CHECK_MS = 5_000;

export interface WatchOptions {
  /** Folder of the running files. */
  readonly folder: string;
  /** The list that the caller has. */
  readonly known: readonly ReviewEntry[];
  readonly read: () => Promise<readonly ReviewEntry[]>;
  /** Whether the list is needed; otherwise it is not read. */
  readonly isWanted: () => boolean;
  readonly onChange: (reviews: readonly ReviewEntry[]) => void;
}

/** Watches which reviews are open on this machine. Returns a function that stops watching. */
export function watchReviews({ folder, known, read, isWanted, onChange }: WatchOptions): () => void {
  let last = JSON.stringify(known);
  let timer: NodeJS.Timeout;
  let isOver = false;
  const check = async () => {
    const reviews = isWanted() ? await read().catch(() => undefined) : undefined;
    if (isOver) return;
    const now = JSON.stringify(reviews);
    if (reviews && now !== last) {
      last = now;
      onChange(reviews);
    }
    schedule(CHECK_MS);
  };
  const schedule = (delay: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => void check(), delay).unref();
  };
  schedule(CHECK_MS);
  const watcher = watchFolder(folder, () => schedule(SETTLE_MS));
  return () => {
    isOver = true;
    clearTimeout(timer);
    watcher?.close();
  };
}

/**
 * Watches a folder. If the folder does not exist or the system has no free watches, only the regular checks find
 * changes.
 */
function watchFolder(folder: string, onEvent: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, onEvent);
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

import { mkdirSync, watch } from "node:fs";
import { dataDirectory, processEnvironment } from "../../../src/config/paths.ts";
import { toRealPath } from "../../../src/files/real-path.ts";
import { runningFolder } from "../../../src/review/live/register-review.ts";
import { listRunning, type RunningReview } from "../../../src/review/live/running-files.ts";

/** The reviews that are open on this machine, for the folders of this window. */
export interface OpenReviews {
  readonly all: readonly RunningReview[];
  /** Reads the list again. */
  refresh(): Promise<void>;
  dispose(): void;
}

export interface OpenReviewsOptions {
  /** The configured data directory; empty for the default. */
  readonly dataDirectory: string;
  /** The folders of the window. */
  readonly folders: () => readonly string[];
  /** Called when a review has opened or ended. */
  readonly onChange: (reviews: readonly RunningReview[], opened: readonly RunningReview[]) => void;
}

/** Milliseconds between two checks for reviews that were killed, whose running files remain. */
const CHECK_MS = 10_000;
const SETTLE_MS = 150;

/** Watches the running files of reviews. */
export function watchReviews(options: OpenReviewsOptions): OpenReviews {
  const data = options.dataDirectory || dataDirectory(processEnvironment);
  const folder = runningFolder(data);
  let all: readonly RunningReview[] = [];
  const refresh = async () => {
    const found = (await listRunning(data)).filter((review) => isForWindow(review, options.folders()));
    const opened = found.filter(({ id }) => all.every((known) => known.id !== id));
    const isSame = opened.length === 0 && found.length === all.length;
    all = found;
    if (!isSame) options.onChange(found, opened);
  };
  let pending: NodeJS.Timeout | undefined;
  const schedule = () => {
    clearTimeout(pending);
    // A running file is written under a temporary name and then renamed, which changes the folder twice.
    pending = setTimeout(() => void refresh(), SETTLE_MS);
  };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const watcher = watch(folder, schedule);
  watcher.on("error", () => watcher.close());
  const timer = setInterval(() => void refresh(), CHECK_MS);
  void refresh();
  return {
    get all() {
      return all;
    },
    refresh,
    dispose() {
      clearTimeout(pending);
      clearInterval(timer);
      watcher.close();
    },
  };
}

/** Returns whether a review's repository is, contains or is inside a folder of the window. */
function isForWindow({ repository }: RunningReview, folders: readonly string[]): boolean {
  const own = `${toRealPath(repository)}/`.replaceAll("\\", "/");
  return folders.some((folder) => {
    const other = `${toRealPath(folder)}/`.replaceAll("\\", "/");
    return own.startsWith(other) || other.startsWith(own);
  });
}

import type { ReviewEntry } from "../api-types.ts";
import type { EventHub } from "../events.ts";
import type { LiveSession, LiveSessionOptions } from "./live-session.ts";
import { runningFolder } from "./register-review.ts";
import type { ThreadStore } from "./thread-store.ts";

/** The threads of a review, its entry among the reviews of this machine, and the state of a live review. */
export interface ReviewThreads {
  /** Id of the review in its running file. */
  readonly reviewId: string;
  /** Token of the running file, with which agents call the review. */
  readonly token: string;
  /** Opens the threads on first use, so that a review without threads does not load their code. */
  open(): Promise<ThreadStore>;
  /** Adds threads before `open` resolves for other callers. A failure is passed to `onFailure`. */
  seed(task: (store: ThreadStore) => Promise<void>, onFailure: (error: unknown) => void): void;
  /** Resolves to the threads; undefined if they have not been opened. */
  readonly opened: Promise<ThreadStore> | undefined;
  /** Undefined in a one-shot review. */
  readonly live: LiveSession | undefined;
  /**
   * Returns the other reviews that are open on this machine, newest first. After the first call, each change
   * of the list is sent to the pages as an event.
   */
  others(): Promise<readonly ReviewEntry[]>;
  /** Makes the review live. */
  goLive(options: Omit<LiveSessionOptions, "store" | "events">): Promise<LiveSession>;
  close(): Promise<void>;
}

export interface ReviewThreadsOptions {
  readonly dataDirectory: string;
  readonly reviewId: string;
  readonly token: string;
  readonly events: EventHub;
  /**
   * Set for a live review and for a pull request: the review takes over threads of earlier reviews with the same
   * subject; see `takeOverLogs`.
   */
  readonly subject?: string | undefined;
}

/** Subject of a review for which none is set; no later review takes over its threads. */
const ONE_SHOT = "once";

/** Creates the threads of a review. Nothing is loaded or read until the threads are used. */
export function createReviewThreads(options: ReviewThreadsOptions): ReviewThreads {
  const { dataDirectory, reviewId, token, events, subject } = options;
  let opened: Promise<ThreadStore> | undefined;
  let live: LiveSession | undefined;
  const load = async () => {
    const { openThreadStore } = await import("./thread-store.ts");
    return openThreadStore({
      dataDirectory,
      id: reviewId,
      subject: subject ?? ONE_SHOT,
      takesOver: subject !== undefined,
      onThread: (thread) => events.send({ event: "thread", ...thread }),
    });
  };
  let seeded: Promise<void> | undefined;
  const openStore = () => {
    if (!opened) {
      opened = load();
      // The next request tries again.
      opened.catch(() => {
        opened = undefined;
      });
    }
    return opened;
  };
  const open = async () => {
    const store = await openStore();
    await seeded;
    return store;
  };
  let isClosed = false;
  let stopWatching: (() => void) | undefined;
  const readOthers = async () => {
    const { toEntry, listRunning } = await import("./running-files.ts");
    const running = await listRunning(dataDirectory);
    return running.filter(({ id }) => id !== reviewId).map(toEntry);
  };
  const watchOthers = async (known: readonly ReviewEntry[]) => {
    const { watchReviews } = await import("./watch-reviews.ts");
    return watchReviews({
      folder: runningFolder(dataDirectory),
      known,
      read: readOthers,
      isWanted: () => events.isConnected,
      onChange: (reviews) => events.send({ event: "reviews", reviews }),
    });
  };
  return {
    reviewId,
    token,
    open,
    seed(task, onFailure) {
      seeded = openStore().then(task).catch(onFailure);
    },
    get opened() {
      return opened;
    },
    get live() {
      return live;
    },
    async others() {
      const known = await readOthers();
      if (!isClosed) stopWatching ??= await watchOthers(known);
      return known;
    },
    async goLive(session) {
      const [{ createLiveSession }, store] = await Promise.all([import("./live-session.ts"), open()]);
      live = createLiveSession({ ...session, store, events });
      return live;
    },
    async close() {
      isClosed = true;
      stopWatching?.();
      live?.stop();
      const store = await opened?.catch(() => undefined);
      await store?.close();
    },
  };
}

import type { Result } from "../api/client.ts";

/** Where the person's words are: `saved` means on disk at the server. */
export type DraftStatus =
  | { readonly state: "idle" }
  | { readonly state: "pending" }
  | { readonly state: "saved"; readonly savedAt: string }
  /** The server does not answer or cannot write; tried again until it does. */
  | { readonly state: "failing"; readonly message: string }
  /** Another tab saved something newer; this one no longer saves. */
  | { readonly state: "superseded" }
  /** The server keeps no drafts. */
  | { readonly state: "absent" };

export interface AutosavePorts<Content> {
  readonly content: () => Content;
  readonly put: (
    draft: { readonly generation: number; readonly content: Content },
    keepalive: boolean,
  ) => Promise<Result<{ readonly generation: number; readonly savedAt: string }>>;
  readonly onStatus: (status: DraftStatus) => void;
  /** Milliseconds between the first change that is not saved and the save; at most 500. */
  readonly delay?: number;
  /** Milliseconds until a failed save is tried again. */
  readonly retryDelay?: number;
}

export interface Autosave {
  /** Something changed: saves soon. */
  touch(): void;
  /** Saves now, in a call that outlives the page. */
  flush(): void;
  /** Starts from a draft that the server holds. */
  resume(generation: number): void;
  /** Saves no more: the decision is taken. */
  stop(): void;
}

/**
 * Saves the content to the server, one call at a time, and again when it changed meanwhile. Every save carries
 * a higher generation than all it has seen, so that what another tab saved since is not overwritten unseen.
 */
export function createAutosave<Content>(ports: AutosavePorts<Content>): Autosave {
  const { delay = 400, retryDelay = 2_000 } = ports;
  let generation = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let dirty = false;
  let onTheirWay = 0;
  let stopped = false;
  let failing = false;

  const schedule = (milliseconds: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => void save(false), milliseconds);
  };
  const unschedule = () => {
    clearTimeout(timer);
    timer = undefined;
  };

  async function save(keepalive: boolean): Promise<void> {
    unschedule();
    if (stopped || !dirty || (onTheirWay > 0 && !keepalive)) return;
    dirty = false;
    // Every attempt raises it, also after one that is on its way or whose answer was lost.
    generation += 1;
    const mine = generation;
    onTheirWay += 1;
    const result = await ports.put({ generation, content: ports.content() }, keepalive);
    onTheirWay -= 1;
    // One that was overtaken by a newer one of this page says nothing.
    if (stopped || (mine < generation && !result.ok)) return;
    settle(result);
  }

  function settle(result: Result<{ readonly generation: number; readonly savedAt: string }>): void {
    if (result.ok) {
      failing = false;
      generation = Math.max(generation, result.value.generation);
      ports.onStatus({ state: dirty ? "pending" : "saved", savedAt: result.value.savedAt });
      if (dirty) schedule(delay);
    } else if (result.reason === "absent") {
      stopped = true;
      ports.onStatus({ state: "absent" });
    } else if (result.reason === "refused" && result.status === 409) {
      stopped = true;
      ports.onStatus({ state: "superseded" });
    } else {
      dirty = true;
      failing = true;
      const message = result.reason === "refused" ? result.message : "Sallyport does not answer.";
      ports.onStatus({ state: "failing", message });
      schedule(retryDelay);
    }
  }

  return {
    touch() {
      if (stopped) return;
      dirty = true;
      // What could not be saved is not, until it is: who types on shall not see the notice come and go.
      if (!failing) ports.onStatus({ state: "pending" });
      // Never put off by more typing: who types without a pause loses no more by a crash than who pauses.
      if (onTheirWay === 0 && timer === undefined) schedule(delay);
    },
    flush() {
      // A save that is on its way may be cut off with the page.
      if (onTheirWay > 0) dirty = true;
      void save(true);
    },
    resume(from) {
      generation = Math.max(generation, from);
    },
    stop() {
      stopped = true;
      unschedule();
    },
  };
}

import type { Result } from "../api/client.ts";

/** Save state of the draft. `saved` means written to disk by the server. */
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
  ) => Promise<SaveResult>;
  readonly onStatus: (status: DraftStatus) => void;
  /** Takes in what another tab has saved; false where it cannot be merged. Without it such a save ends saving here. */
  readonly onConflict?: (stored: Content) => boolean;
  /** Milliseconds between the first change that is not saved and the save; at most 500. */
  readonly delay?: number;
  /** Milliseconds until a failed save is tried again. */
  readonly retryDelay?: number;
}

export interface Autosave {
  /** Schedules a save. */
  touch(): void;
  /** Saves now, in a call that outlives the page. */
  flush(): void;
  /** Starts from a draft that the server holds. */
  resume(generation: number): void;
  /** Stops saving. */
  stop(): void;
}

type SaveResult = Result<{ readonly generation: number; readonly savedAt: string }>;

const DELAY_MS = 400;
const RETRY_DELAY_MS = 2_000;

/**
 * Saves the content to the server, one call at a time, and again when it changed meanwhile. Every save carries
 * a higher generation than all it has seen, so that what another tab saved since is not overwritten unseen.
 */
export function createAutosave<Content>(ports: AutosavePorts<Content>): Autosave {
  return new Saver(ports);
}

class Saver<Content> implements Autosave {
  private readonly ports: AutosavePorts<Content>;
  private generation = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isDirty = false;
  private onTheirWay = 0;
  private isStopped = false;
  private isFailing = false;

  constructor(ports: AutosavePorts<Content>) {
    this.ports = ports;
  }

  touch(): void {
    if (this.isStopped) return;
    this.isDirty = true;
    // What could not be saved is not, until it is: who types on shall not see the notice come and go.
    if (!this.isFailing) this.ports.onStatus({ state: "pending" });
    // Never put off by more typing: who types without a pause loses no more by a crash than who pauses.
    if (this.onTheirWay === 0 && this.timer === undefined) this.schedule(this.ports.delay ?? DELAY_MS);
  }

  flush(): void {
    // A save that is on its way may be cut off with the page.
    if (this.onTheirWay > 0) this.isDirty = true;
    void this.save(true);
  }

  resume(generation: number): void {
    this.generation = Math.max(this.generation, generation);
  }

  stop(): void {
    this.isStopped = true;
    this.unschedule();
  }

  private schedule(milliseconds: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.save(false), milliseconds);
  }

  private unschedule(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private async save(keepalive: boolean): Promise<void> {
    this.unschedule();
    if (this.isStopped || !this.isDirty || (this.onTheirWay > 0 && !keepalive)) return;
    this.isDirty = false;
    // Every attempt raises it, also after one that is on its way or whose answer was lost.
    this.generation += 1;
    const generation = this.generation;
    this.onTheirWay += 1;
    const result = await this.ports.put({ generation, content: this.ports.content() }, keepalive);
    this.onTheirWay -= 1;
    // One that was overtaken by a newer one of this page says nothing.
    if (this.isStopped || (generation < this.generation && !result.ok)) return;
    this.settle(result);
  }

  private settle(result: SaveResult): void {
    const { delay = DELAY_MS, retryDelay = RETRY_DELAY_MS, onStatus } = this.ports;
    if (result.ok) {
      const { savedAt } = result.value;
      this.isFailing = false;
      this.resume(result.value.generation);
      onStatus({ state: this.isDirty ? "pending" : "saved", savedAt });
      if (this.isDirty) this.schedule(delay);
    } else if (result.reason === "absent") {
      this.isStopped = true;
      onStatus({ state: "absent" });
    } else if (result.reason === "refused" && result.status === 409) {
      this.takeIn(result.body);
    } else {
      this.isDirty = true;
      this.isFailing = true;
      const message = result.reason === "refused" ? result.message : "Can't reach Sallyport.";
      onStatus({ state: "failing", message });
      this.schedule(retryDelay);
    }
  }

  /** Merges the draft that another tab has saved, and saves the whole. */
  private takeIn(body: unknown): void {
    const stored = body as { readonly generation?: unknown; readonly content?: unknown } | null;
    const { generation, content } = stored ?? {};
    const isMerged =
      typeof generation === "number" && content && this.ports.onConflict?.(content as Content) === true;
    if (!isMerged) {
      this.isStopped = true;
      this.ports.onStatus({ state: "superseded" });
      return;
    }
    this.resume(generation);
    this.isDirty = true;
    this.schedule(0);
  }
}

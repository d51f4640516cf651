import type { Draft, StoredDraft } from "../../../src/review/api-types.ts";
import type { Result } from "../api/client.ts";

/** Save state of the draft. `saved` means written to disk by the server. */
export type DraftStatus =
  | { readonly state: "idle" }
  | { readonly state: "pending" }
  | { readonly state: "saved"; readonly savedAt: string }
  /** The server does not respond or cannot write. Saving is retried. */
  | { readonly state: "failing"; readonly message: string }
  /** Another tab saved a newer draft; this tab no longer saves. */
  | { readonly state: "superseded" }
  /** The server stores no drafts. */
  | { readonly state: "absent" };

export interface AutosavePorts<Content> {
  readonly content: () => Content;
  readonly put: (
    draft: { readonly generation: number; readonly content: Content },
    keepalive: boolean,
  ) => Promise<SaveResult>;
  readonly onStatus: (status: DraftStatus) => void;
  /**
   * Merges a draft that another tab saved. If `onConflict` returns false or is absent, a conflict at the
   * server ends saving.
   */
  readonly onConflict?: (stored: Content, generation: number) => boolean;
  /** Milliseconds from the first unsaved change to the save. Default: 400. */
  readonly delay?: number;
  /** Milliseconds until a failed save is retried. Default: 2,000. */
  readonly retryDelay?: number;
}

export interface Autosave<Content> {
  /** Schedules a save. */
  touch(): void;
  /** Saves unsaved changes now. A small request outlives the page. */
  flush(): void;
  /**
   * Merges the draft that `read` returns, if another tab has saved it since this tab last saved or merged. `generation`
   * is that of the save that the server has announced; absent if unknown. Saves nothing.
   */
  follow(read: () => Promise<Result<Draft<Content>>>, generation?: number): Promise<void>;
  /** Continues from a draft that the server has stored. */
  resume(generation: number): void;
  stop(): void;
}

type SaveResult = Result<StoredDraft>;

const DELAY_MS = 400;
const RETRY_DELAY_MS = 2_000;

/**
 * Saves the content to the server, one request at a time unless it is flushed, and again if it changed during the
 * request. Every save has a higher generation than all earlier ones, so that the server can detect a save of another
 * tab in between.
 */
export function createAutosave<Content>(ports: AutosavePorts<Content>): Autosave<Content> {
  return new Saver(ports);
}

class Saver<Content> implements Autosave<Content> {
  private readonly ports: AutosavePorts<Content>;
  /** The highest generation that this page has used or merged. */
  private generation = 0;
  /** The generation of the last save that this page has begun. */
  private lastSave = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isDirty = false;
  private inFlight = 0;
  private isStopped = false;
  private isFailing = false;

  constructor(ports: AutosavePorts<Content>) {
    this.ports = ports;
  }

  touch(): void {
    if (this.isStopped) return;
    this.isDirty = true;
    // Keeps the failure notice until a save succeeds, so that it does not flicker while the person types.
    if (!this.isFailing) this.ports.onStatus({ state: "pending" });
    // Further typing does not postpone the save, which limits how much a crash can lose.
    if (this.inFlight === 0 && this.timer === undefined) this.schedule(this.ports.delay ?? DELAY_MS);
  }

  flush(): void {
    // A pending save may be canceled when the page closes, so its content is sent again.
    if (this.inFlight > 0) this.isDirty = true;
    void this.save(true);
  }

  async follow(
    read: () => Promise<Result<Draft<Content>>>,
    generation = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    const isKnown = (found: number) => this.isStopped || found <= this.generation;
    if (isKnown(generation)) return;
    const stored = await read();
    if (!stored.ok || isKnown(stored.value.generation)) return;
    const { content, generation: found } = stored.value;
    if (content !== null && this.ports.onConflict?.(content, found) === true) this.resume(found);
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
    if (this.isStopped || !this.isDirty || (this.inFlight > 0 && !keepalive)) return;
    this.isDirty = false;
    // Every attempt increases the generation, even while another attempt is pending or after a lost response.
    this.generation += 1;
    const generation = this.generation;
    this.lastSave = generation;
    this.inFlight += 1;
    const result = await this.ports.put({ generation, content: this.ports.content() }, keepalive);
    this.inFlight -= 1;
    // Ignores the failure of a save that a newer save of this page has replaced.
    if (this.isStopped || (generation < this.lastSave && !result.ok)) return;
    const isConflict = !result.ok && result.reason === "refused" && result.status === 409;
    // The draft that `follow` has merged meanwhile is not older than the one in the response.
    if (isConflict && generation < this.generation) this.saveMerged();
    else this.settle(result);
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
      this.mergeStored(result.body);
    } else {
      this.isDirty = true;
      this.isFailing = true;
      const message = result.reason === "refused" ? result.message : "Can't reach Sallyport.";
      onStatus({ state: "failing", message });
      this.schedule(retryDelay);
    }
  }

  /** Merges the draft that another tab saved, and saves the result. Stops saving if the draft cannot be merged. */
  private mergeStored(body: unknown): void {
    const stored = body as { readonly generation?: unknown; readonly content?: unknown } | null;
    const { generation, content } = stored ?? {};
    const isMerged =
      typeof generation === "number" &&
      content &&
      this.ports.onConflict?.(content as Content, generation) === true;
    if (!isMerged) {
      this.isStopped = true;
      this.ports.onStatus({ state: "superseded" });
      return;
    }
    this.resume(generation);
    this.saveMerged();
  }

  private saveMerged(): void {
    this.isDirty = true;
    this.schedule(0);
  }
}

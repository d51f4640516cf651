import type { ParsedPatch } from "../../../src/render/diff/patch/parsed-patch.ts";
import { scanPatch } from "../../../src/render/diff/patch/scan-patch.ts";
import type { DiffFile } from "../../../src/review/api-types.ts";

/** Fetches the concatenated patches of the files `first` to `last`, both inclusive. Rejects if the request fails. */
export type FetchPatches = (first: number, last: number, signal: AbortSignal) => Promise<Uint8Array>;

/** Limits of one request in bytes and files. A request for a single file may be larger. */
interface RequestSize {
  readonly bytes: number;
  readonly files: number;
}
/** The limit is small, so that reading and laying out a response does not delay scrolling. */
const FOR_SCROLLING: RequestSize = { bytes: 128 * 1024, files: 50 };
const FOR_SEARCH: RequestSize = { bytes: 512 * 1024, files: 50 };
const REQUESTS_AT_ONCE = 2;
/**
 * Maximum length of the retained patches in UTF-16 units. Beyond it, the least recently used patches that are
 * not wanted are dropped after a request.
 */
const KEPT_LENGTH = 12 * 1024 * 1024;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Fetches patches near the window, and drops distant patches if there are many. A file is identified by its
 * `DiffFile.index`.
 */
export class PatchStore {
  private readonly files: readonly DiffFile[];
  private readonly fetch: FetchPatches;
  private readonly onChange: (indexes: readonly number[]) => void;
  private readonly patches = new Map<number, ParsedPatch>();
  private readonly pending = new Set<number>();
  private readonly failed = new Set<number>();
  private readonly abort = new AbortController();
  private wanted: readonly number[] = [];
  private running = 0;
  private length = 0;

  /**
   * `files` must be in the order of the index. `onChange` receives the indexes of the files whose patch was loaded, was
   * dropped, failed to load, or can be requested again after a failure.
   */
  constructor(
    files: readonly DiffFile[],
    fetch: FetchPatches,
    onChange: (indexes: readonly number[]) => void,
  ) {
    this.files = files;
    this.fetch = fetch;
    this.onChange = onChange;
  }

  get(index: number): ParsedPatch | undefined {
    return this.patches.get(index);
  }

  hasFailed(index: number): boolean {
    return this.failed.has(index);
  }

  /** Adds a patch that was sent with the index. */
  put(index: number, text: string): void {
    this.keep(index, scanPatch(text));
  }

  /** Sets the files to load, the most urgent first, in place of the previous list. */
  want(indexes: readonly number[]): void {
    this.wanted = indexes;
    for (const index of indexes) this.touch(index);
    this.pump();
  }

  /** Loads a patch. Resolves when the patch is loaded or has failed to load. */
  async ensure(index: number): Promise<void> {
    if (this.patches.has(index) || this.failed.has(index)) return;
    const [patch] = await this.read(index, index).catch(() => []);
    if (this.patches.has(index) || this.abort.signal.aborted) return;
    if (patch) this.keep(index, patch);
    else this.failed.add(index);
    this.onChange([index]);
  }

  /** Fetches a patch again after a failure. */
  retry(index: number): void {
    this.failed.delete(index);
    this.want([index, ...this.wanted]);
  }

  /**
   * Forgets the failures, and fetches the patches again that are still needed, for example after the connection was
   * lost.
   */
  retryFailed(): void {
    const failed = [...this.failed];
    if (failed.length === 0) return;
    this.failed.clear();
    this.onChange(failed);
    this.pump();
  }

  /** Loads all missing patches, unless the diff is too large to retain. Stops at the first failure. */
  async ensureAll(): Promise<void> {
    if (this.files.reduce((sum, { patchSize }) => sum + patchSize, 0) > KEPT_LENGTH) return;
    for (const [first, last] of this.batches()) {
      const indexes = Array.from({ length: last - first + 1 }, (_, step) => first + step);
      const missing = indexes.filter((index) => !this.patches.has(index));
      if (missing.length === 0) continue;
      const patches = await this.read(first, last).catch(() => undefined);
      if (!patches || this.abort.signal.aborted) return;
      for (const [step, index] of indexes.entries()) {
        const patch = patches[step];
        if (patch && !this.patches.has(index)) this.keep(index, patch);
      }
      this.onChange(missing);
    }
  }

  /**
   * Returns the patches of the files `first` to `last`, both inclusive. Does not retain fetched patches. Rejects if the
   * request fails.
   */
  async read(first: number, last: number): Promise<ParsedPatch[]> {
    const kept = Array.from({ length: last - first + 1 }, (_, step) => this.patches.get(first + step));
    if (kept.every((patch) => patch !== undefined)) return kept;
    return (await this.load(first, last)).map((text) => scanPatch(text));
  }

  /** Returns consecutive ranges of files, both ends inclusive, that fit into one request each. */
  batches(): [number, number][] {
    const batches: [number, number][] = [];
    for (let first = 0; first < this.files.length; ) {
      const last = this.findBatchEnd(first, FOR_SEARCH, () => true);
      batches.push([first, last]);
      first = last + 1;
    }
    return batches;
  }

  /** Cancels all requests, because the diff is no longer shown. */
  close(): void {
    this.abort.abort();
    this.wanted = [];
  }

  private isMissing(index: number): boolean {
    return !this.patches.has(index) && !this.pending.has(index) && !this.failed.has(index);
  }

  private pump(): void {
    while (this.running < REQUESTS_AT_ONCE) {
      const first = this.wanted.find((index) => this.isMissing(index));
      if (first === undefined) return;
      const wanted = new Set(this.wanted);
      const accepts = (index: number) => wanted.has(index) && this.isMissing(index);
      const last = this.findBatchEnd(first, FOR_SCROLLING, accepts);
      void this.request(first, last);
    }
  }

  private findBatchEnd(first: number, size: RequestSize, accepts: (index: number) => boolean): number {
    let bytes = this.files[first]?.patchSize ?? 0;
    let last = first;
    while (last + 1 < this.files.length && last - first + 1 < size.files && accepts(last + 1)) {
      bytes += this.files[last + 1]?.patchSize ?? 0;
      if (bytes > size.bytes) break;
      last++;
    }
    return last;
  }

  private async request(first: number, last: number): Promise<void> {
    const indexes = Array.from({ length: last - first + 1 }, (_, step) => first + step);
    for (const index of indexes) this.pending.add(index);
    this.running++;
    try {
      const texts = await this.load(first, last);
      for (const [step, index] of indexes.entries()) this.keep(index, scanPatch(texts[step] ?? ""));
    } catch {
      for (const index of indexes) this.failed.add(index);
    }
    for (const index of indexes) this.pending.delete(index);
    this.running--;
    if (this.abort.signal.aborted) return;
    this.onChange([...indexes, ...this.forget(new Set(indexes))]);
    this.pump();
  }

  /** Fetches the patches and splits the response by the sizes in the index, one text per file. */
  private async load(first: number, last: number): Promise<string[]> {
    const bytes = await this.fetch(first, last, this.abort.signal);
    const files = this.files.slice(first, last + 1);
    const expected = files.reduce((sum, { patchSize }) => sum + patchSize, 0);
    if (bytes.length !== expected) throw new Error(`${bytes.length} bytes of patches, not ${expected}`);
    let at = 0;
    return files.map(({ patchSize }) => {
      at += patchSize;
      return decoder.decode(bytes.subarray(at - patchSize, at));
    });
  }

  private keep(index: number, patch: ParsedPatch): void {
    this.length += patch.text.length - (this.patches.get(index)?.text.length ?? 0);
    this.patches.set(index, patch);
  }

  /** Moves a patch to the end of the map, which is ordered by last use. */
  private touch(index: number): void {
    const patch = this.patches.get(index);
    if (!patch) return;
    this.patches.delete(index);
    this.patches.set(index, patch);
  }

  private forget(fresh: ReadonlySet<number>): number[] {
    const wanted = new Set(this.wanted);
    const dropped: number[] = [];
    for (const [index, patch] of this.patches) {
      if (this.length <= KEPT_LENGTH) break;
      if (wanted.has(index) || fresh.has(index)) continue;
      this.patches.delete(index);
      this.length -= patch.text.length;
      dropped.push(index);
    }
    return dropped;
  }
}

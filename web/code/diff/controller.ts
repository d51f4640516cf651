import type { DiffFile } from "../../../src/review/api-types.ts";
import { useThreads } from "../../shared/threads/thread-store.ts";
import { pathsMoved } from "../core/comment.ts";
import type { MeasuredHeights } from "../core/rows/file-body.ts";
import { type Anchor, Geometry, type VisibleFile } from "../core/rows/geometry.ts";
import { FILE_HEADER_HEIGHT, LINE_HEIGHT } from "../core/rows/line-heights.ts";
import { getRow, type LineRef, type RowPosition } from "../core/rows/navigate.ts";
import {
  physicalHeight,
  positionAfterScroll,
  positionFor,
  type ScrollPosition,
} from "../core/rows/scroll-space.ts";
import { useComments } from "../state/comments.ts";
import { useCursor } from "../state/cursor.ts";
import { useNotebooks } from "../state/notebooks.ts";
import { onPatches, useSession } from "../state/session.ts";
import { filesWithNewThreads } from "../state/threads.ts";
import { useView } from "../state/view.ts";
import { LayoutCache } from "./layout-cache.ts";
import { countRows, MAX_WHOLE_LINES } from "./whole-diff.ts";

/** Pixels rendered above and below the window. */
const OVERSCAN = 240;
/** Height in pixels of the printed part of a diff of more than `MAX_WHOLE_LINES` rows: about 40 pages. */
const PRINTED = 40_000;
/** Number of window heights around the visible part within which patches are requested. */
const AHEAD = 3;

/** The state that the scroller renders. Every visible change creates a new object. */
export interface Scene {
  readonly geometry: Geometry;
  readonly visible: readonly VisibleFile[];
  /** Height of the scroller's content in pixels. */
  readonly height: number;
  /** The position in the diff minus the position in the scroller, in pixels. */
  readonly shift: number;
  /** Whether the browser is printing; if so, the whole diff or its beginning is rendered. */
  readonly printing: boolean;
}

/** The size of the scroller: its height in pixels and the columns of code on one side. */
export interface Viewport {
  readonly height: number;
  readonly columns: number;
}

/** Lays out the diff and tracks the visible part. Changes above the window do not move the visible part. */
export class DiffController {
  private latest: Scene = { geometry: new Geometry([]), visible: [], height: 0, shift: 0, printing: false };
  /** Zero until the scroller is measured. */
  private viewport: Viewport = { height: 0, columns: 0 };
  private scrolledTo: ScrollPosition = { physical: 0, virtual: 0 };
  private element: HTMLElement | undefined;
  private readonly layoutCache = new LayoutCache();
  private readonly listeners = new Set<() => void>();
  private awaited: { readonly line: LineRef; readonly until: number } | undefined;
  /**
   * The file to which the person last moved, until the next scroll. It is stored because a file near the end
   * of the diff cannot be at the top of the window.
   */
  private scrolledFile: string | undefined;
  /** Whether all rows are rendered if there are at most `MAX_WHOLE_LINES`. */
  private whole = false;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly scene = (): Scene => this.latest;

  /** Subscribes to the stores. Returns a function that unsubscribes. */
  start(): () => void {
    const update = () => this.update();
    const stops = [
      onPatches(update),
      useView.subscribe(update),
      useNotebooks.subscribe(update),
      useComments.subscribe((state, before) => {
        const paths = pathsMoved(state.comments, before.comments);
        if (paths.size > 0) this.update(useSession.getState().files.filter(({ path }) => paths.has(path)));
      }),
      useThreads.subscribe((state, before) => {
        if (state.threads === before.threads) return;
        const files = filesWithNewThreads(useSession.getState().files, state.threads, before.threads);
        if (files.length > 0) this.update(files);
      }),
      useSession.subscribe((state, before) => {
        if (state.files === before.files) return;
        this.layoutCache.clear();
        update();
      }),
    ];
    update();
    return () => {
      for (const stop of stops) stop();
    };
  }

  attach(element: HTMLElement, viewport: Viewport): void {
    this.element = element;
    const same = viewport.height === this.viewport.height && viewport.columns === this.viewport.columns;
    this.viewport = viewport;
    if (!same) this.update();
  }

  scrolled(physical: number): void {
    // Ignores the event of a scroll by the controller, whose position browsers round to device pixels.
    if (Math.abs(physical - this.scrolledTo.physical) < 1) return;
    this.awaited = undefined;
    this.scrolledFile = undefined;
    this.moveTo(positionAfterScroll(this.space(), this.scrolledTo, physical));
  }

  /** Lays out the diff from the stores. With `only`, lays out these files; no others may have changed. */
  update(only?: readonly DiffFile[]): void {
    const anchor = this.anchor();
    const bodies = this.layoutCache.update(useView.getState().wrap ? this.viewport.columns : undefined, only);
    if (!bodies) return;
    const geometry = new Geometry(bodies);
    this.latest = { ...this.latest, geometry };
    const position = anchor && geometry.getPosition(anchor);
    this.moveTo(positionFor(this.space(), position ?? this.scrolledTo.virtual));
    this.followAwaited();
  }

  /** Stores heights measured on screen. Lays out the file again if one of them is new. */
  measure(file: DiffFile, seen: Partial<MeasuredHeights>): void {
    if (this.layoutCache.measure(file, seen)) this.update([file]);
  }

  scrollToFile(path: string): void {
    const order = this.getOrder(path);
    if (order < 0) return;
    this.scrolledFile = path;
    this.moveTo(positionFor(this.space(), this.latest.geometry.getTop(order)));
  }

  /** Scrolls to a line that is not in view or, if `always`, to any line. Waits for its patch, by default for 10 s. */
  scrollToLine(line: LineRef, always = false, until = performance.now() + 10_000): void {
    const order = this.getOrder(line.path);
    const body = this.latest.geometry.bodies[order];
    if (!body) return;
    const row = body.rows ? getRow(body, line.side, line.number) : -1;
    if (row < 0) {
      this.scrollToFile(line.path);
      this.awaited = { line, until };
      return;
    }
    this.scrolledFile = line.path;
    const top = this.latest.geometry.rowTop(order, row);
    const { height } = this.viewport;
    const first = this.scrolledTo.virtual + FILE_HEADER_HEIGHT + LINE_HEIGHT;
    const isInView = top >= first && top <= this.scrolledTo.virtual + height - LINE_HEIGHT * 3;
    this.moveTo(isInView && !always ? this.scrolledTo : positionFor(this.space(), top - height / 3));
  }

  /** Returns whether a line is in the window, or the file's header if the line is not shown. */
  isInView(line: LineRef): boolean {
    const order = this.getOrder(line.path);
    const body = this.latest.geometry.bodies[order];
    if (!body) return false;
    const row = body.rows ? getRow(body, line.side, line.number) : -1;
    const { geometry } = this.latest;
    const top = row < 0 ? geometry.getTop(order) : geometry.rowTop(order, row) - FILE_HEADER_HEIGHT;
    const { virtual } = this.scrolledTo;
    return top > virtual - LINE_HEIGHT && top < virtual + this.viewport.height - LINE_HEIGHT;
  }

  /**
   * Returns the position before the first row in view, or before the first row of the file to which the
   * person last moved.
   */
  rowInView(): RowPosition {
    const { geometry } = this.latest;
    const scrolledFile = this.scrolledFile === undefined ? -1 : this.getOrder(this.scrolledFile);
    return scrolledFile >= 0 ? { order: scrolledFile, row: -1 } : geometry.rowAt(this.scrolledTo.virtual);
  }

  /**
   * Scrolls as little as possible to show an element below the sticky header. If the element does not fit,
   * shows one end of it.
   */
  reveal(element: HTMLElement, end: "start" | "end" = "start"): void {
    if (!this.element) return;
    const box = element.getBoundingClientRect();
    const frame = this.element.getBoundingClientRect();
    const below = box.bottom - (frame.bottom - LINE_HEIGHT);
    const above = box.top - (frame.top + FILE_HEADER_HEIGHT + LINE_HEIGHT * 2);
    const least = below > 0 ? Math.min(below, above) : Math.min(0, above);
    const distance = end === "end" && below > 0 ? below : least;
    if (distance !== 0) this.moveTo(positionFor(this.space(), this.scrolledTo.virtual + distance));
  }

  /** Renders the part of the diff to print or, after printing, only the visible part. */
  print(printing: boolean): void {
    this.latest = { ...this.latest, printing };
    this.moveTo(this.scrolledTo);
  }

  /** Renders all rows, if at most `MAX_WHOLE_LINES`, for the browser's search; with `false`, those near the window. */
  showWhole(whole: boolean): void {
    if (whole === this.whole) return;
    this.whole = whole;
    this.moveTo(this.scrolledTo);
  }

  /** Scrolls by a number of window heights. */
  scrollBy(windows: number): void {
    this.scrolledFile = undefined;
    this.moveTo(positionFor(this.space(), this.scrolledTo.virtual + this.viewport.height * windows));
  }

  scrollToEnd(end: "start" | "end"): void {
    this.scrolledFile = undefined;
    this.moveTo(positionFor(this.space(), end === "start" ? 0 : this.latest.geometry.total));
  }

  /** Returns the file to which the person last moved, or otherwise the file at the top of the window. */
  currentFile(): DiffFile | undefined {
    const { geometry } = this.latest;
    const scrolledFile =
      this.scrolledFile === undefined ? undefined : geometry.bodies[this.getOrder(this.scrolledFile)];
    return (scrolledFile ?? geometry.bodies[geometry.fileAt(this.scrolledTo.virtual + 1)])?.file;
  }

  private getOrder(path: string): number {
    return this.latest.geometry.bodies.findIndex(({ file }) => file.path === path);
  }

  private space() {
    return { total: this.latest.geometry.total, viewport: this.viewport.height };
  }

  /**
   * Returns the content at the top of the window, which does not move while heights change; undefined at the start of
   * the diff.
   */
  private anchor(): Anchor | undefined {
    return this.scrolledTo.virtual <= 0 ? undefined : this.latest.geometry.anchorAt(this.scrolledTo.virtual);
  }

  private moveTo(target: ScrollPosition): void {
    this.scrolledTo = target;
    const { geometry, printing } = this.latest;
    const { from, to } = this.rendered(target, geometry, printing);
    this.latest = {
      geometry,
      printing,
      visible: geometry.visible(from, to),
      height: physicalHeight(this.space()),
      shift: target.virtual - target.physical,
    };
    for (const listener of this.listeners) listener();
    if (this.element && Math.abs(this.element.scrollTop - target.physical) >= 1) {
      this.element.scrollTop = target.physical;
    }
    this.wantPatches();
    const file = this.currentFile()?.path;
    if (useCursor.getState().file !== file) useCursor.setState({ file });
  }

  /** Returns the part of the diff to render, in pixels. */
  private rendered(
    target: ScrollPosition,
    geometry: Geometry,
    printing: boolean,
  ): { from: number; to: number } {
    const isWhole = (printing || this.whole) && countRows(geometry.bodies) <= MAX_WHOLE_LINES;
    if (isWhole) return { from: 0, to: geometry.total };
    if (printing) return { from: 0, to: PRINTED };
    return {
      from: Math.max(0, target.virtual - OVERSCAN),
      to: target.virtual + this.viewport.height + OVERSCAN,
    };
  }

  /** Requests the patches in view first, then the patches around them. */
  private wantPatches(): void {
    const { geometry } = this.latest;
    const { virtual } = this.scrolledTo;
    const reach = this.viewport.height * AHEAD;
    const inView = geometry.visible(virtual, virtual + this.viewport.height);
    const around = geometry.visible(Math.max(0, virtual - reach), virtual + this.viewport.height + reach);
    const wanted = [...inView, ...around].flatMap(({ order }) => {
      const body = geometry.bodies[order];
      return body && body.state !== "folded" ? [body.file.index] : [];
    });
    useSession.getState().patches?.want(wanted);
  }

  private followAwaited(): void {
    const { awaited } = this;
    this.awaited = undefined;
    if (awaited && performance.now() < awaited.until) this.scrollToLine(awaited.line, false, awaited.until);
  }
}

import type { DiffFile } from "../../../src/review/api-types.ts";
import { type BodyOptions, buildBody, type FileBody } from "../core/file-body.ts";
import { type Anchor, Geometry, type VisibleFile } from "../core/geometry.ts";
import { FILE_HEADER_HEIGHT, LINE_HEIGHT } from "../core/line-heights.ts";
import { type LineRef, rowOf } from "../core/navigate.ts";
import type { Widget } from "../core/row-model.ts";
import { physicalHeight, placeAfterScroll, placeFor, type ScrollPlace } from "../core/scroll-space.ts";
import { useComments } from "../state/comments.ts";
import { useCursor } from "../state/cursor.ts";
import { widgetFor } from "../state/places.ts";
import { onPatches, useSession } from "../state/session.ts";
import { isFolded, useView } from "../state/view.ts";

/** Pixels rendered above and below the window. */
const OVERSCAN = 240;
/** Patches are asked for within this many windows of the visible part. */
const AHEAD = 3;

/** What the scroller renders. A new object whenever something on screen changes. */
export interface Scene {
  readonly geometry: Geometry;
  readonly visible: readonly VisibleFile[];
  /** Height of the scroller's content. */
  readonly height: number;
  /** Subtract it from a place in the diff to get one in the scroller. */
  readonly shift: number;
}

/** What the scroller's element tells: its size, and how many columns of code fit into one side. */
export interface Viewport {
  readonly height: number;
  readonly columns: number;
}

/**
 * Knows where everything of the diff stands and what of it is on screen. Follows the stores; whatever changes above
 * the window, what the person looks at stays where it is.
 */
export class DiffController {
  #scene: Scene = { geometry: new Geometry([]), visible: [], height: 0, shift: 0 };
  #viewport: Viewport = { height: 900, columns: 80 };
  #place: ScrollPlace = { physical: 0, virtual: 0 };
  #element: HTMLElement | undefined;
  #inputs = new Map<string, BodyOptions>();
  #widgets = new Map<string, readonly Widget[]>();
  readonly #bodies = new Map<string, FileBody>();
  readonly #heights = new Map<string, number>();
  #measured = new Map<string, ReadonlyMap<string, number>>();
  readonly #listeners = new Set<() => void>();
  #awaited: { readonly line: LineRef; readonly until: number } | undefined;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly scene = (): Scene => this.#scene;

  /** Starts to follow the stores; returns the way to stop. */
  start(): () => void {
    const update = () => this.update();
    const stops = [
      onPatches(update),
      useView.subscribe(update),
      useComments.subscribe(update),
      useSession.subscribe((state, before) => {
        if (state.files === before.files) return;
        this.#inputs.clear();
        this.#heights.clear();
        update();
      }),
    ];
    update();
    return () => {
      for (const stop of stops) stop();
    };
  }

  attach(element: HTMLElement, viewport: Viewport): void {
    this.#element = element;
    const same = viewport.height === this.#viewport.height && viewport.columns === this.#viewport.columns;
    this.#viewport = viewport;
    if (!same) this.update();
  }

  /** The scroller has moved. */
  scrolled(physical: number): void {
    if (physical === this.#place.physical) return;
    this.#awaited = undefined;
    this.#moveTo(placeAfterScroll(this.#space(), this.#place, physical));
  }

  /** Takes over what the stores say now. */
  update(): void {
    const anchor = this.#anchor();
    const changed = this.#rebuild();
    if (!changed) return;
    const geometry = new Geometry(this.#currentBodies());
    this.#scene = { ...this.#scene, geometry };
    const position = anchor && geometry.positionOf(anchor);
    this.#moveTo(placeFor(this.#space(), position ?? this.#place.virtual));
    this.#followAwaited();
  }

  /** Reports the height something has on screen, by the keys of `core/file-body.ts`. */
  measure(path: string, heights: ReadonlyMap<string, number>): void {
    const known = this.#measured.get(path) ?? new Map<string, number>();
    const news = [...heights].filter(([key, height]) => known.get(key) !== height);
    if (news.length === 0) return;
    this.#measured.set(path, new Map([...known, ...news]));
    this.update();
  }

  scrollToFile(path: string): void {
    const order = this.#orderOf(path);
    if (order >= 0) this.#moveTo(placeFor(this.#space(), this.#scene.geometry.topOf(order)));
  }

  /** Brings a line into view, a third from the top, unless it is in view already; waits for its patch. */
  scrollToLine(line: LineRef, always = false): void {
    const order = this.#orderOf(line.path);
    const body = this.#scene.geometry.bodies[order];
    if (!body) return;
    const row = body.rows ? rowOf(body, line.side, line.number) : -1;
    if (row < 0) {
      this.scrollToFile(line.path);
      this.#awaited = { line, until: performance.now() + 10_000 };
      return;
    }
    const top = this.#scene.geometry.rowTop(order, row);
    const { height } = this.#viewport;
    const first = this.#place.virtual + FILE_HEADER_HEIGHT + LINE_HEIGHT;
    const isInView = top >= first && top <= this.#place.virtual + height - LINE_HEIGHT * 3;
    if (!isInView || always) this.#moveTo(placeFor(this.#space(), top - height / 3));
  }

  /** Moves by a part of the window. */
  scrollBy(windows: number): void {
    this.#moveTo(placeFor(this.#space(), this.#place.virtual + this.#viewport.height * windows));
  }

  scrollToEnd(end: "start" | "end"): void {
    this.#moveTo(placeFor(this.#space(), end === "start" ? 0 : this.#scene.geometry.total));
  }

  /** The file at the top of the window. */
  currentFile(): DiffFile | undefined {
    const { geometry } = this.#scene;
    return geometry.bodies[geometry.fileAt(this.#place.virtual + 1)]?.file;
  }

  #orderOf(path: string): number {
    return this.#scene.geometry.bodies.findIndex(({ file }) => file.path === path);
  }

  #space() {
    return { total: this.#scene.geometry.total, viewport: this.#viewport.height };
  }

  /** What is to stay in place: the line of the open editor when it is in view, else what stands at the top. */
  #anchor(): Anchor | undefined {
    return this.#place.virtual <= 0 ? undefined : this.#scene.geometry.anchorAt(this.#place.virtual);
  }

  #moveTo(place: ScrollPlace): void {
    this.#place = place;
    const { geometry } = this.#scene;
    const from = Math.max(0, place.virtual - OVERSCAN);
    const to = place.virtual + this.#viewport.height + OVERSCAN;
    this.#scene = {
      geometry,
      visible: geometry.visible(from, to),
      height: physicalHeight(this.#space()),
      shift: place.virtual - place.physical,
    };
    for (const listener of this.#listeners) listener();
    if (this.#element && Math.abs(this.#element.scrollTop - place.physical) >= 1) {
      this.#element.scrollTop = place.physical;
    }
    this.#wantPatches();
    const file = this.currentFile()?.path;
    if (useCursor.getState().file !== file) useCursor.setState({ file });
  }

  /** Asks for the patches in view first, then those around. */
  #wantPatches(): void {
    const { geometry } = this.#scene;
    const { virtual } = this.#place;
    const reach = this.#viewport.height * AHEAD;
    const inView = geometry.visible(virtual, virtual + this.#viewport.height);
    const around = geometry.visible(Math.max(0, virtual - reach), virtual + this.#viewport.height + reach);
    const wanted = [...inView, ...around].flatMap(({ order }) => {
      const body = geometry.bodies[order];
      return body && body.state !== "folded" ? [body.file.index] : [];
    });
    useSession.getState().patches?.want(wanted);
  }

  #currentBodies(): FileBody[] {
    return useSession.getState().files.flatMap(({ path }) => this.#bodies.get(path) ?? []);
  }

  /** Builds the bodies whose ingredients changed; true when there were any. */
  #rebuild(): boolean {
    const { files, patches } = useSession.getState();
    const view = useView.getState();
    this.#collectWidgets();
    let changed = files.length !== this.#scene.geometry.bodies.length || this.#inputs.size === 0;
    for (const file of files) {
      const options: BodyOptions = {
        file,
        patch: patches?.get(file.index),
        failed: patches?.hasFailed(file.index) ?? false,
        folded: isFolded(view, file),
        layout: view.layout,
        columns: view.wrap ? this.#viewport.columns : undefined,
        widgets: this.#widgets.get(file.path) ?? NO_WIDGETS,
        expansions: view.expansions[file.path],
        text: linesOf(view.texts[file.path]),
        measured: this.#measured.get(file.path) ?? NOTHING_MEASURED,
        lastHeight: this.#heights.get(file.path),
      };
      const before = this.#inputs.get(file.path);
      if (before && isSame(before, options)) continue;
      changed = true;
      this.#inputs.set(file.path, options);
      const body = buildBody(options);
      this.#bodies.set(file.path, body);
      if (body.state === "rows") this.#heights.set(file.path, body.height);
    }
    return changed;
  }

  /** Widgets by path, the same array while nothing about them changed. */
  #collectWidgets(): void {
    const { comments } = useComments.getState();
    const byPath = new Map<string, Map<string, Widget>>();
    for (const comment of comments) {
      const widget = widgetFor(comment);
      if (!widget || comment.path === undefined) continue;
      const widgets = byPath.get(comment.path) ?? new Map<string, Widget>();
      widgets.set(widget.key, widget);
      byPath.set(comment.path, widgets);
    }
    const next = new Map<string, readonly Widget[]>();
    for (const [path, widgets] of byPath) {
      const before = this.#widgets.get(path) ?? NO_WIDGETS;
      const same = before.length === widgets.size && before.every(({ key }) => widgets.has(key));
      next.set(path, same ? before : [...widgets.values()]);
    }
    this.#widgets = next;
  }

  #followAwaited(): void {
    const awaited = this.#awaited;
    if (!awaited) return;
    this.#awaited = undefined;
    if (performance.now() < awaited.until) this.scrollToLine(awaited.line);
  }
}

const NO_WIDGETS: readonly Widget[] = [];
const NOTHING_MEASURED: ReadonlyMap<string, number> = new Map();
const textLines = new Map<string, readonly string[]>();

/** The lines of a text, the same array for the same text. */
function linesOf(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const known = textLines.get(text);
  if (known) return known;
  const lines = text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  if (lines.at(-1) === "") lines.pop();
  textLines.set(text, lines);
  return lines;
}

function isSame(a: BodyOptions, b: BodyOptions): boolean {
  return (
    a.file === b.file &&
    a.patch === b.patch &&
    a.failed === b.failed &&
    a.folded === b.folded &&
    a.layout === b.layout &&
    a.columns === b.columns &&
    a.widgets === b.widgets &&
    a.expansions === b.expansions &&
    a.text === b.text &&
    a.measured === b.measured
  );
}

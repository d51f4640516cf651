import type { Widget } from "../../../src/render/diff/row-model.ts";
import type { DiffFile } from "../../../src/review/api-types.ts";
import { type BodyOptions, buildBody, type FileBody, type MeasuredHeights } from "../core/rows/file-body.ts";
import { useComments } from "../state/comments.ts";
import { notebookView } from "../state/notebooks.ts";
import { widgetFor } from "../state/positions.ts";
import { useSession } from "../state/session.ts";
import { earlierComments } from "../state/since.ts";
import { threadWidgets } from "../state/threads.ts";
import { isFolded, useView } from "../state/view.ts";

/**
 * Returns a key for a file of a diff. A path is not unique: a file that became a link is listed twice, as deleted and
 * as added. Pure.
 */
export function partKey({ path, oldMode, newMode }: DiffFile): string {
  return oldMode === undefined && newMode !== undefined ? `+${path}` : ` ${path}`;
}

/** Caches the layout of all files. Rebuilds a body only when its inputs change. */
export class LayoutCache {
  private readonly bodies = new Map<string, FileBody>();
  private readonly inputs = new Map<string, BodyOptions>();
  /** Heights of bodies whose patch was loaded before. */
  private readonly heights = new Map<string, number>();
  private readonly measured = new Map<string, MeasuredHeights>();
  private readonly textLines = new Map<string, readonly string[]>();
  private widgets = new Map<string, readonly Widget[]>();
  private columns: number | undefined;
  private tabWidth: number | undefined;
  private count = -1;

  /** Clears all layouts and texts, because another diff is shown. Keeps measured heights. */
  clear(): void {
    this.bodies.clear();
    this.inputs.clear();
    this.heights.clear();
    this.textLines.clear();
    this.count = -1;
  }

  /** Stores measured heights. Returns false if no height is new. */
  measure(file: DiffFile, seen: Partial<MeasuredHeights>): boolean {
    const known = this.measured.get(partKey(file)) ?? NOTHING_MEASURED;
    const widgets = withNews(known.widgets, seen.widgets);
    const lines = withNews(known.lines, seen.lines);
    if (widgets === known.widgets && lines === known.lines) return false;
    this.measured.set(partKey(file), { widgets, lines });
    return true;
  }

  /**
   * Returns all bodies in page order, or undefined if none has changed. `columns` has the same meaning as in
   * `BodyOptions`. With `only`, checks only these files.
   */
  update(columns: number | undefined, only?: readonly DiffFile[]): FileBody[] | undefined {
    const { files } = useSession.getState();
    this.collectWidgets();
    const { tabWidth } = useView.getState();
    if (columns !== this.columns || tabWidth !== this.tabWidth) this.forgetLines();
    this.columns = columns;
    this.tabWidth = tabWidth;
    let changed = files.length !== this.count;
    this.count = files.length;
    for (const file of only ?? files) {
      const options = this.optionsFor(file);
      const before = this.inputs.get(partKey(file));
      if (before && isSame(before, options)) continue;
      changed = true;
      this.keep(options);
    }
    return changed ? files.flatMap((file) => this.bodies.get(partKey(file)) ?? []) : undefined;
  }

  private optionsFor(file: DiffFile): BodyOptions {
    const { patches } = useSession.getState();
    const view = useView.getState();
    const raw = patches?.get(file.index);
    const notebook = raw && !isFolded(view, file) ? notebookView(file) : undefined;
    const isWaiting = notebook === "waiting";
    return {
      file,
      patch: isWaiting ? undefined : (notebook?.text.patch ?? raw),
      failed: patches?.hasFailed(file.index) ?? false,
      folded: isFolded(view, file),
      layout: view.layout,
      columns: this.columns,
      tabWidth: view.tabWidth,
      widgets: this.widgets.get(file.path) ?? NO_WIDGETS,
      expansions: view.expansions.get(file.path),
      text: notebook ? undefined : this.linesOf(view.texts.get(file.path)),
      notebook: isWaiting ? undefined : notebook,
      measured: this.measured.get(partKey(file)) ?? NOTHING_MEASURED,
      lastHeight: this.heights.get(partKey(file)),
    };
  }

  /** Returns the lines of a text, in the same array for the same text. */
  private linesOf(text: string | undefined): readonly string[] | undefined {
    if (text === undefined) return undefined;
    const known = this.textLines.get(text);
    if (known) return known;
    const lines = text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
    if (lines.at(-1) === "") lines.pop();
    this.textLines.set(text, lines);
    return lines;
  }

  /** Drops the measured heights of lines, because lines wrap differently at another width or tab width. */
  private forgetLines(): void {
    for (const [key, { widgets }] of this.measured) {
      this.measured.set(key, { widgets, lines: NOTHING_MEASURED.lines });
    }
  }

  private keep(options: BodyOptions): void {
    const key = partKey(options.file);
    const [before, bodyBefore] = [this.inputs.get(key), this.bodies.get(key)];
    // Drops the measured heights of lines when a notebook changes between cells and raw diff, because the
    // lines of both have the same keys.
    const measured = this.measured.get(key);
    if (measured && before && !before.notebook !== !options.notebook) {
      this.measured.set(key, { ...measured, lines: NOTHING_MEASURED.lines });
    }
    const body = buildBody(options, before && bodyBefore && { options: before, body: bodyBefore });
    this.inputs.set(key, options);
    this.bodies.set(key, body);
    if (body.state === "rows") this.heights.set(key, body.height);
  }

  /** Collects the widgets by path. Keeps an array while its keys are the same. */
  private collectWidgets(): void {
    const { comments } = useComments.getState();
    const byPath = new Map<string, Map<string, Widget>>();
    for (const comment of comments) {
      const widget = widgetFor(comment);
      if (!widget || comment.path === undefined) continue;
      const widgets = byPath.get(comment.path) ?? new Map<string, Widget>();
      widgets.set(widget.key, widget);
      byPath.set(comment.path, widgets);
    }
    for (const [path, ofThreads] of threadWidgets()) {
      const widgets = byPath.get(path) ?? new Map<string, Widget>();
      for (const [key, widget] of ofThreads) widgets.set(key, widget);
      byPath.set(path, widgets);
    }
    for (const { annotation, widget } of earlierComments()) {
      const widgets = byPath.get(annotation.filePath) ?? new Map<string, Widget>();
      widgets.set(widget.key, widget);
      byPath.set(annotation.filePath, widgets);
    }
    // Widgets of old lines are hidden while the page shows only the changes since the last feedback, because
    // the numbers of old lines differ.
    const isWhole = useSession.getState().since === undefined;
    const next = new Map<string, readonly Widget[]>();
    for (const [path, widgets] of byPath) {
      const shown = [...widgets.values()].filter(({ side }) => isWhole || side === "new");
      const before = this.widgets.get(path) ?? NO_WIDGETS;
      const same = before.length === shown.length && before.every(({ key }) => widgets.has(key));
      next.set(path, same ? before : shown);
    }
    this.widgets = next;
  }
}

const NO_WIDGETS: readonly Widget[] = [];
const NOTHING_MEASURED: MeasuredHeights = { widgets: new Map(), lines: new Map() };

/** Returns a map with the new values, or the same map if no value is new. */
function withNews<Key>(
  known: ReadonlyMap<Key, number>,
  seen: ReadonlyMap<Key, number> | undefined,
): ReadonlyMap<Key, number> {
  const news = [...(seen ?? [])].filter(([key, height]) => known.get(key) !== height);
  return news.length === 0 ? known : new Map([...known, ...news]);
}

function isSame(a: BodyOptions, b: BodyOptions): boolean {
  return (
    a.file === b.file &&
    a.patch === b.patch &&
    a.failed === b.failed &&
    a.folded === b.folded &&
    a.layout === b.layout &&
    a.columns === b.columns &&
    a.tabWidth === b.tabWidth &&
    a.widgets === b.widgets &&
    a.expansions === b.expansions &&
    a.text === b.text &&
    a.notebook === b.notebook &&
    a.measured === b.measured
  );
}

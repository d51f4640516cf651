import type { Widget } from "../../../src/render/diff/row-model.ts";
import type { DiffFile, Thread } from "../../../src/review/api-types.ts";
import { isLive, useThreads } from "../../shared/threads/thread-store.ts";
import { byPath } from "../../shared/threads/threads.ts";
import { useCursor } from "./cursor.ts";
import { useSession } from "./session.ts";

/** The threads of a list by the key of their widget, with the widgets and counts of each file. */
interface Grouped {
  readonly byKey: ReadonlyMap<string, readonly Thread[]>;
  /** By path. */
  readonly widgets: ReadonlyMap<string, ReadonlyMap<string, Widget>>;
  /** Number of open threads by path. */
  readonly open: ReadonlyMap<string, number>;
}

/**
 * Returns whether replies are possible. In a live review they reach the agent, and in a review of a pull request they
 * can be posted.
 */
export const canRespond = (): boolean => isLive() || useSession.getState().index?.source === "pr";

const grouped = new WeakMap<readonly Thread[], Grouped>();

/**
 * Returns the threads on files and lines, grouped by line. The result is cached, because this is called for every row
 * with a widget.
 */
function groups(): Grouped {
  const { threads } = useThreads.getState();
  const known = grouped.get(threads) ?? group(threads);
  grouped.set(threads, known);
  return known;
}

function group(threads: readonly Thread[]): Grouped {
  const byKey = new Map<string, Thread[]>();
  const widgets = new Map<string, Map<string, Widget>>();
  const open = new Map<string, number>();
  for (const [path, ofFile] of byPath(threads)) {
    const widgetsHere = new Map<string, Widget>();
    for (const thread of ofFile) {
      const widget = threadWidget(path, thread);
      widgetsHere.set(widget.key, widget);
      const there = byKey.get(widget.key);
      if (there) there.push(thread);
      else byKey.set(widget.key, [thread]);
    }
    widgets.set(path, widgetsHere);
    open.set(path, ofFile.filter(({ state }) => state === "open").length);
  }
  return { byKey, widgets, open };
}

/**
 * Returns the widget of a thread: below its last line, or at the top of the file. The widget of a comment at the same
 * line has the same key.
 */
function threadWidget(path: string, { anchor, outdated }: Thread): Widget {
  const isOnLine = anchor.kind === "lines" && !outdated;
  const side = isOnLine ? anchor.side : "new";
  const line = isOnLine ? anchor.lineEnd : 0;
  return { key: `${path}:${side}:${line}`, side, line };
}

/** Returns the threads of one widget. */
export function threadsAt(widgetKey: string): readonly Thread[] {
  return groups().byKey.get(widgetKey) ?? NONE;
}

const NONE: readonly Thread[] = [];

/** Returns the number of open threads of a file. */
export function openThreadsIn(path: string | undefined): number {
  return groups().open.get(path ?? "") ?? 0;
}

/** Returns the widgets of the threads on files and lines, by path. */
export function threadWidgets(): Grouped["widgets"] {
  return groups().widgets;
}

/** Returns the files whose threads differ between the lists `after` and `before`. */
export function filesWithNewThreads(
  files: readonly DiffFile[],
  after: readonly Thread[],
  before: readonly Thread[],
): readonly DiffFile[] {
  const known = new Set(before);
  const now = new Set(after);
  const changed = [
    ...after.filter((thread) => !known.has(thread)),
    ...before.filter((thread) => !now.has(thread)),
  ];
  const paths = new Set(changed.flatMap(({ anchor }) => ("path" in anchor ? [anchor.path] : [])));
  return files.filter(({ path }) => paths.has(path));
}

/**
 * Activates a thread below the cursor's line whenever the cursor moves, preferably an open one. Without a thread there,
 * deactivates the active thread. Returns a function that unsubscribes.
 */
export function activateAtCursor(): () => void {
  return useCursor.subscribe(({ cursor }, before) => {
    if (cursor === before.cursor || !cursor) return;
    const here = threadsAt(`${cursor.path}:${cursor.side}:${cursor.number}`);
    const { activeId } = useThreads.getState();
    if (here.some(({ id }) => id === activeId)) return;
    const next = here.find(({ state }) => state === "open") ?? here[0];
    if (next?.id !== activeId) useThreads.setState({ activeId: next?.id });
  });
}

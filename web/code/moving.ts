import type { Side } from "../../src/render/diff/patch/parsed-patch.ts";
import type { DiffFile } from "../../src/review/api-types.ts";
import { useThreads } from "../shared/threads/thread-store.ts";
import { goToComment, goToThread } from "./comments/move.ts";
import { inFileOrder } from "./core/comment.ts";
import type { Geometry } from "./core/rows/geometry.ts";
import {
  findRow,
  getRow,
  type LineRef,
  nextHunk,
  nextLine,
  numberAt,
  type RowPosition,
} from "./core/rows/navigate.ts";
import type { DiffController } from "./diff/controller.ts";
import { useComments } from "./state/comments.ts";
import { focusCursor, preferSide, selectedLines, setCursor, useCursor } from "./state/cursor.ts";
import { currentPosition } from "./state/positions.ts";
import { useSession } from "./state/session.ts";
import { useView } from "./state/view.ts";

type Step = 1 | -1;

/** Moves the cursor by one line, or to the first line in view if the cursor is not in view. */
export function moveLine(controller: DiffController, step: Step): void {
  const row = cursorPosition(controller);
  const { geometry } = controller.scene();
  show(
    controller,
    row
      ? nextLine(geometry, row, step, sideToKeep())
      : nextLine(geometry, controller.rowInView(), 1, sideToKeep()),
  );
}

/** Moves the cursor to the next or previous block of changes. Waits for patches that are not loaded yet. */
export async function moveHunk(controller: DiffController, step: Step): Promise<void> {
  const inView = controller.rowInView();
  const from = cursorPosition(controller) ?? (step > 0 ? inView : { ...inView, row: inView.row + 1 });
  for (;;) {
    const { geometry } = controller.scene();
    const line = nextHunk(geometry, from, step, sideToKeep());
    const waiting = waitingBefore(geometry, from.order, step, line);
    const { patches } = useSession.getState();
    if (waiting) await patches?.ensure(waiting.index);
    if (!waiting || !patches?.get(waiting.index)) {
      show(controller, line);
      return;
    }
  }
}

/** Returns the first file, on the way to the line, whose patch is not loaded. */
function waitingBefore(
  { bodies }: Geometry,
  order: number,
  step: Step,
  line: LineRef | undefined,
): DiffFile | undefined {
  for (let at = order; bodies[at] && bodies[at]?.file.path !== line?.path; at += step) {
    if (bodies[at]?.state === "waiting") return bodies[at]?.file;
  }
  return undefined;
}

/**
 * Moves the cursor to the same row on `side`, if the row has a line there. In the split layout, later moves keep the
 * side.
 */
export function changeSide(controller: DiffController, side: Side): void {
  const { cursor } = useCursor.getState();
  const body = controller.scene().geometry.bodies.find(({ file }) => file.path === cursor?.path);
  preferSide(side);
  if (!cursor || !body) return;
  const number = numberAt(body, getRow(body, cursor.side, cursor.number), side);
  if (number > 0) show(controller, { ...cursor, side, number });
}

/** Extends or shrinks the selection by a line. */
export function extend(controller: DiffController, step: Step): void {
  const line = selectedLines() ?? undefined;
  const body = controller.scene().geometry.bodies.find(({ file }) => file.path === line?.path);
  if (!line || !body) {
    moveLine(controller, step);
    return;
  }
  const to = line.to + step;
  if (getRow(body, line.side, to) < 0) return;
  useCursor.setState({ range: { ...line, to }, cursor: { path: line.path, side: line.side, number: to } });
  controller.scrollToLine({ path: line.path, side: line.side, number: to });
  focusCursor();
}

/** Moves to the next or previous open thread or comment of this diff. Wraps around at the ends. */
export function moveComment(controller: DiffController, step: Step): void {
  const { files } = useSession.getState();
  const orderByPath = new Map(files.map(({ path }, order) => [path, order]));
  const rank = (path: string | undefined) => orderByPath.get(path ?? "") ?? -1;
  const comments = inFileOrder(useComments.getState().comments, rank).filter(
    (each) => currentPosition(each).state !== "elsewhere",
  );
  const { cursor } = useCursor.getState();
  const orderAt = (path: string | undefined, number: number) => rank(path) * 1e7 + number;
  const { threads, activeId } = useThreads.getState();
  const stops: { readonly order: number; readonly thread?: string; readonly go: () => void }[] = [
    ...comments.map((each) => {
      const position = currentPosition(each);
      const order = orderAt(each.path, "end" in position ? position.end : 0);
      return { order, go: () => goToComment(controller, each) };
    }),
    ...threads
      .filter(({ state }) => state === "open")
      .map((thread) => {
        const { anchor, outdated } = thread;
        const path = "path" in anchor ? anchor.path : undefined;
        const order = orderAt(path, anchor.kind === "lines" && !outdated ? anchor.lineEnd : 0);
        return { order, thread: thread.id, go: () => goToThread(controller, thread) };
      }),
  ].sort((a, b) => a.order - b.order);
  // Several threads may be on one line, so moving starts from the active thread if there is one.
  const active = stops.findIndex(({ thread }) => thread !== undefined && thread === activeId);
  const here = cursor ? orderAt(cursor.path, cursor.number) : -1;
  const next =
    active >= 0
      ? active + step
      : step > 0
        ? stops.findIndex(({ order }) => order > here)
        : stops.findLastIndex(({ order }) => order < here);
  const target = stops[next] ?? stops.at(step > 0 ? 0 : -1);
  target?.go();
}

/** Moves to the next or previous file. */
export function moveFile(controller: DiffController, step: Step): void {
  const { files } = useSession.getState();
  const here = fileHere(controller);
  const next = here && files[files.indexOf(here) + step];
  if (next) goToFile(controller, next.path);
}

/** Scrolls a file to the top as far as possible and clears the cursor, so that keys act on the file. */
export function goToFile(controller: DiffController, path: string): void {
  setCursor(undefined);
  controller.scrollToFile(path);
  flashHeader(path);
}

/** Highlights a file's header briefly, because near the end of the diff it cannot be scrolled to the top. */
function flashHeader(path: string): void {
  requestAnimationFrame(() => {
    const header = document.querySelector(`[data-path="${CSS.escape(path)}"] .file-header`);
    const outline = "2px solid var(--copper)";
    header?.animate(
      [
        { outline, outlineOffset: "-2px" },
        { outline, outlineOffset: "-2px" },
      ],
      1_500,
    );
  });
}

/**
 * Returns the current file: that of the cursor if the cursor is in view, otherwise the file to which the person last
 * moved or the file at the top of the window.
 */
export function fileHere(controller: DiffController): DiffFile | undefined {
  const row = cursorPosition(controller);
  return row ? controller.scene().geometry.bodies[row.order]?.file : controller.currentFile();
}

/**
 * Returns the position of the cursor. Returns undefined if the cursor is not in view, so that moves start
 * from the visible lines.
 */
function cursorPosition(controller: DiffController): RowPosition | undefined {
  const { cursor } = useCursor.getState();
  return cursor && controller.isInView(cursor) ? findRow(controller.scene().geometry, cursor) : undefined;
}

/**
 * Returns the side on which the cursor moves. The unified layout has one column, in which only removed lines
 * are old.
 */
function sideToKeep(): Side {
  return useView.getState().layout === "unified" ? "new" : useCursor.getState().preferred;
}

function show(controller: DiffController, line: LineRef | undefined): void {
  if (!line) return;
  setCursor(line);
  controller.scrollToLine(line);
  focusCursor();
}

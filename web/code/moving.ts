import type { Side } from "../../src/render/diff/patch/parsed-patch.ts";
import type { DiffFile } from "../../src/review/api-types.ts";
import { goToComment } from "./comments/move.ts";
import { inFileOrder } from "./core/comment.ts";
import type { Geometry } from "./core/rows/geometry.ts";
import {
  findRow,
  type LineRef,
  nextHunk,
  nextLine,
  numberAt,
  type RowPosition,
  rowOf,
} from "./core/rows/navigate.ts";
import type { DiffController } from "./diff/controller.ts";
import { useComments } from "./state/comments.ts";
import { focusCursor, preferSide, selectedLines, setCursor, useCursor } from "./state/cursor.ts";
import { currentPosition } from "./state/positions.ts";
import { useSession } from "./state/session.ts";
import { useView } from "./state/view.ts";

type Step = 1 | -1;

/** To the next line; to the first one in view when the keyboard stands nowhere in view. */
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

/** To the next stretch of changed lines, once the patches on the way are here. */
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

/** The first file on the way to a line of which nobody knows yet what it holds. */
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

/** To the same row on the other side, where it has a line there; later moves keep to that side. */
export function changeSide(controller: DiffController, side: Side): void {
  const { cursor } = useCursor.getState();
  const body = controller.scene().geometry.bodies.find(({ file }) => file.path === cursor?.path);
  preferSide(side);
  if (!cursor || !body) return;
  const number = numberAt(body, rowOf(body, cursor.side, cursor.number), side);
  if (number > 0) show(controller, { ...cursor, side, number });
}

/** Selects one line more, or one less. */
export function extend(controller: DiffController, step: Step): void {
  const line = selectedLines() ?? undefined;
  const body = controller.scene().geometry.bodies.find(({ file }) => file.path === line?.path);
  if (!line || !body) {
    moveLine(controller, step);
    return;
  }
  const to = line.to + step;
  if (rowOf(body, line.side, to) < 0) return;
  useCursor.setState({ range: { ...line, to }, cursor: { path: line.path, side: line.side, number: to } });
  controller.scrollToLine({ path: line.path, side: line.side, number: to });
  focusCursor();
}

/** To the next comment of this diff that has a place in it, or to the one before. */
export function moveComment(controller: DiffController, step: Step): void {
  const { files } = useSession.getState();
  const orderOf = new Map(files.map(({ path }, order) => [path, order]));
  const rank = (path: string | undefined) => orderOf.get(path ?? "") ?? -1;
  const comments = inFileOrder(useComments.getState().comments, rank).filter(
    (each) => currentPosition(each).state !== "elsewhere",
  );
  const { cursor } = useCursor.getState();
  const orderAt = (path: string | undefined, number: number) => rank(path) * 1e7 + number;
  const here = cursor ? orderAt(cursor.path, cursor.number) : -1;
  const orders = comments.map((each) => {
    const position = currentPosition(each);
    return orderAt(each.path, "end" in position ? position.end : 0);
  });
  const next =
    step > 0 ? orders.findIndex((each) => each > here) : orders.findLastIndex((each) => each < here);
  const target = comments[next] ?? comments.at(step > 0 ? 0 : -1);
  if (target) goToComment(controller, target);
}

/** To the next file, or to the one before. */
export function moveFile(controller: DiffController, step: Step): void {
  const { files } = useSession.getState();
  const here = fileHere(controller);
  const next = here && files[files.indexOf(here) + step];
  if (next) goToFile(controller, next.path);
}

/** Brings a file to the top as far as possible; the keys act on it from now on. */
export function goToFile(controller: DiffController, path: string): void {
  setCursor(undefined);
  controller.scrollToFile(path);
  flashHeader(path);
}

/** Shows which file was meant, also near the end of the diff, where it cannot be brought to the top. */
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

/** The file the person is in: that of the keyboard's line when it is in view, else the one they look at. */
export function fileHere(controller: DiffController): DiffFile | undefined {
  const row = cursorPosition(controller);
  return row ? controller.scene().geometry.bodies[row.order]?.file : controller.currentFile();
}

/** Where the keyboard stands, when that is in view: nobody goes on from a line that was scrolled away. */
function cursorPosition(controller: DiffController): RowPosition | undefined {
  const { cursor } = useCursor.getState();
  return cursor && controller.isInView(cursor) ? findRow(controller.scene().geometry, cursor) : undefined;
}

/** Unified lines have one column, where only what was removed is old. */
function sideToKeep(): Side {
  return useView.getState().layout === "unified" ? "new" : useCursor.getState().preferred;
}

function show(controller: DiffController, line: LineRef | undefined): void {
  if (!line) return;
  setCursor(line);
  controller.scrollToLine(line);
  focusCursor();
}

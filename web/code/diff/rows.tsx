import { lazy, Suspense, useEffect, useMemo } from "react";
import type { ParsedPatch, Side } from "../../../src/render/diff/patch/parsed-patch.ts";
import {
  type Layout,
  ROW_BLOCK,
  ROW_CONTEXT,
  ROW_GAP,
  ROW_LINE,
  ROW_WIDGET,
} from "../../../src/render/diff/row-model.ts";
import type { DiffMove } from "../../../src/review/api-types.ts";
import { Thread } from "../comments/thread.tsx";
import { type FileMoves, moveAt } from "../core/moves.ts";
import type { NotebookBlock } from "../core/notebook/notebook-view.ts";
import type { FileBody } from "../core/rows/file-body.ts";
import { type LineRef, numberAt } from "../core/rows/navigate.ts";
import { useHighlighting } from "../highlight/highlight-lines.ts";
import { getLastLine, getStart, type LineRange } from "../state/cursor.ts";
import { loadOtherEnd, useMoves } from "../state/moves.ts";
import { type LinesSince, useRounds } from "../state/rounds.ts";
import { type FoundMatch, useSearch } from "../state/search.ts";
import { useSession } from "../state/session.ts";
import { useView, wholeLineKey } from "../state/view.ts";
import type { DiffController } from "./controller.ts";
import { GapRow } from "./gap-row.tsx";
import type { LineSearch } from "./line-content.ts";
import { LineRow } from "./line-row.tsx";
import { NoticeRow } from "./notice-row.tsx";

const NotebookRow = lazy(() =>
  import("../notebook/notebook-row.tsx").then((module) => ({ default: module.NotebookRow })),
);

interface RowsProps {
  readonly controller: DiffController;
  readonly body: FileBody & { readonly patch: ParsedPatch };
  readonly from: number;
  readonly to: number;
  readonly layout: Layout;
  readonly wrap: boolean;
  readonly range: LineRange | undefined;
  readonly cursor: LineRef | undefined;
}

export function Rows({ controller, body, from, to, layout, wrap, range, cursor }: RowsProps) {
  const highlighting = useHighlighting(({ version }) => version);
  const pattern = useSearch((search) => search.pattern);
  const match = useSearch((search) => currentIn(search.matches[search.current], body.file.path));
  const wholeLines = useView((view) => view.wholeLines);
  const path = body.file.path;
  const since = useRounds(({ lines }) => lines.get(path));
  // Moved lines are found in the raw diff, so they are not shown in a notebook that is shown by cells.
  const moves = useMoves(({ files }) => (body.notebook ? undefined : files.get(path)));
  const edited = useEditedMoves(body, from, to, moves);
  const otherEnds = useSession(({ patchVersion }) => (edited ? patchVersion : 0));
  return Array.from({ length: Math.max(0, to - from) }, (_, step) => {
    const row = from + step;
    const left = body.rows?.left[row] ?? -1;
    const right = body.rows?.right[row] ?? -1;
    switch (body.rows?.kind[row]) {
      case ROW_LINE:
      case ROW_CONTEXT:
        return (
          <LineRow
            key={`${body.rows.kind[row]} ${left} ${right}`}
            controller={controller}
            body={body}
            row={row}
            layout={layout}
            wrap={wrap}
            picked={range ? pickedSides(body, row, range) : 0}
            since={since ? newSides(body, row, since) : 0}
            movedAway={moves && moveAt(moves, "old", numberAt(body, row, "old"))}
            movedHere={moves && moveAt(moves, "new", numberAt(body, row, "new"))}
            otherEnds={otherEnds}
            cursor={cursor && numberAt(body, row, cursor.side) === cursor.number ? cursor.side : undefined}
            search={searchIn(pattern, match, body, row)}
            whole={isWhole(wholeLines, body, row)}
            highlighting={highlighting}
          />
        );
      case ROW_BLOCK: {
        const block = body.notebook?.blocks[left];
        return (
          block && <BlockRow key={block.key} controller={controller} body={body} row={row} block={block} />
        );
      }
      case ROW_GAP:
        return <GapRow key={`gap ${left}`} body={body} row={row} gap={left} />;
      case ROW_WIDGET: {
        const key = body.rows.widgets[left]?.key ?? "";
        return (
          <Thread
            key={key}
            controller={controller}
            file={body.file}
            widgetKey={key}
            row={row}
            layout={layout}
          />
        );
      }
      default:
        return <NoticeRow key="notice" body={body} row={row} />;
    }
  });
}

interface BlockRowProps {
  readonly controller: DiffController;
  readonly body: FileBody;
  readonly row: number;
  readonly block: NotebookBlock;
}

/** Renders a row of a notebook that is not a line. */
function BlockRow(props: BlockRowProps) {
  return (
    <Suspense fallback={<div role="row" className="row block-row" />}>
      <NotebookRow {...props} />
    </Suspense>
  );
}

/**
 * Loads the other ends of the edited moves in a range of rows. Returns whether the range has an edited move.
 */
function useEditedMoves(body: FileBody, from: number, to: number, moves: FileMoves | undefined): boolean {
  const edited = useMemo(() => (moves ? editedMoves(body, from, to, moves) : []), [body, from, to, moves]);
  useEffect(() => {
    for (const { move, side } of edited) void loadOtherEnd(move, side);
  }, [edited]);
  return edited.length > 0;
}

function editedMoves(body: FileBody, from: number, to: number, moves: FileMoves) {
  const found = new Map<DiffMove, Side>();
  for (let row = from; row < to; row++) {
    for (const side of ["old", "new"] as const) {
      const move = moveAt(moves, side, numberAt(body, row, side));
      if (move?.changed) found.set(move, side);
    }
  }
  return [...found].map(([move, side]) => ({ move, side }));
}

function isWhole(wholeLines: ReadonlySet<string>, { file, rows }: FileBody, row: number): boolean {
  const isContext = rows?.kind[row] === ROW_CONTEXT;
  return [rows?.left[row], rows?.right[row]].some(
    (line) => line !== undefined && wholeLines.has(wholeLineKey(file.path, line, isContext)),
  );
}

function pickedSides(body: FileBody, row: number, range: LineRange): number {
  const number = numberAt(body, row, range.side);
  if (number < getStart(range) || number > getLastLine(range)) return 0;
  return range.side === "old" ? 1 : 2;
}

function newSides(body: FileBody, row: number, since: LinesSince): number {
  const isNew = (side: Side) => since[side].has(numberAt(body, row, side));
  return (isNew("old") ? 1 : 0) + (isNew("new") ? 2 : 0);
}

function currentIn(match: FoundMatch | undefined, path: string): FoundMatch | undefined {
  return match?.path === path ? match : undefined;
}

const withoutCurrent = new WeakMap<RegExp, LineSearch>();

/**
 * Returns the search highlights of a row. All rows without the current match get the same object, so that they do not
 * render again.
 */
function searchIn(
  pattern: RegExp | undefined,
  match: FoundMatch | undefined,
  body: FileBody,
  row: number,
): LineSearch | undefined {
  if (!pattern) return undefined;
  const side: Side = match?.side ?? "new";
  if (match && numberAt(body, row, side) === match.number) return { pattern, current: match };
  const known = withoutCurrent.get(pattern) ?? { pattern, current: undefined };
  withoutCurrent.set(pattern, known);
  return known;
}

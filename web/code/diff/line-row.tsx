import { memo, useMemo } from "react";
import { shallow } from "zustand/shallow";
import { classNames } from "../../../src/render/class-names.ts";
import {
  LINE_ADDED,
  LINE_REMOVED,
  lineText,
  type ParsedPatch,
  type Side,
} from "../../../src/render/diff/patch/parsed-patch.ts";
import { type Layout, ROW_CONTEXT } from "../../../src/render/diff/row-model.ts";
import type { DiffMove } from "../../../src/review/api-types.ts";
import { thousands } from "../core/count.ts";
import { rangeOn } from "../core/moves.ts";
import type { FileBody } from "../core/rows/file-body.ts";
import { isUncertain } from "../core/rows/line-heights.ts";
import { numberAt } from "../core/rows/navigate.ts";
import { CodeText } from "../highlight/code-text.tsx";
import { textAtOtherEnd } from "../state/moves.ts";
import { showWholeLine, wholeLineKey } from "../state/view.ts";
import type { DiffController } from "./controller.ts";
import { contextLine, type LineContent, type LineSearch, noticeOn, patchLine } from "./line-content.ts";
import { MoveLink } from "./move-link.tsx";

interface LineRowProps {
  readonly controller: DiffController;
  readonly body: FileBody & { readonly patch: ParsedPatch };
  readonly row: number;
  readonly layout: Layout;
  /** Sides whose line is selected, as a bit set: 1 old, 2 new, 3 both. */
  readonly picked: number;
  /** Sides whose line is new since the last feedback, as a bit set like `picked`. */
  readonly since: number;
  /** The move to which the old line belongs, and that of the new line. */
  readonly movedAway: DiffMove | undefined;
  readonly movedHere: DiffMove | undefined;
  /** A number that changes when the other end of an edited move has been loaded. */
  readonly otherEnds: number;
  /** The side of the keyboard cursor, if it is in this row. */
  readonly cursor: Side | undefined;
  readonly search: LineSearch | undefined;
  readonly whole: boolean;
  readonly wrap: boolean;
  /** A number that increases when highlighting arrives. */
  readonly highlighting: number;
}

/** Renders a row of code: a number and a line for each side, or two numbers and one line. */
export const LineRow = memo(function LineRow(props: LineRowProps) {
  const { body, row, layout, cursor } = props;
  const left = body.rows?.left[row] ?? -1;
  const right = body.rows?.right[row] ?? -1;
  const links = (["old", "new"] as const).filter((side) => isStartOfMove(props, side));
  const className = classNames("row", layout, cursor && "row-cursor", links.length > 0 && "row-move");
  return (
    <div
      role="row"
      className={className}
      aria-rowindex={row + 1}
      data-row={row}
      data-measure={isMeasured(props, left, right) || undefined}
      tabIndex={cursor ? 0 : undefined}
    >
      {layout === "split" ? (
        <>
          <SideCells {...props} side="old" index={left} />
          <SideCells {...props} side="new" index={right} />
        </>
      ) : (
        <UnifiedCells {...props} left={left} right={right} />
      )}
      {links.map((side) => {
        const move = moveOn(props, side);
        return move && <MoveLink key={side} controller={props.controller} move={move} side={side} />;
      })}
    </div>
  );
}, looksAlike);

type Moved = Pick<LineRowProps, "movedAway" | "movedHere">;

function moveOn({ movedAway, movedHere }: Moved, side: Side): DiffMove | undefined {
  return side === "old" ? movedAway : movedHere;
}

function isStartOfMove(props: LineRowProps, side: Side): boolean {
  const move = moveOn(props, side);
  return move !== undefined && numberAt(props.body, props.row, side) === rangeOn(move, side).lineStart;
}

/** Compares only the values that the row shows, because a file gets a new body for any changed height. */
function looksAlike(
  { body: before, ...given }: LineRowProps,
  { body: after, ...now }: LineRowProps,
): boolean {
  return (
    shallow(given, now) &&
    before.file === after.file &&
    before.patch === after.patch &&
    before.text === after.text &&
    before.rows?.kind[now.row] === after.rows?.kind[now.row] &&
    before.rows?.left[now.row] === after.rows?.left[now.row] &&
    before.rows?.right[now.row] === after.rows?.right[now.row]
  );
}

function SideCells({
  side,
  index,
  ...props
}: LineRowProps & { readonly side: Side; readonly index: number }) {
  const { body, row, picked, since, cursor } = props;
  const number = numberAt(body, row, side);
  const bit = side === "old" ? 1 : 2;
  const kind = kindClass(props, index);
  const name = classNames(
    kind,
    (picked & bit) !== 0 && "picked",
    kind !== "context" && (since & bit) !== 0 && "since",
    moveOn(props, side) && "moved",
    cursor === side && "cursor",
  );
  return (
    <>
      <NumberCell number={number} line={number} side={side} name={name} />
      <span role="cell" className={`code ${name}`} data-side={side}>
        {index >= 0 && <Code {...props} side={side} line={index} />}
      </span>
    </>
  );
}

function UnifiedCells({
  left,
  right,
  ...props
}: LineRowProps & { readonly left: number; readonly right: number }) {
  const { body, row, picked, since, cursor } = props;
  const side: Side = right < 0 ? "old" : "new";
  const bit = side === "old" ? 1 : 2;
  const line = numberAt(body, row, side);
  const kind = kindClass(props, side === "old" ? left : right);
  const name = classNames(
    kind,
    (picked & bit) !== 0 && "picked",
    kind !== "context" && (since & bit) !== 0 && "since",
    kind !== "context" && moveOn(props, side) && "moved",
    cursor && "cursor",
  );
  return (
    <>
      <NumberCell number={numberAt(body, row, "old")} line={line} side={side} name={name} />
      <NumberCell number={numberAt(body, row, "new")} line={line} side={side} name={name} />
      <span role="cell" className={`code ${name}`} data-side={side}>
        <Code {...props} side={side} line={side === "old" ? left : right} />
      </span>
    </>
  );
}

interface NumberCellProps {
  /** The displayed line number; 0 for no number. */
  readonly number: number;
  /** The line number for a new comment; 0 if the line cannot be commented on. */
  readonly line: number;
  readonly side: Side;
  readonly name: string;
}

function NumberCell({ number, line, side, name }: NumberCellProps) {
  return (
    <span
      role={number > 0 ? "rowheader" : "cell"}
      className={`num ${name}`}
      data-side={side}
      data-line={line || undefined}
    >
      {number || ""}
      {number > 0 && name.includes("since") && (
        <span className="visually-hidden">, changed since your last feedback</span>
      )}
      {number > 0 && name.includes("moved") && <span className="visually-hidden">, moved</span>}
    </span>
  );
}

interface CodeProps extends LineRowProps {
  readonly side: Side;
  /** Index of the line in the patch, or the number of a line between the hunks. */
  readonly line: number;
}

function Code(props: CodeProps) {
  const { body, row, line } = props;
  const content = useContent(props);
  const isContext = body.rows?.kind[row] === ROW_CONTEXT;
  return (
    <span className="code-text">
      <CodeText segments={content.segments} />
      {content.hidden > 0 && (
        <LongLineButton lineKey={wholeLineKey(body.file.path, line, isContext)} hidden={content.hidden} />
      )}
      {content.notice && <span className="line-notice">{content.notice}</span>}
    </span>
  );
}

/** Returns a line's content, memoized because a comment gives the file a new body. */
function useContent(props: CodeProps): LineContent {
  const { body, row, side, line, search, whole, highlighting, otherEnds } = props;
  const { file, patch, text } = body;
  const number = body.rows?.kind[row] === ROW_CONTEXT ? (body.rows.right[row] ?? 0) : 0;
  const move = moveOn(props, side);
  // biome-ignore lint/correctness/useExhaustiveDependencies: highlighting and patches are external; numbers track them
  return useMemo(() => {
    const source = { file, patch, text };
    return number > 0
      ? contextLine(source, number, search, whole)
      : patchLine(source, line, side, search, whole, move && { other: editedFrom(move, props) });
  }, [file, patch, text, number, side, line, search, whole, highlighting, move, otherEnds]);
}

/** Returns the text at the other end of a move; undefined if the move was not edited or the text is not loaded. */
function editedFrom(move: DiffMove, { body, row, side }: CodeProps): string | undefined {
  return move.changed ? textAtOtherEnd(move, side, numberAt(body, row, side)) : undefined;
}

/** Returns whether the row must be measured on screen, because it wraps and its width cannot be computed. */
function isMeasured({ body, row, wrap }: LineRowProps, left: number, right: number): boolean {
  if (!wrap) return false;
  if (body.rows?.kind[row] === ROW_CONTEXT) return isUncertain(body.text?.[right - 1] ?? "");
  const lines = (left === right ? [left] : [left, right]).filter((line) => line >= 0);
  return lines.some(
    (line) => isUncertain(lineText(body.patch, line)) || noticeOn(body.patch, line) !== undefined,
  );
}

function kindClass({ body, row }: LineRowProps, index: number): string {
  if (index < 0) return "none";
  if (body.rows?.kind[row] === ROW_CONTEXT) return "context";
  const kind = body.patch.kind[index];
  if (kind === LINE_ADDED) return "added";
  return kind === LINE_REMOVED ? "removed" : "context";
}

interface LongLineButtonProps {
  /** The line's `wholeLineKey`. */
  readonly lineKey: string;
  /** UTF-16 units that are omitted. */
  readonly hidden: number;
}

/** Renders the button at the end of a shortened line. */
function LongLineButton({ lineKey, hidden }: LongLineButtonProps) {
  return (
    <button type="button" className="long-line" onClick={() => showWholeLine(lineKey)}>
      … show {thousands(hidden)} more characters
    </button>
  );
}

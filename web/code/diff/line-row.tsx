import { memo } from "react";
import { classNames } from "../../shared/class-names.ts";
import type { FileBody } from "../core/file-body.ts";
import { isUncertain } from "../core/line-heights.ts";
import { numberAt } from "../core/navigate.ts";
import { LINE_ADDED, LINE_REMOVED, lineText, type ParsedPatch, type Side } from "../core/parsed-patch.ts";
import { type Layout, ROW_CONTEXT } from "../core/row-model.ts";
import { CodeText } from "./code-text.tsx";
import { contextLine, type LineContent, type LineSearch, patchLine } from "./line-content.ts";
import { LongLineButton } from "./long-line-button.tsx";

interface LineRowProps {
  readonly body: FileBody & { readonly patch: ParsedPatch };
  readonly row: number;
  readonly layout: Layout;
  /** Sides whose line is selected: 1 old, 2 new, 3 both. */
  readonly picked: number;
  /** The keyboard stands here, on this side. */
  readonly cursor: Side | undefined;
  readonly search: LineSearch | undefined;
  readonly whole: boolean;
  readonly wrap: boolean;
  /** Raised when highlighting has come. */
  readonly highlighting: number;
}

/** One row of code: a number and a line on each side, or two numbers and one line. */
export const LineRow = memo(function LineRow(props: LineRowProps) {
  const { body, row, layout, cursor } = props;
  const left = body.rows?.left[row] ?? -1;
  const right = body.rows?.right[row] ?? -1;
  const className = classNames("row", layout, cursor && "row-cursor");
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
    </div>
  );
});

function SideCells({
  side,
  index,
  ...props
}: LineRowProps & { readonly side: Side; readonly index: number }) {
  const { body, row, picked, cursor } = props;
  const number = numberAt(body, row, side);
  const isPicked = (picked & (side === "old" ? 1 : 2)) !== 0;
  const kind = kindClass(props, index);
  const name = classNames(kind, isPicked && "picked", cursor === side && "cursor");
  return (
    <>
      <NumberCell number={number} line={number} side={side} name={name} />
      <span role="cell" className={`code ${name}`} data-side={side}>
        {number > 0 && <Code {...props} content={contentOf(props, index, side)} line={index} />}
      </span>
    </>
  );
}

function UnifiedCells({
  left,
  right,
  ...props
}: LineRowProps & { readonly left: number; readonly right: number }) {
  const { body, row, picked, cursor } = props;
  const side: Side = right < 0 ? "old" : "new";
  const line = numberAt(body, row, side);
  const name = classNames(
    kindClass(props, side === "old" ? left : right),
    (picked & (side === "old" ? 1 : 2)) !== 0 && "picked",
    cursor && "cursor",
  );
  return (
    <>
      <NumberCell number={numberAt(body, row, "old")} line={line} side={side} name={name} />
      <NumberCell number={numberAt(body, row, "new")} line={line} side={side} name={name} />
      <span role="cell" className={`code ${name}`} data-side={side}>
        <Code
          {...props}
          content={contentOf(props, side === "old" ? left : right, side)}
          line={side === "old" ? left : right}
        />
      </span>
    </>
  );
}

interface NumberCellProps {
  /** What it shows; 0 for nothing. */
  readonly number: number;
  /** The line a comment from here would be on; 0 for none. */
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
    </span>
  );
}

interface CodeProps extends LineRowProps {
  readonly content: LineContent;
  readonly line: number;
}

function Code({ content, body, line }: CodeProps) {
  return (
    <span className="code-text">
      <CodeText segments={content.segments} />
      {content.hidden > 0 && <LongLineButton path={body.file.path} line={line} hidden={content.hidden} />}
      {content.remark && <span className="remark">{content.remark}</span>}
    </span>
  );
}

function contentOf(props: LineRowProps, index: number, side: Side): LineContent {
  const { body, row, search, whole } = props;
  if (body.rows?.kind[row] === ROW_CONTEXT) return contextLine(body, body.rows.right[row] ?? 0, search);
  return patchLine(body, index, side, search, whole);
}

/** Wrapped lines whose width cannot be computed are measured on screen. */
function isMeasured({ body, row, wrap, whole }: LineRowProps, left: number, right: number): boolean {
  if (!wrap) return false;
  if (body.rows?.kind[row] === ROW_CONTEXT) return isUncertain(body.text?.[right - 1] ?? "");
  const lines = left === right ? [left] : [left, right];
  return lines.some((line) => line >= 0 && (whole || isUncertain(lineText(body.patch, line))));
}

function kindClass({ body, row }: LineRowProps, index: number): string {
  if (index < 0) return "none";
  if (body.rows?.kind[row] === ROW_CONTEXT) return "context";
  const kind = body.patch.kind[index];
  if (kind === LINE_ADDED) return "added";
  return kind === LINE_REMOVED ? "removed" : "context";
}

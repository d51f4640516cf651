import { ChevronDown, ChevronUp, UnfoldVertical } from "lucide-react";
import { thousands } from "../core/count.ts";
import type { FileBody } from "../core/rows/file-body.ts";
import { EXPAND_STEP, expandGap, gapAt } from "./expand.ts";

interface GapRowProps {
  readonly body: FileBody;
  readonly row: number;
  readonly gap: number;
}

/**
 * Renders the bar of a gap: expand buttons, or a notice if the lines are not available, and the next hunk's heading.
 */
export function GapRow({ body, row, gap }: GapRowProps) {
  const stretch = gapAt(body, gap);
  const shown = body.rows ? contextAround(body, row) : 0;
  const length = stretch?.newEnd === undefined ? undefined : stretch.newEnd - stretch.newStart - shown;
  const heading = body.patch?.hunks[gap]?.heading ?? "";
  const isFirst = gap === 0;
  const isLast = gap === body.patch?.hunks.length;
  const isShort = length !== undefined && length <= EXPAND_STEP;
  if (body.file.hunksOnly) {
    return (
      <div role="row" className="row gap-row" aria-rowindex={row + 1}>
        <span role="cell" className="gap-cell gap-unknown">
          {length === undefined
            ? "The rest of the file is"
            : `${unchangedLines(length)} ${length === 1 ? "is" : "are"}`}{" "}
          not in the patch {heading && <code className="gap-heading">{heading}</code>}
        </span>
      </div>
    );
  }
  return (
    <div role="row" className="row gap-row" aria-rowindex={row + 1}>
      <span role="cell" className="gap-cell">
        {!isFirst && !isShort && (
          <GapButton label={`Show ${EXPAND_STEP} lines below`} onClick={() => expandGap(body, gap, "above")}>
            <ChevronDown size={15} aria-hidden />
          </GapButton>
        )}
        {!isLast && !isShort && (
          <GapButton label={`Show ${EXPAND_STEP} lines above`} onClick={() => expandGap(body, gap, "below")}>
            <ChevronUp size={15} aria-hidden />
          </GapButton>
        )}
        <GapButton label={allLabel(length)} onClick={() => expandGap(body, gap, "all")}>
          <UnfoldVertical size={14} aria-hidden />
          <span>{allLabel(length)}</span>
        </GapButton>
        {heading && <code className="gap-heading">{heading}</code>}
      </span>
    </div>
  );
}

function allLabel(length: number | undefined): string {
  return length === undefined ? "Show the rest of the file" : `Show ${unchangedLines(length)}`;
}

function unchangedLines(length: number): string {
  return length === 1 ? "1 unchanged line" : `${thousands(length)} unchanged lines`;
}

/** Counts the lines of the gap that are shown directly above and below the bar. */
function contextAround(body: FileBody, row: number): number {
  let count = 0;
  for (let at = row - 1; body.rows?.kind[at] === 1; at--) count++;
  for (let at = row + 1; body.rows?.kind[at] === 1; at++) count++;
  return count;
}

interface GapButtonProps {
  readonly label: string;
  readonly onClick: () => void;
  readonly children: React.ReactNode;
}

function GapButton({ label, onClick, children }: GapButtonProps) {
  return (
    <button type="button" className="gap-button" aria-label={label} title={label} onClick={onClick}>
      {children}
    </button>
  );
}

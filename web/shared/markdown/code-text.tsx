import { Fragment, memo, type ReactNode } from "react";
import type { Leaf, LeafEdits, LeafMark } from "../../../src/render/markdown/model.ts";
import type { CodeRun } from "./highlight.ts";

interface CodeTextProps {
  readonly leaf: Leaf;
  readonly runs: readonly CodeRun[];
  /** In a comparison: the differences from the earlier text. */
  readonly edits?: LeafEdits | undefined;
  /** Whether the text belongs to an earlier version. */
  readonly isRemoved?: boolean;
}

/** Renders the text of a code block with colors, and marks deceptive characters. */
export const CodeText = memo(function CodeText({ leaf, runs, edits, isRemoved = false }: CodeTextProps) {
  const pieces: ReactNode[] = [];
  for (const { run, start, isAdded, removed } of edits ? withEdits(runs, edits) : withOffsets(runs)) {
    for (const { id, text, at } of removed) {
      pieces.push(
        <del key={`removed ${id}`} className="removed-text" data-removed={id} data-at={at}>
          {text}
        </del>,
      );
    }
    const drawn = markWithin(run.text, start, leaf.marks);
    const content = isAdded ? <ins>{drawn}</ins> : drawn;
    pieces.push(
      run.scope ? (
        <span key={start} className={`hl-${run.scope}`}>
          {content}
        </span>
      ) : (
        <Fragment key={start}>{content}</Fragment>
      ),
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <pre tabIndex={0}>
      <code data-leaf={isRemoved ? undefined : leaf.index}>{pieces}</code>
    </pre>
  );
});

interface PlacedRun {
  readonly run: CodeRun;
  readonly start: number;
  readonly isAdded: boolean;
  /** The removed text that preceded the run. */
  readonly removed: LeafEdits["removed"];
}

function withOffsets(runs: readonly CodeRun[]): PlacedRun[] {
  let start = 0;
  return runs.map((run) => {
    const entry = { run, start, isAdded: false, removed: [] };
    start += run.text.length;
    return entry;
  });
}

/** Splits the runs where edits begin and end. */
function withEdits(runs: readonly CodeRun[], { added, removed }: LeafEdits): PlacedRun[] {
  const rest = [...removed];
  const result: PlacedRun[] = [];
  for (const { run, start } of withOffsets(runs)) {
    const end = start + run.text.length;
    const offsets = [
      start,
      ...removed.map(({ offset }) => offset),
      ...added.flatMap((stretch) => [stretch.start, stretch.end]),
    ];
    const cuts = [...new Set(offsets.filter((offset) => offset >= start && offset < end))].sort(
      (a, b) => a - b,
    );
    for (const [index, from] of cuts.entries()) {
      const to = cuts[index + 1] ?? end;
      const here = rest.filter(({ offset }) => offset <= from);
      rest.splice(0, here.length);
      result.push({
        run: { ...run, text: run.text.slice(from - start, to - start) },
        start: from,
        isAdded: added.some((stretch) => stretch.start <= from && stretch.end > from),
        removed: here,
      });
    }
  }
  if (rest.length > 0) {
    const start = runs.reduce((sum, { text }) => sum + text.length, 0);
    result.push({ run: { text: "", scope: undefined }, start, isAdded: false, removed: rest });
  }
  return result;
}

/** Splits the text of a run where marks begin and end. */
function markWithin(text: string, start: number, marks: readonly LeafMark[]): ReactNode {
  const inside = marks.filter((mark) => mark.start < start + text.length && mark.end > start);
  if (inside.length === 0) return text;
  const pieces: ReactNode[] = [];
  let from = 0;
  for (const mark of inside) {
    const begin = Math.max(0, mark.start - start);
    const end = Math.min(text.length, mark.end - start);
    pieces.push(text.slice(from, begin));
    pieces.push(
      <span key={begin} className="deceptive" title={mark.meaning}>
        {text.slice(begin, end)}
      </span>,
    );
    from = end;
  }
  return [...pieces, text.slice(from)];
}

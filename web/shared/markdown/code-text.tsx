import { Fragment, memo, type ReactNode } from "react";
import type { CodeRun } from "./highlight.ts";
import type { Leaf, LeafMark } from "./model.ts";

interface CodeTextProps {
  readonly leaf: Leaf;
  readonly runs: readonly CodeRun[];
}

/** The text of a code block with its colours, and marks where it holds characters meant to deceive. */
export const CodeText = memo(function CodeText({ leaf, runs }: CodeTextProps) {
  let at = 0;
  const pieces: ReactNode[] = [];
  for (const run of runs) {
    const start = at;
    at += run.text.length;
    const content = markWithin(run.text, start, leaf.marks);
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
      <code data-leaf={leaf.index}>{pieces}</code>
    </pre>
  );
});

/** A run's text, cut where marks begin and end. */
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

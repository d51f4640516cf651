import { useMemo } from "react";
import { findDeceptions } from "../../../src/render/markdown/deceptive.ts";
import { sourceLines } from "../../../src/render/markdown/parse/source-lines.ts";
import { linesAnchor } from "../model/anchor.ts";
import { activate, startAnnotation } from "../state/actions.ts";
import { useReview } from "../state/review-store.ts";

/**
 * Renders the plan's Markdown source with line numbers. A click on a number annotates the line or opens its
 * annotation.
 */
export function SourceView() {
  const source = useReview((state) => state.document.source);
  const annotations = useReview((state) => state.annotations);
  const lines = useMemo(() => {
    const { count, text } = sourceLines(source);
    return Array.from({ length: count }, (_, line) => text(line));
  }, [source]);
  const annotated = useMemo(() => {
    const found = new Map<number, string>();
    for (const { id, anchor } of annotations) {
      for (let line = anchor?.startLine ?? 1; line <= (anchor?.endLine ?? 0); line += 1) found.set(line, id);
    }
    return found;
  }, [annotations]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className="source" tabIndex={0} aria-label="Markdown source">
      {lines.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity other than their number
        <SourceLine key={index} number={index + 1} text={text} annotation={annotated.get(index + 1)} />
      ))}
    </section>
  );
}

interface SourceLineProps {
  readonly number: number;
  readonly text: string;
  /** Id of the line's annotation. */
  readonly annotation: string | undefined;
}

function SourceLine({ number, text, annotation }: SourceLineProps) {
  const label = annotation === undefined ? `Annotate line ${number}` : `Line ${number}, show its comment`;
  return (
    <div className="source-line" data-line={number} data-annotated={annotation !== undefined}>
      <button
        type="button"
        aria-label={label}
        title={label}
        // Only annotated lines are tab stops: keyboard users annotate a selection.
        tabIndex={annotation === undefined ? -1 : 0}
        onClick={() => (annotation === undefined ? annotate(number) : activate(annotation))}
      >
        {number}
      </button>
      <code>
        <SourceText text={text} />
      </code>
    </div>
  );
}

function annotate(line: number): void {
  const anchor = linesAnchor(useReview.getState().document, line, line);
  if (anchor) startAnnotation("comment", anchor);
}

function SourceText({ text }: { readonly text: string }) {
  const found = findDeceptions(text);
  if (found.length === 0) return text || "\u00a0";
  const starts = [0, ...found.map(({ end }) => end)];
  return starts.map((start, index) => {
    const next = found[index];
    return (
      <span key={start}>
        {text.slice(start, next?.start)}
        {next && (
          <span className="deceptive" title={next.meaning}>
            {next.shown}
          </span>
        )}
      </span>
    );
  });
}

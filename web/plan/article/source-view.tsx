import { useMemo } from "react";
import { findDeceptions } from "../../shared/markdown/deceptive.ts";
import { sourceLines } from "../../shared/markdown/source-lines.ts";
import { editAnnotation } from "../state/actions.ts";
import { useReview } from "../state/review-store.ts";

/** The plan as the agent wrote it, character by character, with line numbers and the notes of each line. */
export function SourceView() {
  const source = useReview((state) => state.document.source);
  const annotations = useReview((state) => state.annotations);
  const lines = useMemo(() => {
    const { count, text } = sourceLines(source);
    return Array.from({ length: count }, (_, line) => text(line));
  }, [source]);
  const noted = useMemo(() => {
    const found = new Map<number, string>();
    for (const { id, anchor } of annotations) {
      for (let line = anchor?.startLine ?? 1; line <= (anchor?.endLine ?? 0); line += 1) found.set(line, id);
    }
    return found;
  }, [annotations]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className="source" tabIndex={0} aria-label="Markdown source">
      {lines.map((line, index) => {
        const note = noted.get(index + 1);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
          <div key={index} className="source-line" data-noted={note !== undefined}>
            {note ? (
              <button
                type="button"
                aria-label={`Line ${index + 1}, open its note`}
                onClick={() => editAnnotation(note)}
              >
                {index + 1}
              </button>
            ) : (
              <span aria-hidden>{index + 1}</span>
            )}
            <code>
              <SourceText text={line} />
            </code>
          </div>
        );
      })}
    </section>
  );
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

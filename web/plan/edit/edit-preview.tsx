import { memo, startTransition, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { MarkdownDocument } from "../../../src/render/markdown/model.ts";
import { parseMarkdown } from "../../../src/render/markdown/parse/parse-markdown.ts";
import { MarkdownView } from "../../shared/markdown/markdown-view.tsx";
import { useImageUrl } from "../article/article.tsx";
import { getSource, useReview } from "../state/review-store.ts";

/** Minimum number of milliseconds without a change before the text is rendered. */
const PAUSE_MS = 150;

/** Renders the edited text and scrolls to the block of the caret's line. */
export const EditPreview = memo(function EditPreview({ line }: { readonly line: number }) {
  const pane = useRef<HTMLElement>(null);
  const plan = useTypedDocument();
  const imageUrl = useImageUrl();
  useLayoutEffect(() => {
    if (pane.current) showBlock(pane.current, plan, line);
  }, [plan, line]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys can scroll it only if it can have the focus
    <section ref={pane} className="edit-preview" aria-label="Preview" tabIndex={0}>
      {plan.nodes.length === 0 && <p className="hint">The plan is empty. Type it to see it here.</p>}
      <MarkdownView document={plan} imageUrl={imageUrl} />
    </section>
  );
});

/** Returns the edited text, parsed after a pause in typing. The pause is longer if the text takes longer to parse. */
function useTypedDocument(): MarkdownDocument {
  const shown = useReview((state) => state.document);
  const source = useReview(getSource);
  const [parsed, setParsed] = useState(() => (source === shown.source ? shown : parseMarkdown(source)));
  const cost = useRef(0);
  useEffect(() => {
    if (parsed.source === source) return undefined;
    const timer = setTimeout(
      () => {
        const start = performance.now();
        const next = source === shown.source ? shown : parseMarkdown(source);
        cost.current = performance.now() - start;
        startTransition(() => setParsed(next));
      },
      PAUSE_MS + 4 * cost.current,
    );
    return () => clearTimeout(timer);
  }, [parsed, source, shown]);
  return parsed;
}

/** Scrolls the pane to the last block that begins at or before a line, unless the block is visible. */
function showBlock(pane: HTMLElement, { blocks }: MarkdownDocument, line: number): void {
  const block = [...pane.querySelectorAll<HTMLElement>("[data-block]")].findLast(
    ({ dataset }) => (blocks[Number(dataset["block"])]?.startLine ?? 0) <= line,
  );
  if (!block) {
    pane.scrollTop = 0;
    return;
  }
  // A preview without the editor beside it is not a scroller: the page scrolls.
  if (pane.scrollHeight <= pane.clientHeight + 1) {
    block.scrollIntoView({ block: "nearest" });
    return;
  }
  const [inner, outer] = [block.getBoundingClientRect(), pane.getBoundingClientRect()];
  const isVisible = inner.top >= outer.top && Math.min(inner.bottom, inner.top + 48) <= outer.bottom;
  if (!isVisible) pane.scrollTop += inner.top - outer.top - outer.height / 4;
}

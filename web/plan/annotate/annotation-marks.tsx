import { memo, useEffect, useState } from "react";
import type { MarkdownDocument } from "../../../src/render/markdown/model.ts";
import type { PlanAnnotation } from "../../../src/review/api-types.ts";
import { elementsBy } from "../dom/text-points.ts";
import { blocksOf } from "../model/anchor.ts";
import { activate } from "../state/actions.ts";
import { useReview } from "../state/review-store.ts";

/**
 * Marks the positions of annotations at the window's edge; a click scrolls there. Hidden from assistive
 * technology, which uses the cards.
 */
export const AnnotationMarks = memo(function AnnotationMarks({
  root,
}: {
  readonly root: React.RefObject<HTMLElement | null>;
}) {
  const plan = useReview((state) => state.document);
  const annotations = useReview((state) => state.annotations);
  const [positions, setPositions] = useState<ReadonlyMap<string, number>>(new Map());

  useEffect(() => {
    const element = root.current;
    if (!element) return;
    // Diagrams and images load later and move everything below them.
    const observer = new ResizeObserver(() => setPositions(measurePositions(element, plan, annotations)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [root, plan, annotations]);

  return (
    <div className="annotation-marks no-print" aria-hidden>
      {annotations.map(({ id, type }) => {
        const position = positions.get(id);
        if (position === undefined) return null;
        return (
          <button
            key={id}
            type="button"
            tabIndex={-1}
            className={`tone-${type}`}
            style={{ top: `${position * 100}%` }}
            onClick={() => activate(id)}
          />
        );
      })}
    </div>
  );
});

/** Returns the vertical position of each annotation on the page, from 0 to 1. Empty if the page does not scroll. */
function measurePositions(
  root: HTMLElement,
  plan: MarkdownDocument,
  annotations: readonly PlanAnnotation[],
): ReadonlyMap<string, number> {
  const { scrollHeight, clientHeight } = document.documentElement;
  const positions = new Map<string, number>();
  const elements = elementsBy(root, "block");
  if (scrollHeight <= clientHeight) return positions;
  for (const { id, anchor } of annotations) {
    const block = anchor && blocksOf(plan, anchor)[0];
    const element = block === undefined ? undefined : elements.get(block);
    if (element) positions.set(id, (element.getBoundingClientRect().top + scrollY) / scrollHeight);
  }
  return positions;
}

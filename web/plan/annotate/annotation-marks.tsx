import { memo, useEffect, useState } from "react";
import type { MarkdownDocument } from "../../../src/render/markdown/model.ts";
import type { PlanAnnotation } from "../../../src/review/api-types.ts";
import { elementsBy } from "../dom/text-points.ts";
import { findAnchorBlocks } from "../model/anchor.ts";
import { activate } from "../state/actions.ts";
import { useReview } from "../state/review-store.ts";

/**
 * Marks the positions of annotations at the window's edge. A click scrolls to the position. The marks are
 * hidden from assistive technology, for which the cards are sufficient.
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
    // Diagrams and images load later, and move the content below them.
    const observer = new ResizeObserver(() => setPositions(measurePositions(element, plan, annotations)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [root, plan, annotations]);

  return (
    <div className="annotation-marks no-print" aria-hidden>
      {distinctMarks(annotations, positions).map(({ id, type, position }) => (
        <button
          key={id}
          type="button"
          tabIndex={-1}
          className={`tone-${type}`}
          style={{ top: `${position * 100}%` }}
          onClick={() => activate(id)}
        />
      ))}
    </div>
  );
});

/**
 * Number of steps into which the window's height is divided. Marks in the same step would cover each other,
 * so only the first is rendered.
 */
const STEPS = 500;

function distinctMarks(annotations: readonly PlanAnnotation[], positions: ReadonlyMap<string, number>) {
  const marks = new Map<number, { readonly id: string; readonly type: string; readonly position: number }>();
  for (const { id, type } of annotations) {
    const position = positions.get(id);
    if (position === undefined) continue;
    const step = Math.round(position * STEPS);
    if (!marks.has(step)) marks.set(step, { id, type, position });
  }
  return [...marks.values()];
}

/**
 * Returns the vertical position on the page, from 0 to 1, of each annotation whose block is rendered. The result is
 * empty if the page does not scroll.
 */
function measurePositions(
  root: HTMLElement,
  plan: MarkdownDocument,
  annotations: readonly PlanAnnotation[],
): ReadonlyMap<string, number> {
  const { scrollHeight, clientHeight } = document.documentElement;
  const positions = new Map<string, number>();
  const elements = elementsBy(root, "block");
  if (scrollHeight <= clientHeight) return positions;
  const tops = new Map<number, number>();
  for (const { id, anchor } of annotations) {
    const block = anchor && findAnchorBlocks(plan, anchor)[0];
    const element = block === undefined ? undefined : elements.get(block);
    if (block === undefined || !element) continue;
    const top = tops.get(block) ?? element.getBoundingClientRect().top;
    tops.set(block, top);
    positions.set(id, (top + scrollY) / scrollHeight);
  }
  return positions;
}

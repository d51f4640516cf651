import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { PlanAnchor } from "../../../src/review/api-types.ts";
import { MarkdownView } from "../../shared/markdown/markdown-view.tsx";
import { isTouched } from "../../shared/selection/last-pointer.ts";
import { followSelection } from "../../shared/selection/settled-selection.ts";
import { useThreads } from "../../shared/threads/thread-store.ts";
import { AnnotationComposer } from "../annotate/annotation-composer.tsx";
import { AnnotationMarks } from "../annotate/annotation-marks.tsx";
import { LabelPicker } from "../annotate/label-picker.tsx";
import { SelectionToolbar } from "../annotate/selection-toolbar.tsx";
import { type Box, type Target, targetBox } from "../dom/target.ts";
import { annotatedRemoval, blockAt, blockElement, focusBlock, removedElement } from "../dom/text-points.ts";
import { blockAnchor, codeLineAnchor, findAnchorBlocks } from "../model/anchor.ts";
import { activate, setCursor } from "../state/actions.ts";
import { setRemovedCursor } from "../state/moving.ts";
import { useReview } from "../state/review-store.ts";
import { threadMarks } from "../state/threads.ts";
import { BlockHandle } from "./block-handle.tsx";
import { type BlockPosition, isSamePosition, positionAt } from "./block-position.ts";
import { toRemovalAnchor, toSelectionAnchor } from "./current-anchor.ts";
import { resolveImageUrl } from "./image-url.ts";
import {
  annotationAt,
  describeBlocks,
  type PaintedRanges,
  paintAnnotations,
  paintTarget,
  repaintDistance,
} from "./paint.ts";

export function Article() {
  const plan = useReview((state) => state.document);
  const imageUrl = useImageUrl();
  return (
    <AnnotatedSheet>
      <MarkdownView document={plan} imageUrl={imageUrl} />
    </AnnotatedSheet>
  );
}

/** Returns a function that resolves the URL of an image in the plan; undefined if the image must not be loaded. */
export function useImageUrl(): (source: string) => string | undefined {
  const cwd = useReview((state) => state.plan?.caller.cwd ?? "");
  return useCallback((source: string) => resolveImageUrl(source, cwd), [cwd]);
}

/** Renders a sheet in which the person can annotate the rendered plan. */
export function AnnotatedSheet({ children }: { readonly children: React.ReactNode }) {
  const plan = useReview((state) => state.document);
  const composer = useReview((state) => state.composer);
  const labelTarget = useReview((state) => state.labelTarget);
  const root = useRef<HTMLDivElement>(null);
  const [target, setTarget] = useState<Target>();
  const [position, setPosition] = useState<BlockPosition>();
  const painted = usePaint(root);
  const composerBox = useBox(root, composer?.anchor);
  useCursor(root);
  useSelection(root, setTarget);

  const openPosition = ({ block, line, removed }: BlockPosition) => {
    if (removed !== undefined) return openRemoved(removed);
    const ofLine = line === undefined ? undefined : codeLineAnchor(plan, block, line);
    const anchor = ofLine ?? blockAnchor(plan, block);
    setCursor(ofLine ? undefined : block);
    if (anchor && root.current) setTarget({ anchor, ...targetBox(root.current, plan, anchor) });
  };
  const openRemoved = (id: number) => {
    const element = root.current && removedElement(root.current, id);
    if (!element || !root.current) return;
    const anchor = toRemovalAnchor(plan, element);
    setRemovedCursor(id);
    setTarget({ anchor, ...targetBox(root.current, plan, anchor) });
  };

  const onClick = ({ target: clicked, clientX, clientY }: React.MouseEvent) => {
    if (getSelection()?.isCollapsed === false || !(clicked instanceof Element)) return;
    if (clicked.closest("a, button, input")) return;
    const annotation = annotationAt(painted.current, clientX, clientY);
    activate(annotation);
    useThreads.setState({ activeId: annotation });
    const tapped = isTouched() && !annotation ? positionAt(clicked, clientY) : undefined;
    if (tapped) openPosition(tapped);
    else setTarget(undefined);
    if (annotation || tapped?.line !== undefined) return;
    const removed = clicked.closest<HTMLElement>("[data-removed]")?.dataset["removed"];
    if (removed === undefined) setCursor(blockAt(clicked));
    else setRemovedCursor(Number(removed));
  };
  // The block stays the target while the pointer moves from the block to its handle.
  const onPointerMove = ({ target: over, clientY }: React.PointerEvent) => {
    const next = over instanceof Element ? positionAt(over, clientY) : undefined;
    if (next && !isSamePosition(position, next)) setPosition(next);
  };

  // The toolbar is shown for the selected text or block, unless the composer is annotating it.
  const isOffered = target && composer?.anchor?.start !== target.anchor.start;
  return (
    <div className="sheet" onPointerMove={onPointerMove} onPointerLeave={() => setPosition(undefined)}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: j, k and the block cursor do the same by keyboard */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: as above */}
      <div ref={root} className="plan" onClick={onClick}>
        {children}
      </div>
      <AnnotationMarks root={root} />
      {position && !composer && <BlockHandle root={root} position={position} onOpen={openPosition} />}
      {labelTarget && root.current && (
        <LabelPicker
          key={labelTarget.start}
          anchor={labelTarget}
          box={targetBox(root.current, plan, labelTarget)}
        />
      )}
      {isOffered && <SelectionToolbar target={target} onDone={() => setTarget(undefined)} />}
      {composer?.anchor && composerBox && (
        <AnnotationComposer
          key={composer.editing ?? composer.anchor.start}
          composer={composer}
          box={composerBox}
        />
      )}
    </div>
  );
}

/** Returns the box of an anchor and updates it when the layout changes. */
function useBox(
  root: React.RefObject<HTMLDivElement | null>,
  anchor: PlanAnchor | undefined,
): Box | undefined {
  const plan = useReview((state) => state.document);
  const [box, setBox] = useState<Box>();
  useLayoutEffect(() => {
    const element = root.current;
    if (!element || !anchor) {
      setBox(undefined);
      return undefined;
    }
    const measure = () => setBox(targetBox(element, plan, anchor));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [root, plan, anchor]);
  return box;
}

/** Paints annotations whenever they change and returns their ranges for click detection. */
function usePaint(root: React.RefObject<HTMLDivElement | null>): React.RefObject<PaintedRanges> {
  const plan = useReview((state) => state.document);
  const comments = useReview((state) => state.annotations);
  const threads = useThreads((state) => state.threads);
  const annotations = useMemo(
    () => (threads.length === 0 ? comments : [...comments, ...threadMarks(plan, threads)]),
    [comments, threads, plan],
  );
  const activeId = useReview((state) => state.activeId);
  const target = useReview((state) => state.composer?.anchor);
  const painted = useRef<PaintedRanges>(new Map());

  useLayoutEffect(() => {
    const element = root.current;
    if (!element) return;
    let paintedAt = scrollY;
    const paint = (isPrinting = false) => {
      paintedAt = scrollY;
      painted.current = paintAnnotations(element, plan, annotations, { activeId, isPrinting });
      paintTarget(element, plan, target);
    };
    paint();
    // Annotations are painted again when highlighting or diagrams replace text nodes, because that
    // invalidates ranges.
    const observer = new MutationObserver((records) => {
      if (records.some(({ type }) => type === "childList")) paint();
    });
    observer.observe(element, { childList: true, subtree: true });
    const distance = repaintDistance(annotations);
    if (distance === undefined) return () => observer.disconnect();
    const stopFollowing = followPage({
      onScroll: () => Math.abs(scrollY - paintedAt) > distance && paint(),
      onPrint: paint,
    });
    return () => {
      observer.disconnect();
      stopFollowing();
    };
  }, [root, plan, annotations, activeId, target]);

  useLayoutEffect(() => {
    const element = root.current;
    if (!element) return;
    describeBlocks(element, plan, annotations);
    const observer = new MutationObserver(() => describeBlocks(element, plan, annotations));
    observer.observe(element, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [root, plan, annotations]);

  useEffect(() => {
    const anchor = annotations.find(({ id }) => id === activeId)?.anchor;
    if (!anchor || !root.current) return;
    const element = anchor.removed ? annotatedRemoval(root.current, anchor) : undefined;
    const block = findAnchorBlocks(plan, anchor)[0];
    const drawn = element ?? (block === undefined ? null : blockElement(root.current, block));
    drawn?.scrollIntoView({ block: "nearest", behavior: scrollBehavior() });
  }, [root, plan, annotations, activeId]);

  return painted;
}

interface PageEvents {
  readonly onScroll: () => void;
  readonly onPrint: (isPrinting: boolean) => void;
}

function followPage({ onScroll, onPrint }: PageEvents): () => void {
  const begin = () => onPrint(true);
  const end = () => onPrint(false);
  addEventListener("scroll", onScroll, { passive: true });
  addEventListener("resize", end);
  addEventListener("beforeprint", begin);
  addEventListener("afterprint", end);
  return () => {
    removeEventListener("scroll", onScroll);
    removeEventListener("resize", end);
    removeEventListener("beforeprint", begin);
    removeEventListener("afterprint", end);
  };
}

/**
 * Returns the behavior for scrolling. CSS `prefers-reduced-motion` rules do not apply to scrolling with an
 * explicit behavior.
 */
function scrollBehavior(): ScrollBehavior {
  return matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth";
}

/**
 * Marks the block or removed text on which keys act and scrolls to it. Focuses it unless text is selected or an element
 * outside of the plan has the focus.
 */
function useCursor(root: React.RefObject<HTMLDivElement | null>): void {
  const cursor = useReview((state) => state.cursor);
  const removed = useReview((state) => state.removedCursor);
  const plan = useReview((state) => state.document);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new plan has new elements
  useEffect(() => {
    if (!root.current) return;
    const ofPlan = cursor === undefined ? null : blockElement(root.current, cursor);
    const element = removed === undefined ? ofPlan : removedElement(root.current, removed);
    element?.setAttribute("data-cursor", "true");
    element?.scrollIntoView({ block: "nearest" });
    const focused = document.activeElement;
    const isFree = focused === document.body || root.current.contains(focused);
    if (element && isFree && getSelection()?.isCollapsed !== false) focusBlock(element);
    return () => element?.removeAttribute("data-cursor");
  }, [root, cursor, removed, plan]);
}

/** Shows the toolbar once the text selection is settled. */
function useSelection(
  root: React.RefObject<HTMLDivElement | null>,
  setTarget: (target: Target | undefined) => void,
): void {
  // A layout effect adds the listener before the text can be selected.
  useLayoutEffect(() => {
    const onSettled = () => {
      const element = root.current;
      const plan = useReview.getState().document;
      if (!element) return;
      const anchor = toSelectionAnchor(element, plan, getSelection());
      if (anchor) setTarget({ anchor, ...targetBox(element, plan, anchor) });
    };
    const stop = followSelection({ onSettled, onCleared: () => setTarget(undefined) });
    const dismiss = ({ target }: Event) => {
      if (!(target instanceof Element && target.closest(".selection-toolbar, .menu"))) setTarget(undefined);
    };
    // A touch may start a scroll, so only a tap dismisses the toolbar.
    const onPointerDown = (event: PointerEvent) => {
      if (event.pointerType !== "touch") dismiss(event);
    };
    const onClick = (event: Event) => {
      const isInPlan = event.target instanceof Element && event.target.closest(".sheet");
      if (isTouched() && !isInPlan) dismiss(event);
    };
    const onKeyDown = ({ key }: KeyboardEvent) => {
      if (key === "Escape") setTarget(undefined);
    };
    document.addEventListener("pointerdown", onPointerDown);
    document.addEventListener("click", onClick);
    document.addEventListener("keydown", onKeyDown);
    return () => {
      stop();
      document.removeEventListener("pointerdown", onPointerDown);
      document.removeEventListener("click", onClick);
      document.removeEventListener("keydown", onKeyDown);
    };
  }, [root, setTarget]);
}

import { MessageSquarePlus, X } from "lucide-react";
import { lazy, memo, type ReactNode, Suspense, useMemo, useRef } from "react";
import { classNames } from "../../../src/render/class-names.ts";
import { Button, IconButton } from "../../shared/components/button.tsx";
import { VirtualList } from "../../shared/components/virtual-list.tsx";
import { useThreads } from "../../shared/threads/thread-store.ts";
import { inDocumentOrder, MAX_RENDERED_CARDS } from "../model/annotations.ts";
import { startAnnotation, toggleSidebar } from "../state/actions.ts";
import { useReview } from "../state/review-store.ts";
import { AnnotationCard } from "./annotation-card.tsx";
import { AnnotationComposer } from "./annotation-composer.tsx";
import { LabelPicker } from "./label-picker.tsx";
import { useIsMargin, useMargin } from "./margin.ts";

const PlanThreads = lazy(() =>
  import("./plan-threads.tsx").then((module) => ({ default: module.PlanThreads })),
);

/**
 * Lists the annotations, then the threads, each in document order, then `children`. In a narrow window the sidebar
 * slides in from the side.
 */
export function Sidebar({ children }: { readonly children?: ReactNode }) {
  const count = useReview((state) => state.annotations.length);
  const hasThreads = useThreads(({ threads }) => threads.length > 0);
  const composer = useReview((state) => state.composer);
  const open = useReview((state) => state.isSidebarOpen);
  const labelTarget = useReview((state) => state.labelTarget);
  const isPlanShown = useReview(
    ({ view, changesAs }) => view === "plan" || (view === "changes" && changesAs === "rendered"),
  );
  const column = useRef<HTMLElement>(null);
  const isMargin = useIsMargin();
  useMargin(column, isMargin);
  // Annotations on rendered text are edited next to the text; all others are edited here.
  const writtenHere = composer && (!composer.anchor || !isPlanShown) ? composer : undefined;

  return (
    <aside
      ref={column}
      className={classNames(
        "sidebar",
        isMargin && "sidebar-margin",
        (open || writtenHere || (labelTarget && !isPlanShown)) && "sidebar-open",
      )}
      aria-label="Comments"
    >
      <div className="sidebar-head">
        <h2>
          Comments <span className="badge">{count}</span>
        </h2>
        <Button small variant="quiet" className="no-print" onClick={() => startAnnotation("general")}>
          <MessageSquarePlus size={15} aria-hidden /> General comment
        </Button>
        <IconButton small label="Close comments" className="sidebar-close no-print" onClick={toggleSidebar}>
          <X size={16} aria-hidden />
        </IconButton>
      </div>
      {writtenHere && (
        <AnnotationComposer
          key={writtenHere.editing ?? writtenHere.anchor?.start ?? "general"}
          composer={writtenHere}
        />
      )}
      {labelTarget && !isPlanShown && <LabelPicker anchor={labelTarget} />}
      {count === 0 && !writtenHere && !hasThreads && <EmptySidebar />}
      <Cards />
      {hasThreads && (
        <Suspense fallback={null}>
          <PlanThreads />
        </Suspense>
      )}
      {children}
      <div className="margin-start" />
    </aside>
  );
}

/** Renders the cards in a separate component, so that typing does not render them again. */
const Cards = memo(function Cards() {
  const annotations = useReview((state) => state.annotations);
  const activeId = useReview((state) => state.activeId);
  const ordered = useMemo(() => inDocumentOrder(annotations), [annotations]);
  return (
    <VirtualList
      className="cards"
      items={ordered}
      activeId={activeId}
      renderAllUpTo={MAX_RENDERED_CARDS}
      render={(annotation, item) => (
        <AnnotationCard
          key={annotation.id}
          annotation={annotation}
          active={annotation.id === activeId}
          position={item["aria-posinset"]}
          count={item["aria-setsize"]}
        />
      )}
    />
  );
});

function EmptySidebar() {
  return (
    <div className="sidebar-empty no-print">
      <p>Select text and type to comment on it, or hover over a paragraph and click the icon beside it.</p>
      <p>
        By keyboard: <kbd className="key">j</kbd> <kbd className="key">k</kbd> move,{" "}
        <kbd className="key">c</kbd> comments, <kbd className="key">?</kbd> shows all keys.
      </p>
    </div>
  );
}

import { lazy, memo, Suspense, useEffect, useRef } from "react";
import { useShallow } from "zustand/react/shallow";
import type { Layout } from "../../../src/render/diff/row-model.ts";
import type { DiffFile } from "../../../src/review/api-types.ts";
import { useThreads } from "../../shared/threads/thread-store.ts";
import type { DiffController } from "../diff/controller.ts";
import { useComments } from "../state/comments.ts";
import { widgetFor } from "../state/positions.ts";
import { useSession } from "../state/session.ts";
import { threadsAt } from "../state/threads.ts";
import { CommentCard } from "./comment-card.tsx";
import { CommentEditor } from "./comment-editor.tsx";

const LineThreads = lazy(() =>
  import("./line-threads.tsx").then((module) => ({ default: module.LineThreads })),
);

const EarlierComments = lazy(() =>
  import("./earlier-comments.tsx").then((module) => ({ default: module.EarlierComments })),
);

interface ThreadProps {
  readonly controller: DiffController;
  readonly file: DiffFile;
  readonly widgetKey: string;
  readonly row: number;
  readonly layout: Layout;
}

/** Renders the comments and threads of one widget. Reports their height to the controller. */
export const Thread = memo(function Thread({ controller, file, widgetKey, row, layout }: ThreadProps) {
  const { path } = file;
  const element = useRef<HTMLDivElement>(null);
  const ids = useComments(
    useShallow(({ comments }) =>
      comments.filter((each) => each.path === path && widgetFor(each)?.key === widgetKey).map(({ id }) => id),
    ),
  );
  useEffect(() => {
    const observed = element.current;
    if (!observed) return;
    const isNew =
      useComments.getState().focus !== undefined && observed.querySelector(".comment-open") !== null;
    const measure = () =>
      controller.measure(file, { widgets: new Map([[widgetKey, observed.offsetHeight]]) });
    const observer = new ResizeObserver(measure);
    observer.observe(observed);
    if (isNew) {
      measure();
      controller.reveal(observed);
    }
    return () => observer.disconnect();
  }, [controller, file, widgetKey]);
  const hasThreads = useThreads(() => threadsAt(widgetKey).length > 0);
  const isSince = useSession(({ since }) => since !== undefined);
  const side = widgetKey.slice(path.length + 1).split(":")[0];
  const isOnLine = !widgetKey.endsWith(":0");
  return (
    <div role="row" className="row thread-row" aria-rowindex={row + 1} ref={element}>
      <div role="cell" className={layout === "split" && isOnLine ? `thread thread-${side}` : "thread"}>
        {ids.map((id) => (
          <ThreadItem key={id} id={id} />
        ))}
        {hasThreads && (
          <Suspense fallback={null}>
            <LineThreads widgetKey={widgetKey} />
          </Suspense>
        )}
        {isSince && (
          <Suspense fallback={null}>
            <EarlierComments widgetKey={widgetKey} />
          </Suspense>
        )}
      </div>
    </div>
  );
});

/** Renders a comment, or the comment's editor while it is open. */
export function ThreadItem({ id }: { readonly id: string }) {
  const comment = useComments(({ comments }) => comments.find((each) => each.id === id));
  const isOpen = useComments(({ editing }) => editing.has(id));
  if (!comment) return null;
  return isOpen ? <CommentEditor comment={comment} /> : <CommentCard comment={comment} />;
}

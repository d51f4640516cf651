import { useEffect, useMemo } from "react";
import { createRoot } from "react-dom/client";
import type { DiffIndex, ReviewEvent } from "../../src/review/api-types.ts";
import { afterPaint } from "../shared/after-paint.ts";
import { useReviewEvents } from "../shared/api/use-review-events.ts";
import { setAskModel, useAsk } from "../shared/ask/ask-store.ts";
import { Button } from "../shared/components/button.tsx";
import { ErrorBoundary, Region } from "../shared/components/error-boundary.tsx";
import { later, loadWhenIdle } from "../shared/components/later.tsx";
import { PageState } from "../shared/components/page-state.tsx";
import { showToast, Toasts } from "../shared/components/toast.tsx";
import { useShortcuts } from "../shared/keyboard/shortcuts.ts";
import { setTitle, showNextReview } from "../shared/next-review.ts";
import { watchSystemTheme } from "../shared/theme/theme.ts";
import { receiveEvent } from "../shared/threads/receive-event.ts";
import { loadReviews, loadThreads, useThreads } from "../shared/threads/thread-store.ts";
import { goToComment } from "./comments/move.ts";
import { SelectionActions } from "./comments/selection-actions.tsx";
import { showCommentedContext } from "./comments/show-context.ts";
import { showEditorsIn } from "./comments/show-editor.ts";
import { DiffController } from "./diff/controller.ts";
import { DiffView } from "./diff/diff-view.tsx";
import { Banners } from "./header/banners.tsx";
import { FindBar } from "./header/find-bar.tsx";
import { Header } from "./header/header.tsx";
import { StatusLine } from "./header/status-line.tsx";
import { startHighlighting } from "./highlight/highlight-lines.ts";
import { Dialogs } from "./open-dialog.tsx";
import { EmptyDiff, SentScreen } from "./screens.tsx";
import { codeTyping, shortcutsFor } from "./shortcuts.ts";
import { CommentSidebar } from "./sidebar/comment-sidebar.tsx";
import { FileTree } from "./sidebar/file-tree.tsx";
import { useComments } from "./state/comments.ts";
import { followCommits } from "./state/commits.ts";
import { followDraft, startDraft, useDraft } from "./state/draft.ts";
import { showRound } from "./state/live.ts";
import { followMechanical } from "./state/mechanical.ts";
import { followMoves } from "./state/moves.ts";
import { followRounds } from "./state/rounds.ts";
import { handleServerChange, openDiff, useSession } from "./state/session.ts";
import { activateAtCursor } from "./state/threads.ts";
import { useView } from "./state/view.ts";

/** Loads the diff and replaces the prerendered part, then loads everything else. */
export async function start(): Promise<void> {
  watchSystemTheme();
  const highlighting = startHighlighting();
  const result = await openDiff();
  // Prerendered code is already highlighted and must not lose its colors.
  if (document.querySelector(".prerendered")) await highlighting;
  if (result.ok) setAskModel(result.value.ask);
  render();
  if (!result.ok) return;
  const { repository, gitContext } = result.value;
  setTitle(`${repository.name} (${gitContext.currentBranch}): review`);
  await afterPaint();
  if (result.value.source === "pr") void import("./state/pull.ts").then(({ followPull }) => followPull());
  await Promise.all([
    startDraft(result.value),
    followRounds(),
    followCommits(),
    followMoves().then(followMechanical),
    loadThreads(),
    loadReviews(),
    loadWhenIdle(),
  ]);
}

function render(): void {
  const root = document.getElementById("root");
  if (!root) return;
  createRoot(root).render(
    <ErrorBoundary
      fallback={(message) => (
        <Region name="This page">
          <FailedReview
            message={message}
            fallback={
              <PageState title="This page has failed">
                <p>Error: {message}</p>
              </PageState>
            }
          />
        </Region>
      )}
    >
      <App />
    </ErrorBoundary>,
  );
}

function onConnection(connected: boolean): void {
  useSession.setState({ connected });
  if (connected) useSession.getState().patches?.retryFailed();
}

/** Renders the code review page. */
export function App() {
  useReviewEvents({ onConnection, onEvent });
  return (
    <>
      <Phase />
      <Toasts />
    </>
  );
}

function Phase() {
  const phase = useSession((session) => session.phase);
  const failure = useSession((session) => session.failure);
  if (phase === "sent") return <SentScreen />;
  if (phase === "failed") {
    return (
      <PageState
        title="Cannot load the diff"
        actions={
          <Button variant="primary" onClick={() => location.reload()}>
            Try again
          </Button>
        }
      >
        <p>{failure}</p>
      </PageState>
    );
  }
  return phase === "loading" ? <main className="loading" aria-label="Loading the diff" /> : <Review />;
}

function Review() {
  const controller = useMemo(() => new DiffController(), []);
  const hasThreads = useThreads(({ threads, live }) => live !== undefined || threads.length > 0);
  const canAsk = useAsk(({ model }) => model !== undefined);
  const shortcuts = useMemo(
    () => shortcutsFor(controller, { hasThreads, canAsk }),
    [controller, hasThreads, canAsk],
  );
  const isEmpty = useSession((session) => session.files.length === 0);
  const hasCommit = useSession((session) => session.index?.commit !== undefined);
  const treeOpen = useView((view) => view.treeOpen);
  const commentsOpen = useView((view) => view.commentsOpen);
  useEffect(() => {
    showEditorsIn(controller);
    return controller.start();
  }, [controller]);
  useEffect(showCommentedContext, []);
  useEffect(activateAtCursor, []);
  useRestoredNotice(controller);
  useShortcuts(shortcuts, codeTyping);

  return (
    <div className="review" data-tree={treeOpen} data-comments={commentsOpen}>
      <a className="skip-link visually-hidden" href="#diff">
        Skip to the changes
      </a>
      <Header />
      <div className="banners">
        <Region name="The notices">
          <Banners />
        </Region>
        <Region name="The commit">{hasCommit && <CommitBar />}</Region>
      </div>
      <div className="review-body">
        {treeOpen && (
          <Region name="The file tree">
            <FileTree controller={controller} />
          </Region>
        )}
        <div className="review-main">
          <Region name="The search">
            <FindBar controller={controller} />
          </Region>
          <Region name="The diff">{isEmpty ? <EmptyDiff /> : <DiffView controller={controller} />}</Region>
        </div>
        {commentsOpen && (
          <Region name="The comments">
            <CommentSidebar controller={controller} />
          </Region>
        )}
      </div>
      <SelectionActions />
      <StatusLine />
      <Dialogs controller={controller} shortcuts={shortcuts} />
    </div>
  );
}

const FailedReview = later(async () => (await import("./failed-review.tsx")).FailedReview);
const CommitBar = later(async () => (await import("./header/commit-bar.tsx")).CommitBar);

function onEvent(event: ReviewEvent): void {
  const { phase, index } = useSession.getState();
  if (phase === "sent") {
    if (event.event === "hello" && index && event.sessionId !== index.sessionId) showNextReview();
    return;
  }
  if (event.event === "hello") void handleServerChange(event.sessionId);
  followOtherTabs(event, index);
  if (event.event === "caller-doubtful") useSession.setState({ doubt: event.doubt });
  receiveEvent(event, showRound);
  if (event.event === "stale") useSession.setState({ stale: true });
  if (event.event === "decided-by-program") useSession.setState({ closing: "decided-by-program" });
  if (event.event === "closing") useSession.setState(({ closing }) => ({ closing: closing ?? event.reason }));
}

/** Merges the drafts of other tabs; after a reconnection, also those whose events were missed. */
function followOtherTabs(event: ReviewEvent, index: DiffIndex | undefined): void {
  if (!index) return;
  const { sessionId, reviewId } = index;
  if (event.event === "hello" && event.sessionId === sessionId) void followDraft();
  if (event.event === "draft" && event.key === reviewId) void followDraft(event.generation);
}

/** Reports how many comments were restored and offers to continue the open one. */
function useRestoredNotice(controller: DiffController): void {
  const restored = useDraft((draft) => draft.restored);
  useEffect(() => {
    if (!restored || restored.count === 0) return;
    const { count, open } = restored;
    showToast(
      count === 1 ? "Restored 1 unsent comment" : `Restored ${count} unsent comments`,
      open === undefined
        ? {}
        : { action: { label: "Keep writing", run: () => continueWriting(controller, open) } },
    );
  }, [restored, controller]);
}

function continueWriting(controller: DiffController, id: string): void {
  const comment = useComments.getState().comments.find((each) => each.id === id);
  if (!comment) return;
  // An editor outside the window gets the focus when it is rendered.
  useComments.setState({ focus: id });
  goToComment(controller, comment);
  const editor = document.querySelector(`.comment-open[data-comment="${CSS.escape(id)}"]`);
  editor?.querySelector<HTMLElement>(".suggestion-code, textarea")?.focus({ preventScroll: true });
}

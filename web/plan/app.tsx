import { lazy, Suspense, useLayoutEffect } from "react";
import { createRoot } from "react-dom/client";
import type { ReviewEvent } from "../../src/review/api-types.ts";
import { useReviewEvents } from "../shared/api/use-review-events.ts";
import { AskHost } from "../shared/ask/ask-host.tsx";
import { Button } from "../shared/components/button.tsx";
import { ErrorBoundary, Region } from "../shared/components/error-boundary.tsx";
import { ErrorLine } from "../shared/components/error-line.tsx";
import { later, loadWhenIdle, WaitingDialog } from "../shared/components/later.tsx";
import { PageState } from "../shared/components/page-state.tsx";
import { Toasts } from "../shared/components/toast.tsx";
import { IrreversibleButton } from "../shared/irreversible/irreversible-button.tsx";
import { ShortcutSheet } from "../shared/keyboard/shortcut-sheet.tsx";
import { useShortcuts } from "../shared/keyboard/shortcuts.ts";
import { showNextReview } from "../shared/next-review.ts";
import { watchSystemTheme } from "../shared/theme/theme.ts";
import { receiveEvent } from "../shared/threads/receive-event.ts";
import { useThreads } from "../shared/threads/thread-store.ts";
import { Sidebar } from "./annotate/sidebar.tsx";
import { Article } from "./article/article.tsx";
import { SourceView } from "./article/source-view.tsx";
import { ApproveDialog } from "./decide/approve-dialog.tsx";
import { FailedReview } from "./decide/failed-review.tsx";
import { FinalScreen } from "./decide/final-screen.tsx";
import { RequestChangesDialog } from "./decide/request-changes-dialog.tsx";
import { SaveDialog } from "./decide/save-options.tsx";
import { useDecision } from "./decide/use-decision.ts";
import { goToLine } from "./dom/reading-position.ts";
import { EditView } from "./edit/edit-view.tsx";
import { Banners } from "./layout/banners.tsx";
import { Header } from "./layout/header.tsx";
import { planShortcuts, planTyping, threadShortcuts } from "./layout/plan-shortcuts.ts";
import { TableOfContents } from "./layout/table-of-contents.tsx";
import { collectComments, keepSent, showFinished, showRound } from "./live/live.ts";
import { ChangesView } from "./rounds/changes-view.tsx";
import { LastRoundAnnotations } from "./rounds/last-round-annotations.tsx";
import { ImportDialog } from "./share/import-dialog.tsx";
import { ShareDialog } from "./share/share-dialog.tsx";
import { openDialog } from "./state/actions.ts";
import { approve, requestChanges } from "./state/decide.ts";
import { followDraft } from "./state/draft.ts";
import { handleServerChange, load } from "./state/load.ts";
import { type DialogName, type Outcome, useReview, type View } from "./state/review-store.ts";

/** Loads the plan and replaces the prerendered text. */
export async function start(): Promise<void> {
  watchSystemTheme();
  await load().catch((error: unknown) => {
    useReview.setState({ phase: "failed", failure: error instanceof Error ? error.message : String(error) });
  });
  const root = document.getElementById("root");
  if (!root) return;
  createRoot(root).render(
    <ErrorBoundary fallback={(message) => <FailedReview message={message} />}>
      <App />
    </ErrorBoundary>,
  );
  void loadWhenIdle();
}

/** Renders the plan page. */
export function App() {
  const phase = useReview((state) => state.phase);
  useReviewEvents({ onEvent, onConnection: (connected) => useReview.setState({ connected }) });
  return (
    <>
      <Phase phase={phase} />
      <Toasts />
    </>
  );
}

function Phase({ phase }: { readonly phase: ReturnType<typeof useReview.getState>["phase"] }) {
  switch (phase) {
    case "loading":
      return null;
    case "failed":
      return <Failed />;
    case "missing":
      return <MissingPlan />;
    case "done":
      return <FinalScreen />;
    case "review":
      return <Review />;
  }
}

function Failed() {
  const failure = useReview((state) => state.failure);
  return (
    <PageState
      title="Cannot load the plan"
      actions={
        <Button variant="primary" onClick={() => location.reload()}>
          Try again
        </Button>
      }
    >
      <p>{failure}</p>
      <p className="hint">
        If the review has ended, <code>sallyport review last</code> prints the decision.
      </p>
    </PageState>
  );
}

function Review() {
  const view = useReview((state) => state.view);
  const dialog = useReview((state) => state.dialog);
  useLayoutEffect(() => {
    const { readingLine, document: plan } = useReview.getState();
    goToLine(view, readingLine, plan);
  }, [view]);
  const hasThreads = useThreads(({ threads, live }) => live !== undefined || threads.length > 0);
  useShortcuts(hasThreads ? threadShortcuts : planShortcuts, planTyping);
  return (
    <div className="page" data-view={view}>
      <a className="visually-hidden skip-link" href="#plan">
        Skip to the plan
      </a>
      <Header />
      <Region name="The notices">
        <Banners />
      </Region>
      <div className="columns">
        <Region name="The contents">
          <TableOfContents />
        </Region>
        <main id="plan" className="main" tabIndex={-1}>
          <Region key={view} name="This view of the plan">
            {VIEWS[view]()}
          </Region>
        </main>
        <Region name="The comments">
          <Sidebar>
            <LastRoundAnnotations />
          </Sidebar>
        </Region>
      </div>
      {dialog && (
        <Region key={dialog} name="This dialog">
          <OpenDialog name={dialog} />
        </Region>
      )}
      <AskHost />
    </div>
  );
}

const PlanPalette = later(async () => (await import("./layout/plan-palette.tsx")).PlanPalette);

const LiveDialog = lazy(() =>
  import("../shared/threads/batch-dialogs.tsx").then((module) => ({ default: module.LiveDialog })),
);

function OpenDialog({ name }: { readonly name: DialogName }) {
  const isLive = useThreads(({ live }) => live !== undefined);
  const hasThreads = useThreads(({ threads }) => threads.length > 0);
  const round = useReview(({ plan }) => plan?.round ?? 1);
  if (isLive && (name === "approve" || name === "request-changes"))
    return (
      <Suspense fallback={null}>
        <LiveDialog
          kind={name === "approve" ? "finish" : "send"}
          round={round}
          collect={collectComments}
          showRound={showRound}
          onClose={() => openDialog(undefined)}
          onSent={keepSent}
          onFinished={showFinished}
        />
      </Suspense>
    );
  const shortcuts = isLive || hasThreads ? threadShortcuts : planShortcuts;
  const close = () => openDialog(undefined);
  if (name === "shortcuts") return <ShortcutSheet shortcuts={shortcuts} onClose={close} />;
  if (name === "palette")
    return <PlanPalette shortcuts={shortcuts} fallback={<WaitingDialog onClose={close} />} />;
  return DIALOGS[name]();
}

const VIEWS: Readonly<Record<View, () => React.ReactNode>> = {
  plan: () => <Article />,
  source: () => <SourceView />,
  changes: () => <ChangesView />,
  edit: () => <EditView />,
};

const DIALOGS: Readonly<Record<Exclude<DialogName, "shortcuts" | "palette">, () => React.ReactNode>> = {
  approve: () => <ApproveDialog />,
  "request-changes": () => <RequestChangesDialog />,
  save: () => <SaveDialog />,
  share: () => <ShareDialog />,
  import: () => <ImportDialog />,
};

function onEvent(event: ReviewEvent): void {
  const { phase, deciding, plan } = useReview.getState();
  if (phase === "done" && event.event === "hello" && plan && event.sessionId !== plan.sessionId) {
    showNextReview();
    return;
  }
  if (phase === "done" || deciding) return;
  receiveEvent(event, showRound);
  if (event.event === "hello") {
    void handleServerChange(event.sessionId);
    // After a reconnection, saves of other tabs may have been missed.
    void followDraft();
  } else if (event.event === "draft") {
    void followDraft(event.generation);
  } else if (event.event === "caller-doubtful") {
    useReview.setState({ doubt: event.doubt });
  } else if (event.event === "decided" || event.event === "decided-by-program") {
    const byProgram = event.event === "decided-by-program";
    useReview.setState({ phase: "done", dialog: undefined, outcome: { kind: "elsewhere", byProgram } });
  } else if (event.event === "closing" && event.reason !== "decided") {
    useReview.setState({ phase: "done", dialog: undefined, outcome: { kind: closedBy(event.reason) } });
  }
}

type ClosedBy = Exclude<Outcome, { readonly feedback: string }>["kind"];

/** Returns the outcome of a review that ended without a decision on this page. */
function closedBy(reason: string): ClosedBy {
  const known: readonly ClosedBy[] = ["caller-gone", "timeout", "ended", "idle"];
  return known.find((kind) => kind === reason) ?? "stopped";
}

/** Renders a page for an agent that requested a review without a plan and waits for a decision. */
function MissingPlan() {
  const plan = useReview((state) => state.plan);
  const { busy, error, run } = useDecision();
  const name = plan?.caller.name ?? "The agent";
  const feedback = "No plan reached the review. Write the plan, then present it again.";
  const nothingToSave = { enabled: false };
  return (
    <PageState
      title="There is no plan to review"
      actions={
        <>
          <IrreversibleButton disabled={busy} onPress={() => run(() => approve({ planSave: nothingToSave }))}>
            Approve anyway
          </IrreversibleButton>
          <IrreversibleButton
            variant="primary"
            takesKey
            disabled={busy}
            onPress={() => run(() => requestChanges({ feedback, planSave: nothingToSave }))}
          >
            Ask for a plan
          </IrreversibleButton>
        </>
      }
    >
      <p>{plan?.missing || `${name} asked for a review, but sent an empty plan.`}</p>
      <ErrorLine error={error} />
    </PageState>
  );
}

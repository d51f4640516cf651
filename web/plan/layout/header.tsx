import { Check, MessageSquareText, Undo2 } from "lucide-react";
import { saveSettings } from "../../shared/api/settings.ts";
import { clockTime } from "../../shared/clock-time.ts";
import { Button } from "../../shared/components/button.tsx";
import { Logo } from "../../shared/components/logo.tsx";
import { Segmented } from "../../shared/components/segmented.tsx";
import { ThemeToggle } from "../../shared/theme/theme-toggle.tsx";
import { MoreReviews } from "../../shared/threads/more-reviews.tsx";
import { countUnsentMessages, useThreads } from "../../shared/threads/thread-store.ts";
import { isInNextBatch } from "../../shared/threads/threads.ts";
import { isPraise } from "../model/annotations.ts";
import { openDialog, setView, showChangesSince, toggleSidebar } from "../state/actions.ts";
import { editedPlan, useReview, type View } from "../state/review-store.ts";
import { MoreMenu } from "./more-menu.tsx";

/** Renders the page header: title, view selection and decision buttons. */
export function Header() {
  const plan = useReview((state) => state.plan);
  const count = useReview((state) => state.annotations.length);
  const changes = useReview(
    (state) => state.annotations.filter((annotation) => !isPraise(annotation)).length,
  );
  const isEdited = useReview((state) => editedPlan(state) !== undefined);
  const isLive = useThreads(({ live }) => live !== undefined);
  const openThreads = useThreads(({ threads }) => threads.filter(({ state }) => state === "open").length);
  if (!plan) return null;
  return (
    <header className="header no-print">
      <Logo />
      <div className="header-title">
        <h1 title={plan.title}>{plan.title}</h1>
        <p>
          <span>{plan.caller.name}</span>
          {plan.caller.project && <span title={plan.caller.cwd}>{plan.caller.project}</span>}
          {plan.round > 1 && <span className="badge">Round {plan.round}</span>}
          {isEdited && (
            <button
              type="button"
              className="badge badge-edited"
              title="Show my edits"
              onClick={() => showChangesSince("sent")}
            >
              Edited
            </button>
          )}
          <DraftState />
        </p>
      </div>
      <ViewChoice />
      <div className="header-tools">
        <MoreReviews />
        <Button variant="quiet" className="sidebar-toggle" onClick={toggleSidebar}>
          <MessageSquareText size={17} aria-hidden />
          <span className="visually-hidden">Comments</span>{" "}
          <span className="badge">{count + openThreads}</span>
        </Button>
        <ThemeToggle onChange={(theme) => void saveSettings({ theme })} />
        <MoreMenu />
      </div>
      {isLive ? <LiveButtons count={count} /> : <DecisionButtons changes={changes} isEdited={isEdited} />}
    </header>
  );
}

/** Renders the decision buttons of a live review: sending keeps the review open, and finishing ends it. */
function LiveButtons({ count }: { readonly count: number }) {
  const unsent = useThreads(
    (state) => state.threads.filter(isInNextBatch).length + countUnsentMessages(state),
  );
  const total = count + unsent;
  return (
    <div className="header-decide">
      <Button onClick={() => openDialog("approve")}>
        <Check size={16} aria-hidden /> Finish
      </Button>
      <Button variant="primary" onClick={() => openDialog("request-changes")}>
        Send {total > 0 && <span className="badge">{total}</span>}
      </Button>
    </div>
  );
}

function DecisionButtons({ changes, isEdited }: { readonly changes: number; readonly isEdited: boolean }) {
  return (
    <div className="header-decide">
      <Button variant="danger" onClick={() => openDialog("request-changes")}>
        <Undo2 size={16} aria-hidden />
        <span>{changes > 0 || isEdited ? "Request changes" : "Deny"}</span>
        {changes > 0 && <span className="badge">{changes}</span>}
      </Button>
      <Button variant="primary" onClick={() => openDialog("approve")}>
        <Check size={16} aria-hidden /> Approve
      </Button>
    </div>
  );
}

function ViewChoice() {
  const view = useReview((state) => state.view);
  const canEdit = useReview((state) => state.plan?.caller.takesEditedPlan ?? false);
  const hasChanges = useReview(
    (state) => state.rounds.length > 0 || state.view === "changes" || editedPlan(state) !== undefined,
  );
  const options: { readonly value: View; readonly label: string }[] = [
    { value: "plan", label: "Plan" },
    { value: "source", label: "Source" },
  ];
  if (hasChanges) options.splice(1, 0, { value: "changes", label: "Changes" });
  if (canEdit) options.push({ value: "edit", label: "Edit" });
  return <Segmented label="View" value={view} options={options} onChange={setView} />;
}

function DraftState() {
  const draft = useReview((state) => state.draft);
  switch (draft.state) {
    case "saved":
      return <span className="draft-state">Draft saved {clockTime(draft.savedAt)}</span>;
    case "pending":
      return <span className="draft-state">Saving …</span>;
    case "failing":
      return <span className="draft-state draft-failing">Not saved</span>;
    default:
      return null;
  }
}

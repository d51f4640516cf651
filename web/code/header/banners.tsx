import { lazy, Suspense, useState } from "react";
import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import type { OmittedFiles } from "../../../src/review/api-types.ts";
import { describeDoubt } from "../../shared/caller-doubt.ts";
import { Button } from "../../shared/components/button.tsx";
import { DamagedDraftBanner } from "../../shared/drafts/damaged-draft-banner.tsx";
import { LivePlaceholder } from "../../shared/threads/live-placeholder.tsx";
import { useThreads } from "../../shared/threads/thread-store.ts";
import { timeAgo } from "../../shared/time-ago.ts";
import { describeOmitted } from "../core/omitted.ts";
import { describeSince } from "../core/since-round.ts";
import { copyFeedback } from "../state/compose-feedback.ts";
import { diffLabel } from "../state/diff-label.ts";
import { useDraft } from "../state/draft.ts";
import { useRounds } from "../state/rounds.ts";
import { switchDiff, useSession } from "../state/session.ts";
import { showWhole, toggleSince } from "../state/since.ts";
import { openDialog, useView } from "../state/view.ts";

const PullPanel = lazy(() =>
  import("../pull/pull-panel.tsx").then((module) => ({ default: module.PullPanel })),
);
const LiveBanner = lazy(() =>
  import("../../shared/threads/live-banner.tsx").then((module) => ({ default: module.LiveBanner })),
);

const ConflictBanner = lazy(() =>
  import("./conflict-banner.tsx").then((module) => ({ default: module.ConflictBanner })),
);

/** Renders the panel of a pull request, and the notices about the server, the agent, the draft and the diff. */
export function Banners() {
  // Without a server, saving and refreshing also fail, but only the lost server is reported.
  const isServerLost = useSession((session) => !session.connected || session.closing !== undefined);
  const isLive = useThreads(({ live }) => live !== undefined);
  const isPull = useSession(({ index }) => index?.source === "pr");
  const isSince = useSession(({ since }) => since !== undefined);
  return (
    <>
      {isPull && (
        <Suspense fallback={<div className="pull-panel pull-panel-loading" />}>
          <PullPanel />
        </Suspense>
      )}
      {isServerLost && <ServerLostBanner />}
      {!isServerLost && <DoubtBanner />}
      <ReplacedBanner />
      {!isServerLost && <DraftBanner />}
      <DamagedBanner />
      {!isServerLost && <StaleBanner />}
      {isLive && !isServerLost && (
        <Suspense fallback={<LivePlaceholder />}>
          <LiveBanner onShowChanges={isSince ? undefined : () => void toggleSince()} />
        </Suspense>
      )}
      {isSince ? <SinceBanner /> : !isLive && !isPull && <RoundBanner />}
      <ConflictNotice />
      <OmittedBanner />
    </>
  );
}

function ConflictNotice() {
  const hasConflict = useSession(({ files }) =>
    files.some(({ conflict, path }) => conflict !== undefined || path === "JJ-CONFLICT-README"),
  );
  return (
    hasConflict && (
      <Suspense fallback={null}>
        <ConflictBanner />
      </Suspense>
    )
  );
}

function ServerLostBanner() {
  const closing = useSession((session) => session.closing);
  return (
    <div className="banner banner-danger" role="alert">
      <span>
        {closing === undefined
          ? "Can't reach Sallyport. It may have been stopped. Your comments are kept here while this page is open."
          : closingText(closing)}
      </span>
      <Button small onClick={() => void copyFeedback()}>
        Copy the feedback
      </Button>
    </div>
  );
}

function DoubtBanner() {
  const doubt = useSession((session) => session.doubt);
  const name = useSession((session) => session.index?.caller.name ?? "The agent");
  if (doubt === undefined) return null;
  return (
    <div className="banner banner-warning" role="alert">
      <span>
        {describeDoubt(name, doubt)} You can still send the feedback: it is saved, and{" "}
        <code>sallyport review last</code> prints it.
      </span>
    </div>
  );
}

function ReplacedBanner() {
  const isReplaced = useSession((session) => session.isReplaced);
  if (!isReplaced) return null;
  return (
    <div className="banner banner-danger" role="alert">
      <span>
        <strong>This tab is out of date: another review is now open at this address.</strong> Your comments on
        this review are kept.
      </span>
      <Button small onClick={() => void copyFeedback()}>
        Copy the feedback
      </Button>
      <Button small onClick={() => location.reload()}>
        Show the other review
      </Button>
    </div>
  );
}

function closingText(reason: string): string {
  if (reason === "decided-by-program")
    return "A program decided this review, not a person on this page. Stop the agent if you do not know which program.";
  if (reason === "decided") return "This review was decided in another window.";
  if (reason === "ended")
    return "This review was ended by the agent or in another window. Your comments are saved for the next one.";
  if (reason === "idle")
    return "This review ended because no page or agent was connected for a long time. Your comments are saved for the next one.";
  if (reason === "timeout") return "This review timed out. Your comments are saved for the next one.";
  if (reason === "caller-gone")
    return "The agent that asked for this review has exited. Your comments are saved for the next one.";
  return "Sallyport was stopped. Your comments are saved for the next review.";
}

function DraftBanner() {
  const status = useDraft((draft) => draft.status);
  if (status.state === "failing") {
    return (
      <div className="banner banner-warning" role="alert">
        <span>Your comments are not saved yet: {status.message} Retrying.</span>
        <Button small onClick={() => void copyFeedback()}>
          Copy the feedback
        </Button>
      </div>
    );
  }
  if (status.state !== "superseded") return null;
  return (
    <div className="banner banner-warning" role="alert">
      <span>
        This review is open in another window, which has newer comments. Changes here are not saved.
      </span>
      <Button small onClick={() => void copyFeedback()}>
        Copy the feedback
      </Button>
      <Button small onClick={() => location.reload()}>
        Load the newer comments
      </Button>
    </div>
  );
}

function DamagedBanner() {
  const damaged = useDraft((draft) => draft.damaged);
  if (damaged === undefined) return null;
  return (
    <DamagedDraftBanner
      subject="this review"
      file={damaged}
      onDismiss={() => useDraft.setState({ damaged: undefined })}
    />
  );
}

function StaleBanner() {
  const stale = useSession((session) => session.stale);
  const diffType = useSession((session) => session.index?.diffType ?? "");
  const switching = useSession((session) => session.switching);
  const isReplaced = useSession((session) => session.isReplaced);
  // If another review is open at this address, refreshing would not help.
  if (!stale || isReplaced) return null;
  const refresh = () => void switchDiff(diffType, useView.getState().whitespace);
  return (
    <div className="banner banner-warning" role="status">
      <span>The code has changed since this diff was created. Your comments stay on their lines.</span>
      <Button small disabled={switching} onClick={refresh}>
        Refresh
      </Button>
      <Button small variant="quiet" onClick={() => useSession.setState({ stale: false })}>
        Not now
      </Button>
    </div>
  );
}

function SinceBanner() {
  const round = useSession(({ since }) => since);
  const files = useSession((session) => session.files.length);
  return (
    <div className="banner" role="status">
      <span>
        {files === 0
          ? `Nothing has changed since your feedback on round ${round}.`
          : `Showing only the changes since your feedback on round ${round}: ${files === 1 ? "1 file" : `${files} files`}.`}
      </span>
      <Button small onClick={() => void showWhole()}>
        Show the whole diff
      </Button>
    </div>
  );
}

function RoundBanner() {
  const last = useRounds(({ rounds }) => rounds.at(-1));
  const compared = useRounds((state) => state.compared);
  const files = useSession((session) => session.files);
  const index = useSession((session) => session.index);
  const hidden = useView((view) => view.roundSeen);
  const whitespace = useView((view) => view.whitespace);
  if (!last || hidden) return null;
  return (
    <div className="banner" role="status">
      <span>
        {compared ? (
          <>
            You sent feedback on this diff {timeAgo(compared.sentAt)}.{" "}
            {describeSince(compared, files, !whitespace)}
          </>
        ) : (
          <>
            You sent feedback on another diff of this branch {timeAgo(last.sentAt)}:{" "}
            {diffLabel(index, last.diffType)}.
          </>
        )}
      </span>
      <Button small onClick={() => void toggleSince()}>
        Show only these changes
      </Button>
      <Button small onClick={() => openDialog("rounds")}>
        Earlier feedback
      </Button>
      <Button small variant="quiet" onClick={() => useView.setState({ roundSeen: true })}>
        Dismiss
      </Button>
    </div>
  );
}

/**
 * Renders a list of changes that the diff does not show, so that an empty diff does not look like an
 * unchanged working tree.
 */
function OmittedBanner() {
  const omitted = useSession((session) => session.index?.omitted);
  const [open, setOpen] = useState(false);
  const [dismissed, setDismissed] = useState<OmittedFiles>();
  if (!omitted || dismissed === omitted) return null;
  const isRoutine = !(omitted.elsewhere || omitted.nested || omitted.onlyStaged || omitted.unknown);
  return (
    <div className={isRoutine ? "banner" : "banner banner-warning"} role="status">
      <div>
        {describeOmitted(omitted).map(({ text, paths, count }) => (
          <div key={text}>
            {text}
            {open && (
              <div className="banner-paths">
                {paths.map((path) => (
                  <code key={path}>{withDeceptionsShown(path)}</code>
                ))}
                {count > paths.length && <span>and {count - paths.length} more</span>}
              </div>
            )}
          </div>
        ))}
      </div>
      <Button small onClick={() => setOpen(!open)} aria-expanded={open}>
        {open ? "Hide names" : "Show names"}
      </Button>
      <Button small variant="quiet" onClick={() => setDismissed(omitted)}>
        Dismiss
      </Button>
    </div>
  );
}

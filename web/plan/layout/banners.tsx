import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { parseMarkdown } from "../../../src/render/markdown/parse/parse-markdown.ts";
import { describeDoubt } from "../../shared/caller-doubt.ts";
import { copyAndReport } from "../../shared/clipboard.ts";
import { clockTime } from "../../shared/clock-time.ts";
import { Button } from "../../shared/components/button.tsx";
import { sentenceStart } from "../../shared/sentence-start.ts";
import { LivePlaceholder } from "../../shared/threads/live-placeholder.tsx";
import { useThreads } from "../../shared/threads/thread-store.ts";
import { comparePlans } from "../rounds/compare-plans.ts";
import { allAnnotations, applyTypedText, showChangesSince } from "../state/actions.ts";
import { composedFeedback } from "../state/plan-feedback.ts";
import { useReview } from "../state/review-store.ts";
import { AgentRequests } from "./agent-requests.tsx";
import { DraftNotices } from "./draft-notices.tsx";

const LiveBanner = lazy(() =>
  import("../../shared/threads/live-banner.tsx").then((module) => ({ default: module.LiveBanner })),
);

/** Renders the notices, for example about a lost server, an unsaved draft, a new round or a timeout of the agent. */
export function Banners() {
  const connected = useReview((state) => state.connected);
  const draft = useReview((state) => state.draft);
  const isReplaced = useReview((state) => state.isReplaced);
  const isLive = useThreads(({ live }) => live !== undefined);
  const earlier = useEarlierRound();
  const changesShown = earlier === undefined ? undefined : () => showChangesSince(earlier);
  return (
    <section className="banners no-print" aria-label="Notices">
      {!connected && <ServerLost />}
      {isReplaced && <Replaced />}
      {connected && draft.state === "failing" && (
        <p className="banner banner-danger" role="alert">
          <span>Your comments are not being saved: {draft.message} Retrying every two seconds.</span>
          <CopyComments />
        </p>
      )}
      {draft.state === "superseded" && (
        <p className="banner banner-warning" role="alert">
          <span>
            This plan is being reviewed in another tab, which has newer comments. Changes made here are not
            saved.
          </span>
          <CopyComments />
          <Button small onClick={() => location.reload()}>
            Load the newer comments
          </Button>
        </p>
      )}
      <Doubt />
      <PlainText />
      <DraftNotices />
      {isLive && connected && (
        <Suspense fallback={<LivePlaceholder />}>
          <LiveBanner onShowChanges={changesShown} />
        </Suspense>
      )}
      {!isLive && <RoundBanner />}
      <AgentRequests />
      <Deadline />
    </section>
  );
}

/**
 * Returns the earlier round to compare with: that of the last batch, or otherwise the one before this round; undefined
 * in the first round.
 */
function useEarlierRound(): number | undefined {
  const sent = useThreads((state) => state.sent?.round);
  const rounds = useReview((state) => state.rounds);
  const now = useThreads(({ live }) => live?.round ?? 0);
  const earlier = rounds.filter(({ round }) => round < now);
  return (earlier.find(({ round }) => round === sent) ?? earlier.at(-1))?.round;
}

function PlainText() {
  const isPlain = useReview((state) => state.document.isPlain ?? false);
  if (!isPlain) return null;
  return (
    <p className="banner" role="status">
      <span>This plan is longer than 1,000,000 characters and is shown as plain text.</span>
    </p>
  );
}

function Doubt() {
  const doubt = useReview((state) => state.doubt);
  const name = useReview((state) => state.plan?.caller.name ?? "The agent");
  if (doubt === undefined) return null;
  return (
    <p className="banner banner-warning" role="alert">
      <span>
        {describeDoubt(name, doubt)} You can still decide: the decision is saved, and{" "}
        <code>sallyport review last</code> prints it.
      </span>
      <CopyComments />
    </p>
  );
}

function ServerLost() {
  return (
    <div className="banner banner-danger" role="alert">
      <span>
        <strong>Can't reach Sallyport.</strong> It may have been stopped. Comments up to the last save return
        with the same plan; this tab continues once Sallyport is reachable.
      </span>
      <CopyComments />
    </div>
  );
}

function Replaced() {
  return (
    <div className="banner banner-danger" role="alert">
      <span>
        <strong>This tab is out of date: another plan is now open at this address.</strong> The plan in this
        tab can no longer be decided; your comments on it are saved.
      </span>
      <CopyComments />
      <Button small onClick={() => location.reload()}>
        Show the other plan
      </Button>
    </div>
  );
}

function CopyComments() {
  return (
    <Button
      small
      onClick={() => {
        applyTypedText();
        const state = useReview.getState();
        const annotations = allAnnotations();
        const comments = state.rewritten ?? composedFeedback({ ...state, annotations }, "request-changes");
        void copyAndReport(comments, "Comments copied");
      }}
    >
      Copy my comments
    </Button>
  );
}

function RoundBanner() {
  const last = useReview((state) => state.rounds.at(-1));
  const view = useReview((state) => state.view);
  const source = useReview((state) => state.plan?.plan ?? "");
  const count = useMemo(
    () => (last ? comparePlans(parseMarkdown(last.plan), parseMarkdown(source)).count : 0),
    [last, source],
  );
  if (!last || view === "changes") return null;
  return (
    <div className="banner">
      <span>
        {last.decision?.from === "program" && (
          <strong>Round {last.round} was decided by a program, not on this page. </strong>
        )}
        {count === 0
          ? `This is the plan of round ${last.round} again: nothing in it has changed.`
          : `${count} ${count === 1 ? "part has" : "parts have"} changed since round ${last.round}.`}
      </span>
      {count > 0 && (
        <Button small onClick={() => showChangesSince(last.round)}>
          Show changes
        </Button>
      )}
    </div>
  );
}

function Deadline() {
  const deadline = useReview((state) => state.plan?.caller.deadline);
  const name = useReview((state) => state.plan?.caller.name ?? "The agent");
  const isNear = useIsNear(deadline);
  if (!deadline || !isNear) return null;
  const time = clockTime(deadline);
  return (
    <p className="banner banner-warning">
      <span>
        {sentenceStart(name)} waits until {time}. Your comments are kept if you need longer.
      </span>
    </p>
  );
}

const HOUR = 3_600_000;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Returns whether an hour or less is left, or there is no deadline. The component renders again when this changes. */
function useIsNear(deadline: string | undefined): boolean {
  const [now, setNow] = useState(Date.now);
  const tooEarly = deadline === undefined ? 0 : Date.parse(deadline) - HOUR - now;
  useEffect(() => {
    if (tooEarly <= 0) return undefined;
    const timer = setTimeout(() => setNow(Date.now()), Math.min(tooEarly, MAX_TIMER_MS));
    return () => clearTimeout(timer);
  }, [tooEarly]);
  return tooEarly <= 0;
}

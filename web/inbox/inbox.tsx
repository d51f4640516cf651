import { Bell, BellOff, BellRing } from "lucide-react";
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import type { DecidedReview, ReviewEntry } from "../../src/review/api-types.ts";
import { clockTime } from "../shared/clock-time.ts";
import { Button } from "../shared/components/button.tsx";
import { ErrorBoundary } from "../shared/components/error-boundary.tsx";
import { Logo } from "../shared/components/logo.tsx";
import { PageState } from "../shared/components/page-state.tsx";
import { Toasts } from "../shared/components/toast.tsx";
import { repositoryName } from "../shared/repository-name.ts";
import { applyTheme, watchSystemTheme } from "../shared/theme/theme.ts";
import { ThemeToggle } from "../shared/theme/theme-toggle.tsx";
import { decisionName, modeName, reviewAddress, waitingTime } from "./entries.ts";
import { followInbox, loadInbox, useInbox } from "./inbox-store.ts";
import { keepTheme, keptTheme } from "./kept-theme.ts";
import { askForNotifications, notificationChoice } from "./notifications.ts";

/** Loads the inbox, renders it and follows its changes. */
export async function start(): Promise<void> {
  const theme = keptTheme();
  if (theme) applyTheme(theme);
  watchSystemTheme();
  await loadInbox();
  const root = document.getElementById("root");
  if (!root) return;
  createRoot(root).render(
    <ErrorBoundary fallback={(message) => <PageState title="Cannot show the inbox">{message}</PageState>}>
      <Inbox />
    </ErrorBoundary>,
  );
  followInbox();
}

/** Renders the inbox: the reviews that wait for the person, and those that were decided today. */
export function Inbox() {
  const { waiting, decided, failure, connected } = useInbox();
  const now = useMinute();
  return (
    <div className="inbox">
      <header className="inbox-head">
        <Logo />
        <h1>Waiting for you {waiting.length > 0 && <span className="badge">{waiting.length}</span>}</h1>
        <Notifications />
        <ThemeToggle onChange={keepTheme} />
      </header>
      {!connected && (
        <p className="banner banner-warning" role="alert">
          <span>
            Can't reach the inbox. It may have been stopped: run <code>sallyport inbox</code> again.
          </span>
        </p>
      )}
      {failure !== undefined && (
        <p className="banner banner-danger" role="alert">
          Cannot load the inbox: {failure}
        </p>
      )}
      <main className="inbox-main">
        {waiting.length === 0 ? (
          <Empty />
        ) : (
          <ol className="inbox-list" aria-label="Waiting reviews">
            {waiting.map((review) => (
              <WaitingReview key={review.id} review={review} now={now} />
            ))}
          </ol>
        )}
        {decided.length > 0 && (
          <section aria-labelledby="decided">
            <h2 id="decided">Decided today</h2>
            <ol className="inbox-list inbox-decided">
              {decided.map((review) => (
                <Decided key={`${review.id} ${review.decidedAt}`} review={review} />
              ))}
            </ol>
          </section>
        )}
      </main>
      <Toasts />
    </div>
  );
}

function Empty() {
  return (
    <div className="inbox-empty">
      <p>
        <strong>No review is waiting.</strong>
      </p>
      <p className="hint">
        Reviews that an agent opens appear here. To start one yourself:{" "}
        <code>sallyport review code --live</code>
      </p>
    </div>
  );
}

function WaitingReview({ review, now }: { readonly review: ReviewEntry; readonly now: number }) {
  const { mode, live, url, title, repository, agent, since } = review;
  return (
    <li className="inbox-item">
      <a className="inbox-link" href={reviewAddress(url)} target="_blank" rel="noreferrer">
        <span className="inbox-title">{title || repository || "Review"}</span>
        <span className="inbox-meta">
          <span className={`inbox-mode inbox-mode-${mode}`}>{modeName(mode)}</span>
          {live && <span className="inbox-live">Live</span>}
          {repository && <span title={repository}>{repositoryName(repository)}</span>}
          {agent && <span>{agent}</span>}
        </span>
      </a>
      <time className="inbox-time" dateTime={since} title={new Date(since).toLocaleString()}>
        {waitingTime(since, now)}
      </time>
    </li>
  );
}

function Decided({ review }: { readonly review: DecidedReview }) {
  const { mode, title, repository, agent, decision, decidedAt } = review;
  return (
    <li className="inbox-item">
      <span className="inbox-link">
        <span className="inbox-title">{title || repository || "Review"}</span>
        <span className="inbox-meta">
          <span className={`inbox-decision inbox-decision-${decision}`}>{decisionName(decision)}</span>
          <span>{modeName(mode)}</span>
          {repository && <span title={repository}>{repositoryName(repository)}</span>}
          {agent && <span>{agent}</span>}
        </span>
      </span>
      <time className="inbox-time" dateTime={decidedAt}>
        {clockTime(decidedAt)}
      </time>
    </li>
  );
}

/** Renders the button that asks for desktop notifications, or the choice that was made. */
function Notifications() {
  const [choice, setChoice] = useState(notificationChoice);
  if (choice === "unavailable") return null;
  if (choice === "ask") {
    return (
      <Button small onClick={() => void askForNotifications().then(setChoice)}>
        <Bell size={15} aria-hidden /> <span className="inbox-notify">Notify me on this desktop</span>
      </Button>
    );
  }
  const isOn = choice === "on";
  return (
    <span className="inbox-notified hint">
      {isOn ? <BellRing size={15} aria-hidden /> : <BellOff size={15} aria-hidden />}
      <span className="inbox-notify">
        {isOn ? "Notifications on" : "Notifications blocked by the browser"}
      </span>
    </span>
  );
}

const MINUTE = 60_000;

/** Returns the time, and renders again every minute. */
function useMinute(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE);
    return () => clearInterval(timer);
  }, []);
  // A review may arrive after the last tick.
  return Math.max(now, Date.now());
}

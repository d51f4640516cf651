import "../styles/threads-layer.css";
import { LoaderCircle } from "lucide-react";
import { classNames } from "../../../src/render/class-names.ts";
import { liveStatus } from "../../../src/render/live/live-status.ts";
import { Button } from "../components/button.tsx";
import { showPendingRound, useThreads } from "./thread-store.ts";
import { batchState } from "./threads.ts";

/** Shows the agent's state and the newest round of a live review. Renders nothing in a one-shot review. */
export function LiveBanner({ onShowChanges }: { readonly onShowChanges?: (() => void) | undefined }) {
  const agent = useThreads(({ live }) => live?.agent);
  const threads = useThreads((state) => state.threads);
  if (!agent) return null;
  const batch = batchState(threads);
  const { tone, text, progress } = liveStatus(agent, batch);
  return (
    <>
      <RoundLine onShowChanges={onShowChanges} />
      <div
        className={classNames(
          "banner",
          "live-banner",
          `live-${tone}`,
          tone === "warning" && "banner-warning",
        )}
        role={tone === "warning" ? "alert" : "status"}
      >
        <span>
          {tone === "busy" && <LoaderCircle size={15} className="live-spinner" aria-hidden />} {text}
          {progress !== undefined && <em className="live-progress"> {progress}</em>}
        </span>
        {batch.replied > 0 && (
          <span className="live-replied">
            {batch.replied === 1 ? "1 thread" : `${batch.replied} threads`} with new replies
          </span>
        )}
      </div>
    </>
  );
}

function RoundLine({ onShowChanges }: { readonly onShowChanges: (() => void) | undefined }) {
  const news = useThreads((state) => state.news);
  if (!news) return null;
  const { round, summary, isPending } = news;
  return (
    <div className="banner live-round" role="status">
      <span>
        <strong>Round {round}.</strong>{" "}
        {isPending ? "It is shown when you finish writing. Your text is kept." : `${summary}.`}
      </span>
      {isPending ? (
        <Button small onClick={showPendingRound}>
          Show it now
        </Button>
      ) : (
        <>
          {onShowChanges && (
            <Button small onClick={onShowChanges}>
              Show changes
            </Button>
          )}
          <Button small variant="quiet" onClick={() => useThreads.setState({ news: undefined })}>
            Dismiss
          </Button>
        </>
      )}
    </div>
  );
}

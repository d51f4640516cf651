import { createRoot } from "react-dom/client";
import { afterPaint } from "../shared/after-paint.ts";
import { ErrorBoundary } from "../shared/components/error-boundary.tsx";
import { setTitle } from "../shared/next-review.ts";
import { watchSystemTheme } from "../shared/theme/theme.ts";
import { loadReviews, loadThreads } from "../shared/threads/thread-store.ts";
import { App } from "./app.tsx";
import { FailedReview } from "./failed-review.tsx";
import { startHighlighting } from "./highlight/tokens-of.ts";
import { startDraft } from "./state/draft.ts";
import { followLive } from "./state/live.ts";
import { followRounds } from "./state/rounds.ts";
import { openDiff } from "./state/session.ts";

/** Loads the diff and replaces the prerendered part. The draft and earlier rounds load after the first render. */
export async function start(): Promise<void> {
  watchSystemTheme();
  const highlighting = startHighlighting();
  const result = await openDiff();
  // Prerendered code is already highlighted and must not lose its colors.
  if (document.querySelector(".prerendered")) await highlighting;
  if (result.ok) followLive(result.value);
  render();
  if (!result.ok) return;
  const { repository, gitContext } = result.value;
  setTitle(`${repository.name} (${gitContext.currentBranch}): review`);
  await afterPaint();
  await Promise.all([startDraft(result.value), followRounds(), loadThreads(), loadReviews()]);
}

function render(): void {
  const root = document.getElementById("root");
  if (!root) return;
  createRoot(root).render(
    <ErrorBoundary fallback={(message) => <FailedReview message={message} />}>
      <App />
    </ErrorBoundary>,
  );
}

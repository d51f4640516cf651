import { createRoot } from "react-dom/client";
import "../shared/styles/shared.css";
import "./styles/layout.css";
import "./styles/tree.css";
import "./styles/diff.css";
import "./styles/comments.css";
import { afterPaint } from "../shared/after-paint.ts";
import { showToast } from "../shared/components/toast.tsx";
import { watchSystemTheme } from "../shared/theme/theme.ts";
import { App } from "./app.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";
import { startHighlighting } from "./highlight/tokens-of.ts";
import { startDraft } from "./state/draft.ts";
import { loadRounds } from "./state/rounds.ts";
import { openDiff, useSession } from "./state/session.ts";

const root = document.getElementById("root");
if (root) {
  void startHighlighting();
  void start();
  createRoot(root).render(
    <ErrorBoundary>
      <App />
    </ErrorBoundary>,
  );
}

/** The diff first; the draft and earlier rounds come once it is on screen. */
async function start(): Promise<void> {
  watchSystemTheme();
  const result = await openDiff();
  if (!result.ok) return;
  const { repository, gitContext, sessionId } = result.value;
  document.title = `${repository.name} (${gitContext.currentBranch}): review`;
  await afterPaint();
  const [restored] = await Promise.all([startDraft(sessionId), loadRounds()]);
  if (restored > 0 && useSession.getState().phase === "ready") {
    showToast(
      restored === 1 ? "Your comment from before is back" : `Your ${restored} comments from before are back`,
    );
  }
}

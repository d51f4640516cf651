import { createRoot } from "react-dom/client";
import "../shared/styles/shared.css";
import "./styles/layout.css";
import "./styles/tree.css";
import "./styles/diff.css";
import "./styles/comments.css";
import { showToast } from "../shared/components/toast.tsx";
import { applyTheme, watchSystemTheme } from "../shared/theme/theme.ts";
import { App } from "./app.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";
import { startHighlighting } from "./highlight/tokens-of.ts";
import { startDraft } from "./state/draft.ts";
import { loadRounds } from "./state/rounds.ts";
import { loadDiff, useSession } from "./state/session.ts";
import { applySettings, useView } from "./state/view.ts";

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

/** The diff first; the draft and earlier rounds come while it is being painted. */
async function start(): Promise<void> {
  watchSystemTheme();
  const result = await loadDiff(useView.getState().whitespace);
  if (!result.ok) return;
  const { settings, repository, gitContext, sessionId } = result.value;
  applyTheme(settings.theme);
  applySettings(settings);
  document.title = `${repository.name} (${gitContext.currentBranch}): review`;
  if (!useView.getState().whitespace) await loadDiff(false);
  const [restored] = await Promise.all([startDraft(sessionId), loadRounds()]);
  if (restored > 0 && useSession.getState().phase === "ready") {
    showToast(
      restored === 1 ? "Your comment from before is back" : `Your ${restored} comments from before are back`,
    );
  }
}

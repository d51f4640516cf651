import { createRoot } from "react-dom/client";
import { ErrorBoundary } from "../shared/components/error-boundary.tsx";
import { watchSystemTheme } from "../shared/theme/theme.ts";
import { App } from "./app.tsx";
import { FailedReview } from "./decide/failed-review.tsx";
import { load } from "./state/load.ts";
import { useReview } from "./state/review-store.ts";

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
}

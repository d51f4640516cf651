import { createRoot } from "react-dom/client";
import { watchSystemTheme } from "../shared/theme/theme.ts";
import { App } from "./app.tsx";
import { load } from "./state/load.ts";
import { useReview } from "./state/review-store.ts";

/** Loads the plan and takes over from the text that came with the page. */
export async function start(): Promise<void> {
  watchSystemTheme();
  await load().catch((error: unknown) => {
    useReview.setState({ phase: "failed", failure: error instanceof Error ? error.message : String(error) });
  });
  const root = document.getElementById("root");
  if (root) createRoot(root).render(<App />);
}

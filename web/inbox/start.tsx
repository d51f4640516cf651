import { createRoot } from "react-dom/client";
import { ErrorBoundary } from "../shared/components/error-boundary.tsx";
import { PageState } from "../shared/components/page-state.tsx";
import { watchSystemTheme } from "../shared/theme/theme.ts";
import { Inbox } from "./inbox.tsx";
import { followInbox, loadInbox } from "./inbox-store.ts";
import { applyKeptTheme } from "./kept-theme.ts";

/** Loads the inbox, renders it and follows its changes. */
export async function start(): Promise<void> {
  applyKeptTheme();
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

import { createRoot } from "react-dom/client";
import { ErrorBoundary } from "../shared/components/error-boundary.tsx";
import { App } from "./app.tsx";
import { ADMIN_API, createApi, OWN_API } from "./data/api.ts";
import { SessionContext } from "./data/session.ts";
import type { SignedIn } from "./sign-in.ts";

/** Shows the dashboard of a key in `container`. Resolves when the person has signed out, to the reason if there is one. */
export function startApp(container: HTMLElement, { secret, key }: SignedIn): Promise<string> {
  return new Promise((resolve) => {
    container.replaceChildren();
    const root = createRoot(container);
    const signOut = (reason = "") => {
      root.unmount();
      resolve(reason);
    };
    const isAdmin = key.sees === "everything";
    const onRejected = () => signOut("That key is no longer valid.");
    const api = createApi(isAdmin ? ADMIN_API : OWN_API, secret, onRejected);
    root.render(
      <ErrorBoundary
        fallback={(message) => (
          <main>
            <p className="notice notice-error" role="alert">
              <strong>The page has failed.</strong> {message} Reload it.
            </p>
          </main>
        )}
      >
        <SessionContext value={{ key, secret, api, isAdmin, signOut }}>
          <App />
        </SessionContext>
      </ErrorBoundary>,
    );
  });
}

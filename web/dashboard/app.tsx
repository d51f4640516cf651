import { type ComponentType, useEffect, useRef } from "react";
import { createRoot } from "react-dom/client";
import type { HealthView } from "../../src/proxy/gateway/admin-api-types.ts";
import { dashboardContent } from "../../src/render/dashboard/dashboard.ts";
import { Button } from "../shared/components/button.tsx";
import { ErrorBoundary } from "../shared/components/error-boundary.tsx";
import { Toasts } from "../shared/components/toast.tsx";
import { AuditView } from "./audit/audit.tsx";
import { CallsView } from "./calls/calls.tsx";
import { ADMIN_API, createApi, OWN_API, useConnection } from "./data/api.ts";
import { formatLocation, usePageLocation } from "./data/location.ts";
import { SessionContext, useSession } from "./data/session.ts";
import { useQuery } from "./data/use-query.ts";
import { KeysView } from "./keys/keys.tsx";
import { LimitsView } from "./keys/own-limits.tsx";
import { showCurrent } from "./live/show-current.ts";
import { OverviewView } from "./overview/overview.tsx";
import { SettingsView } from "./settings/settings.tsx";
import type { SignedIn } from "./sign-in.ts";
import { UpstreamsView } from "./upstreams/upstreams.tsx";

interface ViewEntry {
  readonly name: string;
  readonly label: string;
  readonly View: ComponentType;
}

const ADMIN_VIEWS: readonly [ViewEntry, ...ViewEntry[]] = [
  { name: "overview", label: "Overview", View: OverviewView },
  { name: "calls", label: "Calls", View: CallsView },
  { name: "keys", label: "Keys", View: KeysView },
  { name: "upstreams", label: "Upstreams", View: UpstreamsView },
  { name: "now", label: "Now", View: CurrentView },
  { name: "audit", label: "Audit", View: AuditView },
  { name: "settings", label: "Settings", View: SettingsView },
];

const OWN_VIEWS: readonly [ViewEntry, ...ViewEntry[]] = [
  { name: "overview", label: "Overview", View: OverviewView },
  { name: "calls", label: "Calls", View: CallsView },
  { name: "limits", label: "Limits", View: LimitsView },
];

/**
 * Views of a key that is in the configuration file and is not an admin key. Such a key may see the current calls of all
 * keys.
 */
const CURRENT_VIEWS: readonly [ViewEntry, ...ViewEntry[]] = [
  { name: "now", label: "Now", View: CurrentView },
  ...OWN_VIEWS,
];

const VIEWS = { everything: ADMIN_VIEWS, current: CURRENT_VIEWS, own: OWN_VIEWS };

/**
 * Shows the dashboard of a key in `container`. Resolves to an empty text when the person signs out, or to the reason
 * when the proxy rejects the key.
 */
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

/** Renders the dashboard of a person who has signed in. */
function App() {
  const { key, signOut, isAdmin } = useSession();
  const [{ view }] = usePageLocation();
  const views = VIEWS[key.sees];
  const shown = views.find(({ name }) => name === view) ?? views[0];
  useEffect(() => {
    document.title = `${shown.label} · Sallyport proxy`;
  }, [shown.label]);
  return (
    <>
      <header>
        <h1>Sallyport proxy</h1>
        <nav className="views" aria-label="Views">
          {views.map(({ name, label }) => (
            <a
              key={name}
              href={formatLocation({ view: name, item: undefined, choices: {} })}
              aria-current={name === shown.name ? "page" : undefined}
            >
              {label}
            </a>
          ))}
        </nav>
        <p className="who">
          <span>
            {key.name}{" "}
            <span className="secondary">
              {isAdmin ? "admin key" : key.team === null ? "own calls" : `own calls, team ${key.team}`}
            </span>
          </span>
          <Button small onClick={() => signOut()}>
            Sign out
          </Button>
        </p>
      </header>
      <ConnectionNotice />
      {isAdmin && <HealthNotices />}
      <shown.View key={shown.name} />
      <Toasts />
    </>
  );
}

function ConnectionNotice() {
  const { isLost } = useConnection();
  return (
    <div role="status">
      {isLost && (
        <p className="banner banner-danger">
          Not connected to the proxy: showing the last figures. Retrying.
        </p>
      )}
    </div>
  );
}

const HEALTH_MS = 15_000;

function HealthNotices() {
  const { api } = useSession();
  const { data } = useQuery("health", (signal) => api.get<HealthView>("/health", {}, signal), HEALTH_MS);
  const isDown = data?.database.status === "down";
  return (
    <div role="status">
      {isDown && (
        <p className="banner banner-danger">
          The database is down: {data.database.reason ?? "no reason known"}. Calls continue and are written
          once it responds again. Figures and lists on this page may be out of date.
        </p>
      )}
      {data !== undefined && <CaptureNotice {...data.capture} />}
    </div>
  );
}

const CAPTURED = { errors: "failed calls", all: "all calls" } as const;
/** Maximum number of keys that the notice names. */
const MAX_NAMES = 3;

function CaptureNotice({ calls, keys }: HealthView["capture"]) {
  if (calls === "off" && keys.length === 0) return null;
  const names = keys.length > MAX_NAMES ? `${keys.length} keys` : keys.join(", ");
  const parts = [
    ...(calls === "off" ? [] : [CAPTURED[calls]]),
    ...(keys.length === 0 ? [] : [`calls of ${names}`]),
  ];
  return (
    <p className="banner banner-warning">
      Capture is on: bodies of {parts.join(" and of ")} are kept. Admins see them in the details of a call.
    </p>
  );
}

/** Renders the current calls of all keys, as the page of a proxy without keys shows them to every visitor. */
function CurrentView() {
  const main = useRef<HTMLElement>(null);
  const { secret, signOut } = useSession();
  useEffect(() => {
    if (!main.current) return undefined;
    const aborter = new AbortController();
    const onLocked = () => signOut("That key is no longer valid.");
    showCurrent(main.current, { secret, render: dashboardContent, onLocked, signal: aborter.signal });
    return () => aborter.abort();
  }, [secret, signOut]);
  return <main ref={main} />;
}

import { type ComponentType, useEffect } from "react";
import type { HealthView } from "../../src/proxy/gateway/admin-api-types.ts";
import { Button } from "../shared/components/button.tsx";
import { Toasts } from "../shared/components/toast.tsx";
import { CallsView } from "./calls/calls.tsx";
import { useConnection } from "./data/api.ts";
import { formatLocation, usePageLocation } from "./data/location.ts";
import { useSession } from "./data/session.ts";
import { useQuery } from "./data/use-query.ts";
import { KeysView } from "./keys/keys.tsx";
import { LimitsView } from "./keys/own-limits.tsx";
import { CurrentView } from "./live/current.tsx";
import { OverviewView } from "./overview/overview.tsx";
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
];

const OWN_VIEWS: readonly [ViewEntry, ...ViewEntry[]] = [
  { name: "overview", label: "Overview", View: OverviewView },
  { name: "calls", label: "Calls", View: CallsView },
  { name: "limits", label: "Limits", View: LimitsView },
];

/** A key of the configuration may see the current calls of all keys, as it always could. */
const CURRENT_VIEWS: readonly [ViewEntry, ...ViewEntry[]] = [
  { name: "now", label: "Now", View: CurrentView },
  ...OWN_VIEWS,
];

const VIEWS = { everything: ADMIN_VIEWS, current: CURRENT_VIEWS, own: OWN_VIEWS };

/** Renders the dashboard of a person who has signed in. */
export function App() {
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
      {isAdmin && <DatabaseNotice />}
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

function DatabaseNotice() {
  const { api } = useSession();
  const { data } = useQuery("health", (signal) => api.get<HealthView>("/health", {}, signal), HEALTH_MS);
  const isDown = data?.database.status === "down";
  return (
    <div role="status">
      {isDown && (
        <p className="banner banner-danger">
          The database is down: {data.database.reason ?? "no reason known"}. Calls go on and are written when
          it is back; figures and lists here are those from before.
        </p>
      )}
    </div>
  );
}

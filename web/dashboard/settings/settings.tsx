import { useState } from "react";
import type { SettingsView as Settings } from "../../../src/proxy/gateway/admin-api-types.ts";
import { clock } from "../../../src/render/dashboard/amounts.ts";
import { useSession } from "../data/session.ts";
import { useQuery } from "../data/use-query.ts";
import { DataTable } from "../parts/data-table.tsx";
import { QueryState } from "../parts/query-state.tsx";
import { Section } from "../parts/section.tsx";

const REFRESH_MS = 15_000;

/** Renders the settings in force and the source of each. */
export function SettingsView() {
  const { api } = useSession();
  const query = useQuery("settings", (signal) => api.get<Settings>("/settings", {}, signal), REFRESH_MS);
  return (
    <main>
      <Section id="settings" heading="Settings">
        <QueryState query={query} what="the settings">
          {(settings) => <SettingsTable {...settings} />}
        </QueryState>
      </Section>
    </main>
  );
}

function SettingsTable({ file, read_at, refused, settings }: Settings) {
  const [text, setText] = useState("");
  const [hasDefaults, setHasDefaults] = useState(false);
  const now = Date.now();
  const wanted = text.trim().toLowerCase();
  const shown = settings.filter(
    ({ key, source }) => (hasDefaults || source !== "default") && key.toLowerCase().includes(wanted),
  );
  return (
    <>
      {refused && (
        <p className="notice notice-error" role="alert">
          <strong>A change of the file was rejected at {clock(refused.at, now)}.</strong> {refused.reason}
        </p>
      )}
      <p className="secondary">
        {file === null ? "There is no configuration file." : <code>{file}</code>} Last read:{" "}
        {clock(read_at, now)}. Secrets are not shown.
      </p>
      <search className="filters">
        <label className="field-inline">
          Search
          <input
            className="input"
            type="search"
            value={text}
            placeholder="timeouts, upstreams …"
            onChange={({ target }) => setText(target.value)}
          />
        </label>
        <label className="check">
          <input
            type="checkbox"
            checked={hasDefaults}
            onChange={({ target }) => setHasDefaults(target.checked)}
          />{" "}
          Include defaults
        </label>
      </search>
      {shown.length === 0 ? (
        <p className="nothing">No matching settings. Include the defaults, or search for another name.</p>
      ) : (
        <DataTable
          labelledBy="settings-heading"
          columns={[
            { head: "Setting", cell: ({ key }) => <code>{key}</code> },
            { head: "Value", cell: ({ value }) => <code>{JSON.stringify(value)}</code> },
            { head: "Source", cell: ({ source }) => source },
          ]}
          rows={shown}
          getKey={({ key }) => key}
        />
      )}
    </>
  );
}

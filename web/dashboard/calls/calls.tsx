import { type ReactNode, useEffect } from "react";
import type { CallView } from "../../../src/proxy/gateway/admin-api-types.ts";
import { clock, count, dollars, duration } from "../../../src/render/dashboard/amounts.ts";
import { isDisconnect, isFailure } from "../../../src/render/dashboard/call-failure.ts";
import { Segmented } from "../../shared/components/segmented.tsx";
import { formatLocation, openLocation, usePageLocation } from "../data/location.ts";
import { findRange, getStart, RANGES } from "../data/ranges.ts";
import { useSession } from "../data/session.ts";
import { useQuery } from "../data/use-query.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Pager, usePages } from "../parts/pager.tsx";
import { QueryState } from "../parts/query-state.tsx";
import { Section } from "../parts/section.tsx";
import { CallDialog } from "./call-dialog.tsx";
import { CallFilters, FILTERS } from "./call-filters.tsx";

/** Number of calls on a page. */
const PAGE_SIZE = 100;
const REFRESH_MS = 10_000;

interface CallPage {
  readonly calls: readonly CallView[];
  readonly next_cursor: string | null;
}

/**
 * Renders the calls of the ledger, newest first and page by page, and the details of the call that the location names.
 */
export function CallsView() {
  const { api, isAdmin } = useSession();
  const [{ item, choices }, choose] = usePageLocation();
  const range = findRange(choices["range"]);
  const filters = Object.fromEntries(FILTERS.map((name) => [name, choices[name] ?? ""]));
  const what = JSON.stringify([range.id, filters]);
  const pages = usePages();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed range or filter returns to the first page.
  useEffect(() => pages.reset(), [what]);
  const { cursor } = pages;
  const query = useQuery<CallPage>(
    `${what} ${cursor}`,
    (signal) => {
      const from = getStart(range, Date.now());
      return api.get("/calls", { ...filters, from, limit: PAGE_SIZE, cursor }, signal);
    },
    cursor === undefined ? REFRESH_MS : undefined,
  );
  const close = () => openLocation({ view: "calls", item: undefined, choices });
  return (
    <main>
      <div className="choices">
        <Segmented
          label="Range"
          value={range.id}
          options={RANGES.map(({ id, label }) => ({ value: id, label }))}
          onChange={(id) => choose({ range: id })}
        />
      </div>
      <Section id="calls" heading="Calls">
        <CallFilters range={range} values={filters} onChange={choose} />
        <QueryState query={query} what="the calls">
          {({ calls, next_cursor }) => (
            <>
              {calls.length === 0 ? (
                <p className="nothing">No matching calls. Choose a longer range or fewer filters.</p>
              ) : (
                <DataTable
                  labelledBy="calls-heading"
                  columns={callColumns(choices, isAdmin)}
                  rows={calls}
                  getKey={({ id }) => id}
                  getTone={getTone}
                />
              )}
              <Pager pages={pages} what="call" size={calls.length} next={next_cursor} />
            </>
          )}
        </QueryState>
      </Section>
      {item !== undefined && <CallDialog id={item} onClose={close} />}
    </main>
  );
}

function getTone({ status, error_code }: CallView): string {
  if (isDisconnect(status, error_code)) return "is-left";
  return isFailure(status, error_code) ? "is-error" : "";
}

function callColumns(choices: Readonly<Record<string, string>>, isAdmin: boolean): Column<CallView>[] {
  const now = Date.now();
  return [
    {
      head: "Time",
      cell: ({ id, time }) => (
        <a href={formatLocation({ view: "calls", item: id, choices })}>
          <span className="visually-hidden">Call at </span>
          <time dateTime={time}>{clock(time, now)}</time>
        </a>
      ),
    },
    { head: "Status", cell: ({ status }) => <span className="status">{status}</span> },
    {
      head: "Model",
      cell: ({ model, upstream_model }) => (
        <>
          {model}
          {upstream_model && upstream_model !== model && (
            <span className="secondary"> as {upstream_model}</span>
          )}
        </>
      ),
    },
    { head: "Upstream", cell: ({ upstream }) => upstream, isShort: true },
    ...(isAdmin
      ? [
          {
            head: "Key",
            cell: ({ key, team }: CallView) => (
              <>
                {key}
                {team !== null && <span className="secondary"> {team}</span>}
              </>
            ),
          },
        ]
      : []),
    { head: "Duration", cell: ({ ms }) => duration(ms), isFigure: true },
    { head: "First token", cell: ({ ttft_ms }) => duration(ttft_ms ?? undefined), isFigure: true },
    { head: "In", cell: ({ input_tokens }) => count(input_tokens), isFigure: true },
    { head: "Out", cell: ({ output_tokens }) => count(output_tokens), isFigure: true },
    {
      head: "Cost",
      cell: ({ cost_usd, unpriced }) => (unpriced ? "no price" : dollars(cost_usd)),
      isFigure: true,
    },
    { head: "Notes", cell: formatNotes },
  ];
}

function formatNotes({ stream, attempts, losses, error_code }: CallView): ReactNode {
  const notes = [
    stream ? "stream" : "",
    attempts > 1 ? `${attempts} attempts` : "",
    losses.length === 0 ? "" : `lost: ${losses.join(", ")}`,
  ].filter(Boolean);
  return (
    <>
      {error_code !== null && <span className="short">{error_code}</span>}
      {error_code !== null && notes.length > 0 && " · "}
      {notes.join(" · ")}
    </>
  );
}

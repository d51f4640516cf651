import type { UsageRowView } from "../../../src/proxy/gateway/admin-api-types.ts";
import { count, dollars, duration } from "../../../src/render/dashboard/amounts.ts";
import { Segmented } from "../../shared/components/segmented.tsx";
import { sentenceStart } from "../../shared/sentence-start.ts";
import { formatLocation, usePageLocation } from "../data/location.ts";
import { findRange, RANGES, type Range } from "../data/ranges.ts";
import { useSession } from "../data/session.ts";
import { useQuery } from "../data/use-query.ts";
import { Chart } from "../parts/chart.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { QueryState } from "../parts/query-state.tsx";
import { Section } from "../parts/section.tsx";
import { DownloadButton } from "./download-button.tsx";
import { loadOverview, type Overview } from "./load-overview.ts";
import { FIGURES, figureIn } from "./series.ts";

const ADMIN_GROUPS = ["model", "key", "team", "upstream"] as const;
const OWN_GROUPS = ["model", "upstream"] as const;

/** Renders the figures of a time range: totals, charts and a table of groups, such as models or keys. */
export function OverviewView() {
  const { api, isAdmin } = useSession();
  const [{ choices }, choose] = usePageLocation();
  const range = findRange(choices["range"]);
  const names: readonly string[] = isAdmin ? ADMIN_GROUPS : OWN_GROUPS;
  const by = names.find((name) => name === choices["by"]);
  const groupBy = by ?? "model";
  const query = useQuery(
    `${range.id} ${by}`,
    (signal) => loadOverview(api, range, groupBy, by !== undefined, signal),
    range.refreshMs,
  );
  return (
    <main>
      <h2 className="visually-hidden">Overview</h2>
      <div className="choices">
        <Segmented
          label="Range"
          value={range.id}
          options={RANGES.map(({ id, label }) => ({ value: id, label }))}
          onChange={(id) => choose({ range: id })}
        />
        <Segmented
          label="Chart lines"
          value={by ?? "total"}
          options={[
            { value: "total", label: "Total" },
            ...names.map((name) => ({ value: name, label: `By ${name}` })),
          ]}
          onChange={(value) => choose({ by: value === "total" ? "" : value })}
        />
      </div>
      <QueryState query={query} what="the overview">
        {(overview) => <Figures overview={overview} />}
      </QueryState>
    </main>
  );
}

function Figures({ overview }: { readonly overview: Overview }) {
  const { range, by, steps, total, groups, charts } = overview;
  return (
    <>
      <Totals total={total} />
      {total.length === 0 && (
        <p className="notice notice-plain">
          No calls in this range. Choose a longer range, or send calls of a client through this proxy.
        </p>
      )}
      <div className="charts">
        {charts.map(({ title, lines, format }) => (
          <Chart
            key={title}
            title={title}
            steps={steps}
            unit={range.unit}
            lines={lines}
            format={format}
            {...(title === "Errors" && lines.length === 1 && { colors: ["--red"] })}
          />
        ))}
      </div>
      <Section
        id="groups"
        heading={`By ${by}`}
        badge={groups.length}
        actions={groups.length > 0 && <DownloadButton range={range} by={by} />}
      >
        {groups.length === 0 ? (
          <p className="nothing">No calls in this range.</p>
        ) : (
          <DataTable
            labelledBy="groups-heading"
            columns={groupColumns(by, range)}
            rows={groups.toSorted(
              (one, other) => (FIGURES.calls.of(other) ?? 0) - (FIGURES.calls.of(one) ?? 0),
            )}
            getKey={(row) => String(row[by])}
          />
        )}
      </Section>
    </>
  );
}

function Totals({ total }: { total: readonly UsageRowView[] }) {
  const figure = (name: keyof typeof FIGURES) => figureIn(total, FIGURES[name]);
  const [calls = 0, errors = 0, unpriced = 0] = [figure("calls"), figure("errors"), figure("unpriced")];
  const [input = 0, cached = 0, p95] = [figure("input"), figure("cached"), figure("p95")];
  return (
    <dl className="summary">
      <Total name="Calls" value={count(calls)} />
      <Total name="Errors" value={count(errors)} detail={calls > 0 ? share(errors, calls) : ""} />
      <Total
        name="Tokens in"
        value={count(input)}
        detail={cached > 0 ? `${share(cached, input)} cached` : ""}
      />
      <Total name="Tokens out" value={count(figure("output") ?? 0)} />
      <Total
        name="Cost"
        value={dollars(figure("cost") ?? 0)}
        detail={unpriced > 0 ? `${count(unpriced)} without price` : ""}
      />
      <Total
        name="Median duration"
        value={duration(figure("p50"))}
        detail={p95 === undefined ? "" : `p95 ${duration(p95)}`}
      />
      <Total name="First token" value={duration(figure("firstToken"))} />
    </dl>
  );
}

function Total({ name, value, detail = "" }: { name: string; value: string; detail?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value}
        {detail !== "" && <span className="secondary"> {detail}</span>}
      </dd>
    </div>
  );
}

function share(part: number, whole: number): string {
  const percent = (100 * part) / whole;
  return percent > 0 && percent < 1 ? "<1 %" : `${Math.round(percent)} %`;
}

function groupColumns(by: string, range: Range): Column<UsageRowView>[] {
  const figure = (
    head: string,
    name: keyof typeof FIGURES,
    format: (value: number | undefined) => string,
  ) => ({
    head,
    cell: (row: UsageRowView) => format(FIGURES[name].of(row) ?? undefined),
    isFigure: true,
  });
  return [
    { head: sentenceStart(by), cell: (row) => <GroupName row={row} by={by} range={range} /> },
    figure("Calls", "calls", count),
    figure("Errors", "errors", count),
    figure("In", "input", count),
    figure("Cached", "cached", count),
    figure("Out", "output", count),
    figure("Cost", "cost", dollars),
    figure("No price", "unpriced", (value) => (value === 0 ? "" : count(value))),
    figure("Median", "p50", duration),
    figure("p95", "p95", duration),
    figure("First token", "firstToken", duration),
  ];
}

function GroupName({ row, by, range }: { row: UsageRowView; by: string; range: Range }) {
  const name = row[by];
  if (typeof name !== "string") return <span className="secondary">no {by}</span>;
  const choices = { range: range.id, [by]: name };
  return <a href={formatLocation({ view: "calls", item: undefined, choices })}>{name}</a>;
}

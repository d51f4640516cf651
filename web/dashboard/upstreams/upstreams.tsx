import type { HealthView, UsageRowView } from "../../../src/proxy/gateway/admin-api-types.ts";
import { clock, count, duration } from "../../../src/render/dashboard/amounts.ts";
import { findRange, getStart } from "../data/ranges.ts";
import { useSession } from "../data/session.ts";
import { useQuery } from "../data/use-query.ts";
import { FIGURES } from "../overview/series.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { QueryState } from "../parts/query-state.tsx";
import { Section } from "../parts/section.tsx";

const REFRESH_MS = 10_000;

type Upstream = HealthView["upstreams"][number] & { readonly row: UsageRowView | undefined };

/** Renders the upstreams with their cooldowns, errors and latency, and the replicas and stores of the proxy. */
export function UpstreamsView() {
  const { api } = useSession();
  const query = useQuery(
    "upstreams",
    async (signal) => {
      const from = getStart(findRange("24h"), Date.now());
      const [health, { rows }] = await Promise.all([
        api.get<HealthView>("/health", {}, signal),
        api.get<{ rows: UsageRowView[] }>("/usage", { from, group_by: "upstream" }, signal),
      ]);
      return { health, rows };
    },
    REFRESH_MS,
  );
  return (
    <main>
      <h2 className="visually-hidden">Upstreams and replicas</h2>
      <QueryState query={query} what="the upstreams">
        {({ health, rows }) => (
          <>
            <Section id="upstreams" heading="Upstreams" badge={health.upstreams.length}>
              <DataTable
                labelledBy="upstreams-heading"
                columns={upstreamColumns()}
                rows={health.upstreams.map((each) => ({
                  ...each,
                  row: rows.find(({ upstream }) => upstream === each.name),
                }))}
                getKey={({ name }) => name}
              />
              <p className="hint">Calls, errors and latency of the last 24 hours, from all replicas.</p>
            </Section>
            <Section id="replicas" heading="Replicas" badge={health.replicas.length}>
              <DataTable
                labelledBy="replicas-heading"
                columns={replicaColumns()}
                rows={health.replicas}
                getKey={({ id }) => id}
              />
            </Section>
            <Section id="stores" heading="Database and Redis">
              <dl className="details">
                <Store name={`Database (${health.database.engine})`} {...health.database} />
                <Store name="Redis" {...health.redis} />
              </dl>
            </Section>
          </>
        )}
      </QueryState>
    </main>
  );
}

function Store({ name, status, reason }: { name: string; status: string; reason: string | null }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={status === "down" ? "error" : undefined}>
        {status === "none" ? "not configured" : status}
        {reason !== null && `: ${reason}`}
      </dd>
    </div>
  );
}

function upstreamColumns(): Column<Upstream>[] {
  const now = Date.now();
  const figure = (
    head: string,
    name: keyof typeof FIGURES,
    format: (value: number | undefined) => string,
  ) => ({
    head,
    cell: ({ row }: Upstream) => (row === undefined ? "–" : format(FIGURES[name].of(row) ?? undefined)),
    isFigure: true,
  });
  return [
    { head: "Upstream", cell: ({ name }) => name },
    { head: "Dialect", cell: ({ dialect }) => dialect },
    {
      head: "State",
      cell: ({ cooldown_until }) =>
        cooldown_until === null ? (
          "available"
        ) : (
          <span className="error">in cooldown until {clock(cooldown_until, now)}</span>
        ),
    },
    figure("Calls", "calls", count),
    figure("Errors", "errors", count),
    figure("Median", "p50", duration),
    figure("p95", "p95", duration),
    figure("First token", "firstToken", duration),
  ];
}

function replicaColumns(): Column<HealthView["replicas"][number]>[] {
  const now = Date.now();
  return [
    { head: "Replica", cell: ({ id }) => <code>{id}</code> },
    { head: "Version", cell: ({ version }) => version },
    { head: "Since", cell: ({ since }) => <time dateTime={since}>{clock(since, now)}</time> },
    { head: "In flight", cell: ({ in_flight }) => count(in_flight), isFigure: true },
  ];
}

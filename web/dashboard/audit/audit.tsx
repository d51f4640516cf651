import type { AuditView as Entry } from "../../../src/proxy/gateway/admin-api-types.ts";
import { clock } from "../../../src/render/dashboard/amounts.ts";
import { useSession } from "../data/session.ts";
import { useQuery } from "../data/use-query.ts";
import { DataTable } from "../parts/data-table.tsx";
import { Pager, usePages } from "../parts/pager.tsx";
import { QueryState } from "../parts/query-state.tsx";
import { Section } from "../parts/section.tsx";

const PAGE_SIZE = 50;
const REFRESH_MS = 15_000;

interface AuditPage {
  readonly entries: readonly Entry[];
  readonly next_cursor: string | null;
}

/** Renders the changes to keys, teams and settings and who made them, newest first. */
export function AuditView() {
  const { api } = useSession();
  const pages = usePages();
  const { cursor } = pages;
  const query = useQuery<AuditPage>(
    `audit ${cursor}`,
    (signal) => api.get("/audit", { limit: PAGE_SIZE, cursor }, signal),
    cursor === undefined ? REFRESH_MS : undefined,
  );
  const now = Date.now();
  return (
    <main>
      <Section id="audit" heading="Audit">
        <QueryState query={query} what="the changes">
          {({ entries, next_cursor }) => (
            <>
              {entries.length === 0 ? (
                <p className="nothing">
                  No changes yet. Changes to keys, teams and settings are listed here.
                </p>
              ) : (
                <DataTable
                  labelledBy="audit-heading"
                  columns={[
                    { head: "Time", cell: ({ time }) => <time dateTime={time}>{clock(time, now)}</time> },
                    { head: "Action", cell: ({ action }) => <code>{action}</code> },
                    { head: "Subject", cell: ({ subject }) => <code>{subject}</code> },
                    { head: "Details", cell: ({ detail }) => describeDetail(detail) },
                    { head: "By", cell: ({ actor }) => actor },
                    { head: "From", cell: ({ address }) => address ?? "" },
                  ]}
                  rows={entries}
                  getKey={({ id }) => id}
                />
              )}
              <Pager pages={pages} what="change" size={entries.length} next={next_cursor} />
            </>
          )}
        </QueryState>
      </Section>
    </main>
  );
}

/** Returns the members of an entry's detail as text, such as `name: alice; changed: limits, tags`. */
function describeDetail(detail: unknown): string {
  return Object.entries(Object(detail))
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(", ") : String(value)}`)
    .join("; ");
}

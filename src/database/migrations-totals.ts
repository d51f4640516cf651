import { type CreateTableBuilder, type Kysely, SqliteAdapter, sql } from "kysely";
import { bucketColumns } from "./migrations-ledger.ts";

const GROUP = ["key_id", "key_name", "team", "model", "upstream", "tags"] as const;
const SUMS = [
  ...["calls", "errors", "input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens"],
  ...["reasoning_tokens", "cost_micros", "unpriced_calls"],
];
/** The sets of columns that totals are grouped by. */
const DIMENSIONS: Readonly<Record<string, readonly (typeof GROUP)[number][]>> = {
  none: [],
  key: ["key_id", "key_name"],
  team: ["team"],
  model: ["model"],
  upstream: ["upstream"],
  all: GROUP,
};
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/**
 * Replaces the sums by hour and day, whose histograms have 80 columns, with totals for each set of columns that reports
 * use. The histograms of the totals are text.
 */
export async function createUsageTotals(db: Kysely<unknown>): Promise<void> {
  // Kysely runs migrations of PostgreSQL in a transaction. For SQLite, this begins a transaction, so that a killed
  // process leaves the previous tables intact.
  if (db.isTransaction) await replaceRollups(db);
  else await db.transaction().execute(replaceRollups);
}

async function replaceRollups(db: Kysely<unknown>): Promise<void> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  // Waits until replicas of the previous version have finished their writes. Calls that they serve afterwards stay in
  // their logs until those replicas are upgraded.
  if (!isSqlite) await sql`lock table usage_hours in access exclusive mode`.execute(db);
  let table: CreateTableBuilder<"usage_totals", string> = db.schema
    .createTable("usage_totals")
    .addColumn("span", "text", (column) => column.notNull())
    .addColumn("dimension", "text", (column) => column.notNull())
    .addColumn("time", "bigint", (column) => column.notNull());
  for (const name of GROUP) table = table.addColumn(name, "text", (column) => column.notNull());
  for (const name of SUMS) table = table.addColumn(name, "bigint", (column) => column.notNull());
  for (const name of ["ms", "ttft"]) table = table.addColumn(name, "text", (column) => column.notNull());
  table = table.addPrimaryKeyConstraint("usage_totals_group", ["span", "dimension", "time", ...GROUP]);
  await (isSqlite ? table.modifyEnd(sql`without rowid`) : table).execute();
  await fillTotals(db);
  for (const name of ["usage_hours", "usage_days", "usage_days_state"])
    await db.schema.dropTable(name).execute();
}

/** Sums the hours of each day separately: one statement for all days would sort millions of rows on disk. */
async function fillTotals(db: Kysely<unknown>): Promise<void> {
  const days = await sql<{
    day: number;
  }>`select distinct hour - hour % ${sql.lit(DAY_MS)} as day from usage_hours`.execute(db);
  for (const { day } of days.rows)
    for (const span of ["hour", "day"] as const)
      for (const dimension of Object.keys(DIMENSIONS)) await fillDay(db, Number(day), span, dimension);
}

async function fillDay(
  db: Kysely<unknown>,
  day: number,
  span: "hour" | "day",
  dimension: string,
): Promise<void> {
  const columns = DIMENSIONS[dimension] ?? [];
  const group = GROUP.map((name) => (columns.includes(name) ? name : `'' as ${name}`)).join(", ");
  const sums = [...SUMS, ...bucketColumns("ms"), ...bucketColumns("ttft")];
  const time = `hour - hour % ${span === "hour" ? HOUR_MS : DAY_MS}`;
  await sql
    .raw(
      `insert into usage_totals (span, dimension, time, ${[...GROUP, ...SUMS].join(", ")}, ms, ttft)
      select '${span}', '${dimension}', sums.time, ${[...GROUP, ...SUMS].join(", ")}, ${histogramText("ms")}, ${histogramText("ttft")}
      from (
        select ${time} as time, ${group}, ${sums.map((name) => `sum(${name}) as ${name}`).join(", ")}
        from usage_hours where hour >= ${day} and hour < ${day + DAY_MS}
        group by ${[time, ...columns].join(", ")}
      ) as sums`,
    )
    .execute(db);
}

/** Returns the SQL expression that formats a histogram's columns as JSON, without empty buckets. */
function histogramText(prefix: "ms" | "ttft"): string {
  const buckets = bucketColumns(prefix).map(
    (name, bucket) => `case when ${name} > 0 then '"${bucket}":' || ${name} || ',' else '' end`,
  );
  return `'{' || rtrim(${buckets.join(" || ")}, ',') || '}'`;
}

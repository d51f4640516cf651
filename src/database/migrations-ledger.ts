import { type Kysely, sql } from "kysely";

/**
 * Number of latency buckets of a histogram. The first bucket ends at 1 ms, each of the others at √2 times the end of
 * the one before, except the last, which has no end.
 */
export const LATENCY_BUCKETS = 40;

/** Returns the names of a histogram's columns, such as `ms_0` to `ms_39`. */
export function bucketColumns(prefix: "ms" | "ttft"): string[] {
  return Array.from({ length: LATENCY_BUCKETS }, (_, index) => `${prefix}_${index}`);
}

/** Creates the tables of calls, hourly sums and log positions, and an index of the audit table. */
export async function createLedgerTables(db: Kysely<unknown>): Promise<void> {
  await createCalls(db);
  await createRollups(db, "usage_hours", "hour");
  await db.schema
    .createTable("log_positions")
    .addColumn("log", "text", (column) => column.primaryKey())
    .addColumn("file", "text", (column) => column.notNull())
    .addColumn("position", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("audit_time").on("audit").columns(["time", "id"]).execute();
}

async function createCalls(db: Kysely<unknown>): Promise<void> {
  let calls = db.schema
    .createTable("calls")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("time", "bigint", (column) => column.notNull());
  for (const name of [
    ...["key_id", "key_name", "team", "tags", "session", "client", "client_dialect", "route", "model"],
    ...["upstream", "upstream_model", "error_code", "error_message", "attempt_list", "losses", "replica"],
  ])
    calls = calls.addColumn(name, "text");
  for (const name of [
    ...["status", "stream", "attempts", "input_tokens", "cache_read_tokens", "cache_write_tokens"],
    ...["output_tokens", "reasoning_tokens", "cost_micros", "unpriced"],
  ])
    calls = calls.addColumn(name, "bigint", (column) => column.notNull().defaultTo(0));
  await calls
    .addColumn("ms", "double precision", (column) => column.notNull())
    .addColumn("ttft_ms", "double precision")
    .execute();
  await db.schema.createIndex("calls_time").on("calls").columns(["time", "id"]).execute();
  await db.schema.createIndex("calls_key").on("calls").columns(["key_id", "time"]).execute();
}

/** Creates the tables of the sums by day, which `createUsageTotals` later replaces. */
export async function createDailyRollups(db: Kysely<unknown>): Promise<void> {
  await createRollups(db, "usage_days", "day");
  await db.schema
    .createTable("usage_days_state")
    .addColumn("id", "integer", (column) => column.primaryKey())
    .addColumn("summed_until", "bigint", (column) => column.notNull())
    .execute();
  await sql`insert into usage_days_state (id, summed_until) values (1, 0)`.execute(db);
}

export async function createRollups(db: Kysely<unknown>, name: string, time: "hour" | "day"): Promise<void> {
  let table = db.schema.createTable(name).addColumn(time, "bigint", (column) => column.notNull());
  for (const column of ["key_id", "key_name", "team", "model", "upstream", "tags"])
    table = table.addColumn(column, "text", (definition) => definition.notNull());
  for (const column of [
    ...["calls", "errors", "input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens"],
    ...["reasoning_tokens", "cost_micros", "unpriced_calls"],
  ])
    table = table.addColumn(column, "bigint", (definition) => definition.notNull().defaultTo(0));
  for (const column of [...bucketColumns("ms"), ...bucketColumns("ttft")])
    table = table.addColumn(column, "integer", (definition) => definition.notNull().defaultTo(0));
  await table.execute();
  await db.schema
    .createIndex(`${name}_group`)
    .unique()
    .on(name)
    .columns([time, "key_id", "key_name", "team", "model", "upstream", "tags"])
    .execute();
}

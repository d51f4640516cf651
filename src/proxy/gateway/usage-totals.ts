import { CompiledQuery } from "kysely";
import type { Database } from "../../database/open-database.ts";
import type { CallTable, UsageDimension, UsageTotalTable } from "../../database/schema.ts";
import { isFailure } from "../../render/dashboard/call-failure.ts";
import type { Trx } from "./key-rows.ts";
import {
  addCounts,
  countIn,
  emptyCounts,
  findBucket,
  type LatencyCounts,
  toJson,
} from "./ledger-histogram.ts";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** The sums of a group of calls. */
interface CallSums {
  readonly sums: Record<(typeof SUMS)[number], number>;
  readonly ms: LatencyCounts;
  readonly ttft: LatencyCounts;
}

export const SUMS = [
  "calls",
  "errors",
  "input_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "output_tokens",
  "reasoning_tokens",
  "cost_micros",
  "unpriced_calls",
] as const satisfies readonly (keyof UsageTotalTable)[];
const GROUP = ["key_id", "key_name", "team", "model", "upstream", "tags"] as const;

/** The columns of `GROUP` that a dimension keeps, by their indexes. */
const KEPT: Readonly<Record<UsageDimension, readonly number[]>> = {
  none: [],
  key: [0, 1],
  team: [2],
  model: [3],
  upstream: [4],
  all: [0, 1, 2, 3, 4, 5],
};
const DIMENSIONS = Object.entries(KEPT) as [UsageDimension, readonly number[]][];

/** Sums that are all 0. */
export const NO_SUMS = Object.fromEntries(SUMS.map((name) => [name, 0])) as CallSums["sums"];

/** The condition of a call that counts as an error, in SQL; see `isFailure`. It is never null. */
export const IS_ERROR =
  "(status <> 499 and coalesce(error_code, '') <> 'client_gone' and (status >= 400 or error_code is not null))";

/** Adds a call to the sums of its group. */
function addCall({ sums, ms, ttft }: CallSums, row: CallTable): void {
  sums.calls += 1;
  if (isFailure(row.status, row.error_code)) sums.errors += 1;
  sums.input_tokens += row.input_tokens;
  sums.cache_read_tokens += row.cache_read_tokens;
  sums.cache_write_tokens += row.cache_write_tokens;
  sums.output_tokens += row.output_tokens;
  sums.reasoning_tokens += row.reasoning_tokens;
  sums.cost_micros += row.cost_micros;
  sums.unpriced_calls += row.unpriced;
  countIn(ms, findBucket(row.ms));
  if (row.ttft_ms !== null) countIn(ttft, findBucket(row.ttft_ms));
}

interface Total extends CallSums {
  readonly span: UsageTotalTable["span"];
  readonly dimension: UsageDimension;
  readonly time: number;
  /** The values of `GROUP`. */
  readonly group: readonly string[];
}

/**
 * Adds calls to the totals of their hours and days. SQLite runs one statement for each total. PostgreSQL receives them
 * as one JSON parameter, in the same order from every replica, which prevents deadlocks.
 */
export async function addToTotals(
  trx: Trx,
  engine: "sqlite" | "postgres",
  rows: readonly CallTable[],
): Promise<void> {
  if (rows.length === 0) return;
  const totals = [...sumCalls(rows)].sort(([one], [other]) => (one < other ? -1 : 1));
  const values = totals.map(([, { span, dimension, time, group, sums, ms, ttft }]) => [
    ...[span, dimension, time, ...group, ...SUMS.map((name) => sums[name])],
    ...[toJson(ms), toJson(ttft)],
  ]);
  const parameters = engine === "sqlite" ? values : [JSON.stringify(values)];
  await trx.executeQuery(CompiledQuery.raw(UPSERT[engine], parameters));
}

/**
 * Returns the totals of calls. Calls are summed by all columns first, because many calls of a batch have equal values.
 */
function sumCalls(rows: readonly CallTable[]): Map<string, Total> {
  const hours = new Map<string, Total>();
  for (const row of rows) {
    const texts = [row.key_id, row.key_name, row.team, row.model, row.upstream, row.tags];
    const group = texts.map((text) => text ?? "");
    addCall(totalIn(hours, "hour", "all", row.time - (row.time % HOUR_MS), group), row);
  }
  const totals = new Map(hours);
  for (const hour of hours.values())
    for (const [dimension, kept] of DIMENSIONS) {
      const group = hour.group.map((text, index) => (kept.includes(index) ? text : ""));
      if (dimension !== "all") addSums(totalIn(totals, "hour", dimension, hour.time, group), hour);
      addSums(totalIn(totals, "day", dimension, startOfDay(hour.time), group), hour);
    }
  return totals;
}

function totalIn(
  totals: Map<string, Total>,
  span: Total["span"],
  dimension: UsageDimension,
  time: number,
  group: readonly string[],
): Total {
  const id = JSON.stringify([span, dimension, time, ...group]);
  const total = totals.get(id) ?? {
    ...{ span, dimension, time, group },
    ...{ sums: { ...NO_SUMS }, ms: emptyCounts(), ttft: emptyCounts() },
  };
  totals.set(id, total);
  return total;
}

function addSums(to: CallSums, { sums, ms, ttft }: CallSums): void {
  for (const name of SUMS) to.sums[name] += sums[name];
  addCounts(to.ms, ms);
  addCounts(to.ttft, ttft);
}

const COLUMNS = ["span", "dimension", "time", ...GROUP, ...SUMS, "ms", "ttft"];

const UPSERT = {
  sqlite: upsert(
    `values (${COLUMNS.map(() => "?").join(", ")})`,
    (name) => `(select json_group_object(key, n) from (
      select key, sum(value) as n from (
        select key, value from json_each(usage_totals.${name}) union all select key, value from json_each(excluded.${name})
      ) group by key))`,
  ),
  postgres: upsert(
    `select ${COLUMNS.map((name, index) => `(value ->> ${index})::${isNumber(name) ? "bigint" : "text"}`).join(", ")}
      from json_array_elements($1::json)`,
    (name) => `(select coalesce(json_object_agg(key, n)::text, '{}') from (
      select key, sum(value::bigint) as n from (
        select * from json_each_text(usage_totals.${name}::json) union all select * from json_each_text(excluded.${name}::json)
      ) as counts group by key) as sums)`,
  ),
};

function isNumber(name: string): boolean {
  return name === "time" || (SUMS as readonly string[]).includes(name);
}

/** Returns the statement that adds totals to the table; `merge` returns the SQL that adds two histograms. */
function upsert(source: string, merge: (name: string) => string): string {
  const added = SUMS.map((name) => `${name} = usage_totals.${name} + excluded.${name}`);
  const merged = ["ms", "ttft"].map((name) => `${name} = ${merge(name)}`);
  return `insert into usage_totals (${COLUMNS.join(", ")}) ${source}
    on conflict (span, dimension, time, ${GROUP.join(", ")}) do update set ${[...added, ...merged].join(", ")}`;
}

/** Returns the beginning of a day in UTC. */
export function startOfDay(time: number): number {
  return time - (time % DAY_MS);
}

/** Deletes the totals of hours and days that began before `before`. Each statement uses the primary key's index. */
export async function pruneTotals(db: Database, before: number): Promise<void> {
  for (const span of ["hour", "day"] as const)
    for (const [dimension] of DIMENSIONS)
      await db
        .deleteFrom("usage_totals")
        .where("span", "=", span)
        .where("dimension", "=", dimension)
        .where("time", "<", before)
        .execute();
}

import { CompiledQuery } from "kysely";
import { type Database, getEngine, placeholder } from "../../database/open-database.ts";
import type { UsageDimension, UsageTotalTable } from "../../database/schema.ts";
import { AppError } from "../../errors.ts";
import { bucketSql } from "./ledger-histogram.ts";
import {
  COLUMN_OF,
  forEachRow,
  type Group,
  groupFor,
  type Row,
  SPANS,
  toRows,
  type UsageRow,
} from "./usage-groups.ts";
import { DAY_MS, HOUR_MS, IS_ERROR, SUMS, startOfDay } from "./usage-totals.ts";

/** The key whose calls are selected: by its id, or by its name if it is a key of the configuration without an id. */
export interface KeyOwner {
  readonly id: string | undefined;
  readonly name: string;
}

/** A report: sums of calls from `from` (inclusive) to `to` (exclusive), in milliseconds since 1970. */
export interface UsageQuery {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Any of `minute`, `hour`, `day`, `key`, `team`, `model`, `upstream` and `tag:NAME`, in the order of the columns. */
  readonly groupBy: readonly string[];
  /** Selects only calls with this key's name or id. */
  readonly key?: string | undefined;
  readonly team?: string | undefined;
  readonly model?: string | undefined;
  readonly upstream?: string | undefined;
  readonly owner?: KeyOwner | undefined;
}

const GROUPS = new Set(["minute", "hour", "day", "key", "team", "model", "upstream"]);

/** Parses a list of groups such as `team,tag:floor`. Throws `validation` for an unknown group. */
export function parseGroups(text: string): string[] {
  const groups = text.split(",").filter((each) => each !== "");
  for (const group of groups)
    if (!GROUPS.has(group) && !/^tag:.+/.test(group))
      throw new AppError(
        "validation",
        `group_by: ${JSON.stringify(group)} is not minute, hour, day, key, team, model, upstream or tag:NAME`,
      );
  return [...new Set(groups)];
}

/** Maximum span of a report by minute, which is computed from the calls instead of the totals. */
const MAX_MINUTES_MS = DAY_MS;

/**
 * Returns the report, ordered by its groups. Whole days and hours come from the totals, the parts of hours at both ends
 * from the calls. Throws `validation` for a report by minute of more than a day.
 */
export async function queryUsage(db: Database, query: UsageQuery): Promise<UsageRow[]> {
  const { from, to, groupBy } = query;
  const start = from ?? 0;
  const end = to ?? Number.MAX_SAFE_INTEGER;
  if (end <= start) return [];
  const groups = new Map<string, Group>();
  if (groupBy.includes("minute")) {
    if (Math.min(end, Date.now()) - start > MAX_MINUTES_MS)
      throw new AppError(
        "validation",
        "group_by: minute is limited to 24 hours; choose from and to accordingly",
      );
    await addCalls(db, groups, query, start, end);
    return toRows(groups, groupBy);
  }
  const firstHour = Math.ceil(start / HOUR_MS) * HOUR_MS;
  const lastHour = to === undefined ? end : Math.floor(end / HOUR_MS) * HOUR_MS;
  if (firstHour <= lastHour) {
    const firstDay = Math.ceil(firstHour / DAY_MS) * DAY_MS;
    // Without `to`, the latest day counts as a whole day: its total contains all calls so far.
    const lastDay = to === undefined ? end : startOfDay(lastHour);
    if (firstDay < lastDay && !groupBy.includes("hour")) {
      await addTotals(db, groups, query, "hour", firstHour, firstDay);
      await addTotals(db, groups, query, "day", firstDay, lastDay);
      await addTotals(db, groups, query, "hour", lastDay, lastHour);
    } else await addTotals(db, groups, query, "hour", firstHour, lastHour);
    await addCalls(db, groups, query, start, Math.min(firstHour, end));
    await addCalls(db, groups, query, Math.max(lastHour, start), end);
  } else await addCalls(db, groups, query, start, end);
  return toRows(groups, groupBy);
}

/** Among the dimensions that have every column of the query, returns the one with the fewest totals. */
function findDimension({ groupBy, key, team, model, upstream, owner }: UsageQuery): UsageDimension {
  const needed = new Set<string>(groupBy.filter((group) => !(group in SPANS)));
  if (key !== undefined || owner !== undefined) needed.add("key");
  for (const [name, filter] of Object.entries({ team, model, upstream }))
    if (filter !== undefined) needed.add(name);
  const [only = "none", ...others] = needed;
  return others.length > 0 || only.startsWith("tag:") ? "all" : (only as UsageDimension);
}

async function addTotals(
  db: Database,
  groups: Map<string, Group>,
  query: UsageQuery,
  span: UsageTotalTable["span"],
  from: number,
  to: number,
): Promise<void> {
  if (from >= to) return;
  const columns = columnsFor(query.groupBy);
  // PostgreSQL sums bigint to numeric, which the driver reads as a number.
  const select = [
    ...columns.map(({ sql, name }) => `${sql} as ${name}`),
    ...SUMS.map((name) => `sum(${name}) as ${name}`),
    ...["ms", "ttft"].map((name) => `${joined(db, name)} as ${name}_counts`),
  ].join(", ");
  const grouped = columns.length > 0 ? `group by ${columns.map((_, index) => index + 1).join(", ")}` : "";
  const { where, values } = conditions(db, query, from, to);
  const table = `usage_totals where span = '${span}' and dimension = '${findDimension(query)}' and ${where}`;
  const { rows } = await db.executeQuery<Row>(
    CompiledQuery.raw(`select ${select} from ${table} ${grouped} having count(*) > 0`, values),
  );
  await forEachRow(rows, (row) => {
    const group = groupFor(groups, query.groupBy, row);
    for (const name of SUMS) group.sums[name] += Number(row[name]);
    group.ms += row["ms_counts"];
    group.ttft += row["ttft_counts"];
  });
}

/** Returns the SQL aggregate that concatenates the texts of a column. */
function joined(db: Database, column: string): string {
  return getEngine(db) === "sqlite" ? `group_concat(${column}, '')` : `string_agg(${column}, '')`;
}

/**
 * Adds the calls of a span to the groups. The database sums them by group and latency bucket, because a busy hour has
 * too many calls to read one by one.
 */
async function addCalls(
  db: Database,
  groups: Map<string, Group>,
  query: UsageQuery,
  from: number,
  to: number,
): Promise<void> {
  if (from >= to) return;
  const columns = [
    ...columnsFor(query.groupBy),
    { sql: bucketSql("ms"), name: "ms_bucket" },
    { sql: bucketSql("ttft_ms"), name: "ttft_bucket" },
  ];
  const sums = SUMS.map((name) => `${CALL_SUMS[name] ?? `sum(${name})`} as ${name}`);
  const select = [...columns.map(({ sql, name }) => `${sql} as ${name}`), ...sums].join(", ");
  const { where, values } = conditions(db, query, from, to);
  const grouped = columns.map((_, index) => index + 1).join(", ");
  const { rows } = await db.executeQuery<Row>(
    CompiledQuery.raw(`select ${select} from calls where ${where} group by ${grouped}`, values),
  );
  await forEachRow(rows, (row) => {
    const group = groupFor(groups, query.groupBy, row);
    for (const name of SUMS) group.sums[name] += Number(row[name]);
    group.ms += `{"${row["ms_bucket"]}":${row["calls"]}}`;
    if (row["ttft_bucket"] !== null) group.ttft += `{"${row["ttft_bucket"]}":${row["calls"]}}`;
  });
}

/** The SQL of sums that are not columns of `calls`; see `addCall` in `usage-totals.ts`. */
const CALL_SUMS: Readonly<Record<string, string>> = {
  calls: "count(*)",
  errors: `sum(case when ${IS_ERROR} then 1 else 0 end)`,
  unpriced_calls: "sum(unpriced)",
};

/**
 * Returns the SQL condition of a report's rows, for either table, and its parameters. An absent value is null in
 * `calls` and empty in `usage_totals`.
 */
function conditions(
  db: Database,
  { key, team, model, upstream, owner }: UsageQuery,
  from: number,
  to: number,
): { readonly where: string; readonly values: (string | number)[] } {
  const values: (string | number)[] = [];
  const value = (each: string | number) => {
    values.push(each);
    return placeholder(db, values.length);
  };
  const parts = [`time >= ${value(from)}`, `time < ${value(to)}`];
  if (key !== undefined) parts.push(`(key_id = ${value(key)} or key_name = ${value(key)})`);
  if (team !== undefined) parts.push(`team = ${value(team)}`);
  if (model !== undefined) parts.push(`model = ${value(model)}`);
  if (upstream !== undefined) parts.push(`upstream = ${value(upstream)}`);
  if (owner?.id !== undefined) parts.push(`key_id = ${value(owner.id)}`);
  else if (owner) parts.push(`(key_id is null or key_id = '') and key_name = ${value(owner.name)}`);
  return { where: parts.join(" and "), values };
}

/** Returns the columns of the groups. Rows are grouped by all tags together and separated by the named tag later. */
function columnsFor(groupBy: readonly string[]): { readonly sql: string; readonly name: string }[] {
  const columns = groupBy.map((group) => {
    const span = SPANS[group];
    if (span !== undefined) return { sql: `(time - time % ${span})`, name: `at_${group}` };
    const column = COLUMN_OF[group] ?? "tags";
    return { sql: column, name: column };
  });
  return [...new Map(columns.map((column) => [column.name, column])).values()];
}

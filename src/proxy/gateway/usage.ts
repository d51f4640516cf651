import { CompiledQuery } from "kysely";
import { bucketColumns } from "../../database/migrations-ledger.ts";
import { type Database, getEngine, placeholder } from "../../database/open-database.ts";
import { AppError } from "../../errors.ts";
import { bucketSql, countIn, estimateQuantile, type LatencyCounts } from "./ledger-histogram.ts";
import { type CallSums, HOUR_MS, IS_ERROR, noCalls, SUMS, startOfDay, summedUntil } from "./ledger-write.ts";
import { toUsd } from "./limits.ts";

/** The key whose calls are selected: by its id, or by its name if it is a key of the configuration without an id. */
export interface KeyOwner {
  readonly id: string | undefined;
  readonly name: string;
}

/** A report: sums of calls from `from` until before `to`, in milliseconds since 1970. */
export interface UsageQuery {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** `minute`, `hour`, `day`, `key`, `team`, `model`, `upstream`, `tag:NAME`; in the order of the columns. */
  readonly groupBy: readonly string[];
  /** Calls of this key's name or id only. */
  readonly key?: string | undefined;
  readonly team?: string | undefined;
  readonly model?: string | undefined;
  readonly upstream?: string | undefined;
  readonly owner?: KeyOwner | undefined;
}

/** One group: its members by the names of the query, then the sums. Absent keys, teams and tags are null. */
export type UsageRow = Readonly<Record<string, string | number | null>>;

export const USAGE_COLUMNS = [
  "calls",
  "errors",
  "input_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "output_tokens",
  "reasoning_tokens",
  "cost_usd",
  "unpriced_calls",
  "p50_ms",
  "p95_ms",
  "p50_ttft_ms",
] as const;

const GROUPS = new Set(["minute", "hour", "day", "key", "team", "model", "upstream"]);

/** Parses `team,tag:floor`. Throws `validation` for an unknown group. */
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

interface Group extends CallSums {
  readonly names: readonly (string | null)[];
}

/** Columns of `usage_hours` and `calls` that a group needs. */
const COLUMN_OF: Readonly<Record<string, string>> = {
  key: "key_name",
  team: "team",
  model: "model",
  upstream: "upstream",
};
const DAY_MS = 86_400_000;
/** Lengths of the groups that are time spans, in milliseconds. */
const SPANS: Readonly<Record<string, number>> = { minute: 60_000, hour: HOUR_MS, day: DAY_MS };
/** Maximum span of a report by minute, which reads each call instead of the rollups. */
const MAX_MINUTES_MS = DAY_MS;

/**
 * Returns the report, ordered by its groups. Whole days and hours come from the rollups, the parts of hours at both ends
 * from the calls. Throws `validation` for a report by minute of more than a day.
 */
export async function queryUsage(db: Database, query: UsageQuery): Promise<UsageRow[]> {
  const { from, to, groupBy } = query;
  const start = from ?? 0;
  const end = to ?? Number.MAX_SAFE_INTEGER;
  if (end <= start) return [];
  const groups = new Map<string, Group>();
  const rows = () => [...groups.values()].map((group) => toRow(group, groupBy)).sort(byGroups(groupBy));
  if (groupBy.includes("minute")) {
    if (Math.min(end, Date.now()) - start > MAX_MINUTES_MS)
      throw new AppError("validation", "group_by: minute needs from and to at most 24 hours apart");
    await addCalls(db, groups, query, start, end);
    return rows();
  }
  const firstHour = Math.ceil(start / HOUR_MS) * HOUR_MS;
  const lastHour = to === undefined ? end : Math.floor(end / HOUR_MS) * HOUR_MS;
  if (firstHour <= lastHour) {
    const until = groupBy.includes("hour") ? 0 : await summedUntil(db);
    const firstDay = Math.ceil(firstHour / DAY_MS) * DAY_MS;
    const lastDay = Math.min(startOfDay(lastHour), until);
    if (firstDay < lastDay) {
      await addRollups(db, groups, query, HOURS, firstHour, firstDay);
      await addRollups(db, groups, query, DAYS, firstDay, lastDay);
      await addRollups(db, groups, query, HOURS, lastDay, lastHour);
    } else await addRollups(db, groups, query, HOURS, firstHour, lastHour);
    await addCalls(db, groups, query, start, Math.min(firstHour, end));
    await addCalls(db, groups, query, Math.max(lastHour, start), end);
  } else await addCalls(db, groups, query, start, end);
  return rows();
}

type Row = Readonly<Record<string, string | number | null>>;

/** A table of rollups. */
interface Rollups {
  readonly table: "usage_hours" | "usage_days";
  readonly time: "hour" | "day";
}

const HOURS: Rollups = { table: "usage_hours", time: "hour" };
const DAYS: Rollups = { table: "usage_days", time: "day" };

async function addRollups(
  db: Database,
  groups: Map<string, Group>,
  query: UsageQuery,
  { table, time }: Rollups,
  from: number,
  to: number,
): Promise<void> {
  if (from >= to) return;
  const columns = columnsFor(query.groupBy, time);
  // PostgreSQL sums bigint to numeric, which the driver reads as a number.
  const select = [
    ...columns.map(({ sql, name }) => `${sql} as ${name}`),
    ...SUMS.map((name) => `sum(${name}) as ${name}`),
    `${histogramSql(db, "ms")} as ms_counts`,
    `${histogramSql(db, "ttft")} as ttft_counts`,
  ].join(", ");
  const grouped = columns.length > 0 ? `group by ${columns.map((_, index) => index + 1).join(", ")}` : "";
  const { where, values } = conditions(db, query, time, from, to);
  const { rows } = await db.executeQuery<Row>(
    CompiledQuery.raw(`select ${select} from ${table} where ${where} ${grouped} having count(*) > 0`, values),
  );
  for (const row of rows) {
    const group = groupFor(groups, query.groupBy, row);
    for (const name of SUMS) group.sums[name] += Number(row[name]);
    addCounts(group.ms, row["ms_counts"]);
    addCounts(group.ttft, row["ttft_counts"]);
  }
}

/**
 * Returns the sums of a histogram's columns as one JSON text: a report by day and key has 30,000 groups a month, and 80 columns
 * more of each would take longer to transfer than to sum.
 */
function histogramSql(db: Database, prefix: "ms" | "ttft"): string {
  const sums = bucketColumns(prefix)
    .map((name) => `sum(${name})`)
    .join(", ");
  return getEngine(db) === "sqlite" ? `json_array(${sums})` : `json_build_array(${sums})::text`;
}

function addCounts(counts: LatencyCounts, json: Row[string] | undefined): void {
  const added = JSON.parse(String(json)) as number[];
  for (const [bucket, each] of added.entries()) if (each > 0) countIn(counts, bucket, each);
}

/** Sums the calls in the database, by their groups and latency buckets: a busy hour has too many calls to read each. */
async function addCalls(
  db: Database,
  groups: Map<string, Group>,
  query: UsageQuery,
  from: number,
  to: number,
): Promise<void> {
  if (from >= to) return;
  const columns = [
    ...columnsFor(query.groupBy, "time"),
    { sql: bucketSql("ms"), name: "ms_bucket" },
    { sql: bucketSql("ttft_ms"), name: "ttft_bucket" },
  ];
  const sums = SUMS.map((name) => `${CALL_SUMS[name] ?? `sum(${name})`} as ${name}`);
  const select = [...columns.map(({ sql, name }) => `${sql} as ${name}`), ...sums].join(", ");
  const { where, values } = conditions(db, query, "time", from, to);
  const grouped = columns.map((_, index) => index + 1).join(", ");
  const { rows } = await db.executeQuery<Row>(
    CompiledQuery.raw(`select ${select} from calls where ${where} group by ${grouped}`, values),
  );
  for (const row of rows) {
    const group = groupFor(groups, query.groupBy, row);
    for (const name of SUMS) group.sums[name] += Number(row[name]);
    countIn(group.ms, Number(row["ms_bucket"]), Number(row["calls"]));
    if (row["ttft_bucket"] !== null) countIn(group.ttft, Number(row["ttft_bucket"]), Number(row["calls"]));
  }
}

/** Sums over single calls that are not columns; see `addCall` of `ledger-write.ts`. */
const CALL_SUMS: Readonly<Record<string, string>> = {
  calls: "count(*)",
  errors: `sum(case when ${IS_ERROR} then 1 else 0 end)`,
  unpriced_calls: "sum(unpriced)",
};

/** Returns the condition of a report's rows, in either table, and its parameters. Absent members are null or empty. */
function conditions(
  db: Database,
  { key, team, model, upstream, owner }: UsageQuery,
  time: string,
  from: number,
  to: number,
): { readonly where: string; readonly values: (string | number)[] } {
  const values: (string | number)[] = [];
  const value = (each: string | number) => {
    values.push(each);
    return placeholder(db, values.length);
  };
  const parts = [`${time} >= ${value(from)}`, `${time} < ${value(to)}`];
  if (key !== undefined) parts.push(`(key_id = ${value(key)} or key_name = ${value(key)})`);
  if (team !== undefined) parts.push(`team = ${value(team)}`);
  if (model !== undefined) parts.push(`model = ${value(model)}`);
  if (upstream !== undefined) parts.push(`upstream = ${value(upstream)}`);
  if (owner?.id !== undefined) parts.push(`key_id = ${value(owner.id)}`);
  else if (owner) parts.push(`(key_id is null or key_id = '') and key_name = ${value(owner.name)}`);
  return { where: parts.join(" and "), values };
}

/** Returns the columns of the groups. Rows are grouped by all tags together and separated by the named tag later. */
function columnsFor(
  groupBy: readonly string[],
  time: string,
): { readonly sql: string; readonly name: string }[] {
  const columns = groupBy.map((group) => {
    const span = SPANS[group];
    if (span !== undefined) return { sql: `(${time} - ${time} % ${span})`, name: `at_${group}` };
    const column = COLUMN_OF[group] ?? "tags";
    return { sql: column, name: column };
  });
  return [...new Map(columns.map((column) => [column.name, column])).values()];
}

function groupFor(groups: Map<string, Group>, groupBy: readonly string[], row: Row): Group {
  const names = groupBy.map((group) => {
    if (group in SPANS) {
      const start = new Date(Number(row[`at_${group}`])).toISOString();
      return group === "day" ? start.slice(0, 10) : start;
    }
    if (group.startsWith("tag:")) return getTag(row["tags"], group.slice("tag:".length));
    const value = row[COLUMN_OF[group] ?? ""];
    return value === null || value === undefined || value === "" ? null : String(value);
  });
  const id = JSON.stringify(names);
  const group = groups.get(id) ?? { names, ...noCalls() };
  groups.set(id, group);
  return group;
}

function getTag(tags: string | number | null | undefined, name: string): string | null {
  if (typeof tags !== "string" || tags === "") return null;
  const value: unknown = Object(JSON.parse(tags))[name];
  return typeof value === "string" ? value : null;
}

function toRow({ names, sums, ms, ttft }: Group, groupBy: readonly string[]): UsageRow {
  const { cost_micros, ...counts } = sums;
  const values: Record<string, number | null> = {
    ...counts,
    cost_usd: toUsd(cost_micros),
    p50_ms: estimateQuantile(ms, 0.5),
    p95_ms: estimateQuantile(ms, 0.95),
    p50_ttft_ms: estimateQuantile(ttft, 0.5),
  };
  return Object.fromEntries([
    ...groupBy.map((group, index) => [group, names[index] ?? null]),
    ...USAGE_COLUMNS.map((name) => [name, values[name] ?? null]),
  ]);
}

function byGroups(groupBy: readonly string[]): (one: UsageRow, other: UsageRow) => number {
  return (one, other) => {
    for (const group of groupBy) {
      const [left, right] = [String(one[group] ?? ""), String(other[group] ?? "")];
      if (left !== right) return left < right ? -1 : 1;
    }
    return 0;
  };
}

/** Formats a report as CSV (RFC 4180), with a header line. */
export function usageCsv(rows: readonly UsageRow[], groupBy: readonly string[]): string {
  const columns = [...groupBy, ...USAGE_COLUMNS];
  const lines = rows.map((row) => columns.map((name) => csvField(row[name])).join(","));
  return `${[columns.map(csvField).join(","), ...lines].join("\r\n")}\r\n`;
}

function csvField(value: string | number | null | undefined): string {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

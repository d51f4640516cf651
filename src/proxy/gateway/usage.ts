import { CompiledQuery } from "kysely";
import { bucketColumns } from "../../database/migrations-ledger.ts";
import { type Database, engineOf } from "../../database/open-database.ts";
import { AppError } from "../../errors.ts";
import { countIn, quantileOf } from "./ledger-histogram.ts";
import { addCall, type CallSums, HOUR_MS, noCalls, SUMS } from "./ledger-write.ts";
import { toUsd } from "./limits.ts";

/** A report: sums of calls from `from` until before `to`, in milliseconds since 1970. */
export interface UsageQuery {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** `day`, `key`, `team`, `model`, `upstream`, `tag:NAME`; in the order of the columns. */
  readonly groupBy: readonly string[];
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

const GROUPS = new Set(["day", "key", "team", "model", "upstream"]);

/** Parses `team,tag:floor`. Throws `validation` for an unknown group. */
export function parseGroups(text: string): string[] {
  const groups = text.split(",").filter((each) => each !== "");
  for (const group of groups)
    if (!GROUPS.has(group) && !/^tag:.+/.test(group))
      throw new AppError(
        "validation",
        `group_by: ${JSON.stringify(group)} is not day, key, team, model, upstream or tag:NAME`,
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

/**
 * Returns the report, ordered by its groups. Whole hours come from the rollups, the parts of hours at both ends from the
 * calls.
 */
export async function queryUsage(db: Database, { from, to, groupBy }: UsageQuery): Promise<UsageRow[]> {
  const start = from ?? 0;
  const end = to ?? Number.MAX_SAFE_INTEGER;
  if (end <= start) return [];
  const firstHour = Math.ceil(start / HOUR_MS) * HOUR_MS;
  const lastHour = to === undefined ? end : Math.floor(end / HOUR_MS) * HOUR_MS;
  const groups = new Map<string, Group>();
  if (firstHour <= lastHour) {
    await addRollups(db, groups, groupBy, firstHour, lastHour);
    await addCalls(db, groups, groupBy, start, Math.min(firstHour, end));
    await addCalls(db, groups, groupBy, Math.max(lastHour, start), end);
  } else await addCalls(db, groups, groupBy, start, end);
  return [...groups.values()].map((group) => toRow(group, groupBy)).sort(byGroups(groupBy));
}

async function addRollups(
  db: Database,
  groups: Map<string, Group>,
  groupBy: readonly string[],
  from: number,
  to: number,
): Promise<void> {
  if (from >= to) return;
  const histogram = [...bucketColumns("ms"), ...bucketColumns("ttft")];
  const columns = columnsFor(groupBy, "hour");
  const [first, second] = engineOf(db) === "sqlite" ? ["?", "?"] : ["$1", "$2"];
  // PostgreSQL sums bigint to numeric, which the driver reads as a number.
  const sums = [...SUMS, ...histogram].map((name) => `sum(${name}) as ${name}`).join(", ");
  const select = [...columns.map(({ sql, name }) => `${sql} as ${name}`), sums].join(", ");
  const grouped = columns.length > 0 ? `group by ${columns.map(({ sql }) => sql).join(", ")}` : "";
  const query = CompiledQuery.raw(
    `select ${select} from usage_hours where hour >= ${first} and hour < ${second} ${grouped} having count(*) > 0`,
    [from, to],
  );
  const { rows } = await db.executeQuery<Record<string, string | number | null>>(query);
  for (const row of rows) {
    const group = groupFor(groups, groupBy, row);
    for (const name of SUMS) group.sums[name] += Number(row[name]);
    for (const [index, name] of bucketColumns("ms").entries()) countIn(group.ms, index, Number(row[name]));
    for (const [index, name] of bucketColumns("ttft").entries())
      countIn(group.ttft, index, Number(row[name]));
  }
}

/** Returns the columns of the groups. Rows are grouped by all tags together and separated by the named tag later. */
function columnsFor(
  groupBy: readonly string[],
  time: string,
): { readonly sql: string; readonly name: string }[] {
  const columns = groupBy.map((group) => {
    if (group === "day") return { sql: `(${time} - ${time} % ${DAY_MS})`, name: "day" };
    const column = COLUMN_OF[group] ?? "tags";
    return { sql: column, name: column };
  });
  return [...new Map(columns.map((column) => [column.name, column])).values()];
}

async function addCalls(
  db: Database,
  groups: Map<string, Group>,
  groupBy: readonly string[],
  from: number,
  to: number,
): Promise<void> {
  if (from >= to) return;
  const rows = await db
    .selectFrom("calls")
    .selectAll()
    .where("time", ">=", from)
    .where("time", "<", to)
    .execute();
  for (const row of rows)
    addCall(groupFor(groups, groupBy, { ...row, day: row.time - (row.time % DAY_MS) }), row);
}

function groupFor(
  groups: Map<string, Group>,
  groupBy: readonly string[],
  row: Readonly<Record<string, string | number | null>>,
): Group {
  const names = groupBy.map((group) => {
    if (group === "day") return new Date(Number(row["day"])).toISOString().slice(0, 10);
    if (group.startsWith("tag:")) return tagOf(row["tags"], group.slice("tag:".length));
    const value = row[COLUMN_OF[group] ?? ""];
    return value === null || value === undefined || value === "" ? null : String(value);
  });
  const id = JSON.stringify(names);
  const group = groups.get(id) ?? { names, ...noCalls() };
  groups.set(id, group);
  return group;
}

function tagOf(tags: string | number | null | undefined, name: string): string | null {
  if (typeof tags !== "string" || tags === "") return null;
  const value: unknown = Object(JSON.parse(tags))[name];
  return typeof value === "string" ? value : null;
}

function toRow({ names, sums, ms, ttft }: Group, groupBy: readonly string[]): UsageRow {
  const { cost_micros, ...counts } = sums;
  const values: Record<string, number | null> = {
    ...counts,
    cost_usd: toUsd(cost_micros),
    p50_ms: quantileOf(ms, 0.5),
    p95_ms: quantileOf(ms, 0.95),
    p50_ttft_ms: quantileOf(ttft, 0.5),
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

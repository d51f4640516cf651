import { nextTurn } from "../../json/bounds.ts";
import { estimateQuantiles } from "./ledger-histogram.ts";
import { toUsd } from "./limits.ts";
import { DAY_MS, HOUR_MS, NO_SUMS, type SUMS } from "./usage-totals.ts";

/** A row of a report: the value of each group in the query, then the sums. Absent values are null. */
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

export interface Group {
  readonly names: readonly (string | null)[];
  readonly sums: Record<(typeof SUMS)[number], number>;
  /** Histograms for `estimateQuantiles`. */
  ms: string;
  ttft: string;
}

/** The column of `usage_totals` and `calls` for each group that is not a time span or a tag. */
export const COLUMN_OF: Readonly<Record<string, string>> = {
  key: "key_name",
  team: "team",
  model: "model",
  upstream: "upstream",
};
/** Lengths of the groups that are time spans, in milliseconds. */
export const SPANS: Readonly<Record<string, number>> = { minute: 60_000, hour: HOUR_MS, day: DAY_MS };

/** Rows per turn of the event loop: a report by day on 1,000 keys has 30,000 rows a month and must not delay calls. */
const ROWS_PER_TURN = 2_000;

/** Runs a function for each row, in several turns of the event loop. */
export async function forEachRow<Each>(rows: Iterable<Each>, run: (row: Each) => void): Promise<void> {
  let count = 0;
  for (const row of rows) {
    if (++count % ROWS_PER_TURN === 0) await nextTurn();
    run(row);
  }
}

/** A row of the database. */
export type Row = Readonly<Record<string, string | number | null>>;

/** Returns the group of a row of the database; creates the group for its first row. */
export function groupFor(groups: Map<string, Group>, groupBy: readonly string[], row: Row): Group {
  const names: (string | null)[] = [];
  let id = "";
  for (const group of groupBy) {
    const name = nameIn(row, group);
    names.push(name);
    id += name === null ? "-" : `${name.length}:${name}`;
  }
  const known = groups.get(id);
  if (known !== undefined) return known;
  const group = { names, sums: { ...NO_SUMS }, ms: "", ttft: "" };
  groups.set(id, group);
  return group;
}

function nameIn(row: Row, group: string): string | null {
  if (group in SPANS) return formatTime(Number(row[`at_${group}`]), group === "day");
  if (group.startsWith("tag:")) return getTag(row["tags"], group.slice("tag:".length));
  const value = row[COLUMN_OF[group] ?? ""];
  return value === null || value === undefined || value === "" ? null : String(value);
}

/** The last formatted time: consecutive rows often have the same one. */
let formatted: readonly [time: number, text: string] = [0, new Date(0).toISOString()];

function formatTime(time: number, isDay: boolean): string {
  if (formatted[0] !== time) formatted = [time, new Date(time).toISOString()];
  return isDay ? formatted[1].slice(0, 10) : formatted[1];
}

function getTag(tags: string | number | null | undefined, name: string): string | null {
  if (typeof tags !== "string" || tags === "") return null;
  const value: unknown = Object(JSON.parse(tags))[name];
  return typeof value === "string" ? value : null;
}

/** Returns the rows of a report, ordered by their groups. */
export async function toRows(
  groups: ReadonlyMap<string, Group>,
  groupBy: readonly string[],
): Promise<UsageRow[]> {
  const rows: UsageRow[] = [];
  const sorted = [...groups.values()].sort(byNames);
  await forEachRow(sorted, (group) => rows.push(toRow(group, groupBy)));
  return rows;
}

function toRow({ names, sums, ms, ttft }: Group, groupBy: readonly string[]): UsageRow {
  const row: Record<string, string | number | null> = {};
  for (const [index, group] of groupBy.entries()) row[group] = names[index] ?? null;
  const [p50 = null, p95 = null] = estimateQuantiles(ms, [0.5, 0.95]);
  const [p50FirstToken = null] = estimateQuantiles(ttft, [0.5]);
  // Written out: copying with spread syntax would take most of the time of a report with 30,000 rows.
  const columns: Record<(typeof USAGE_COLUMNS)[number], number | null> = {
    calls: sums.calls,
    errors: sums.errors,
    input_tokens: sums.input_tokens,
    cache_read_tokens: sums.cache_read_tokens,
    cache_write_tokens: sums.cache_write_tokens,
    output_tokens: sums.output_tokens,
    reasoning_tokens: sums.reasoning_tokens,
    cost_usd: toUsd(sums.cost_micros),
    unpriced_calls: sums.unpriced_calls,
    p50_ms: p50,
    p95_ms: p95,
    p50_ttft_ms: p50FirstToken,
  };
  return Object.assign(row, columns);
}

function byNames({ names: left }: Group, { names: right }: Group): number {
  for (const [index, name] of left.entries()) {
    const [one, other] = [name ?? "", right[index] ?? ""];
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}

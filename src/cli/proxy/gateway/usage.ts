import { dirname, join } from "node:path";
import { dataDirectory, processEnvironment } from "../../../config/paths.ts";
import { databaseLocation } from "../../../config/proxy/database-location.ts";
import { configurationPath, loadProxySettings, type ProxyFlags } from "../../../config/proxy/settings.ts";
import { openDatabase } from "../../../database/open-database.ts";
import { AppError } from "../../../errors.ts";
import { createLedgerQueries } from "../../../proxy/gateway/ledger-queries.ts";
import { parseSpan } from "../../../proxy/gateway/time-span.ts";
import { parseGroups, USAGE_COLUMNS, type UsageRow, usageCsv } from "../../../proxy/gateway/usage.ts";
import type { Output } from "../../output.ts";
import { table } from "../../table.ts";
import { sqliteWorkerFiles } from "../../worker-files.ts";

export interface UsageFlags extends ProxyFlags {
  readonly json: boolean;
  readonly csv: boolean;
  readonly since?: string;
  readonly until?: string;
  readonly by?: string;
}

/** Columns of the table that people read. */
const SHOWN = [
  "calls",
  "errors",
  "input_tokens",
  "output_tokens",
  "cost_usd",
  "unpriced_calls",
  "p95_ms",
] as const;

/** Runs `sallyport proxy usage`: sums what the ledger has. */
export async function showUsage(flags: UsageFlags, output: Output): Promise<number> {
  const now = Date.now();
  const from = parseTime("--since", flags.since ?? "30d", now);
  const to = flags.until === undefined ? undefined : parseTime("--until", flags.until, now);
  const groupBy = groupsOf(flags.by ?? "");
  const rows = await readUsage(flags, from, to, groupBy);
  if (flags.json) await output.result(JSON.stringify({ rows }, null, 2));
  else if (flags.csv) await output.result(usageCsv(rows, groupBy).trimEnd());
  else
    await output.result(rows.length === 0 ? "There are no calls in this time." : usageTable(rows, groupBy));
  return 0;
}

async function readUsage(
  flags: UsageFlags,
  from: number,
  to: number | undefined,
  groupBy: readonly string[],
): Promise<readonly UsageRow[]> {
  const { settings } = await loadProxySettings(processEnvironment, flags);
  const data = dataDirectory(processEnvironment);
  const folders = { data, configuration: dirname(configurationPath(processEnvironment, flags)) };
  const { location } = databaseLocation(settings, processEnvironment, folders);
  if (location.engine === "none")
    throw new AppError("usage", 'There is no database with usage: proxy.database is "none"', {
      hint: `The request log is ${join(data, "proxy", "requests.ndjson")}.`,
    });
  const db = await openDatabase(location, sqliteWorkerFiles);
  try {
    return await createLedgerQueries(db).usage({ from, to, groupBy });
  } finally {
    await db.destroy();
  }
}

function groupsOf(text: string): string[] {
  try {
    return parseGroups(text);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError("usage", error.message.replace("group_by:", "--by"), { cause: error });
  }
}

/** Returns a time in milliseconds since 1970: a date, or a span before now. Throws `usage`. */
function parseTime(flag: string, text: string, now: number): number {
  const span = parseSpan(text);
  if (span !== undefined) return now - span;
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw new AppError("usage", `${flag} ${text} is neither a time span such as 7d nor a date`);
  return time;
}

function usageTable(rows: readonly UsageRow[], groupBy: readonly string[]): string {
  const columns = [...groupBy, ...SHOWN.filter((name) => USAGE_COLUMNS.includes(name))];
  return table(
    columns,
    rows.map((row) => columns.map((name) => String(row[name] ?? "–"))),
  );
}

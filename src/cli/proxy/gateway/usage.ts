import { join } from "node:path";
import { processEnvironment } from "../../../config/paths.ts";
import type { ProxyFlags } from "../../../config/proxy/settings.ts";
import { AppError } from "../../../errors.ts";
import { createLedgerQueries } from "../../../proxy/gateway/ledger-queries.ts";
import { parseGroups } from "../../../proxy/gateway/usage.ts";
import { usageCsv } from "../../../proxy/gateway/usage-csv.ts";
import { USAGE_COLUMNS, type UsageRow } from "../../../proxy/gateway/usage-groups.ts";
import type { Output } from "../../output.ts";
import { table } from "../../table.ts";
import { parseTimeFlag } from "./time-flags.ts";
import { withDatabase } from "./with-database.ts";

export interface UsageFlags extends ProxyFlags {
  readonly json: boolean;
  readonly csv: boolean;
  readonly since?: string;
  readonly until?: string;
  readonly by?: string;
}

/** Columns of the printed table. */
const SHOWN = [
  "calls",
  "errors",
  "input_tokens",
  "output_tokens",
  "cost_usd",
  "unpriced_calls",
  "p95_ms",
] as const;

/** Runs `sallyport proxy usage`: prints totals of the calls in the ledger. */
export async function showUsage(flags: UsageFlags, output: Output): Promise<number> {
  const now = Date.now();
  const ago = { toTime: (ms: number) => now - ms, example: "7d" };
  const from = parseTimeFlag("--since", flags.since ?? "30d", ago);
  const to = flags.until === undefined ? undefined : parseTimeFlag("--until", flags.until, ago);
  const groupBy = parseGroupsFlag(flags.by ?? "");
  const rows = await withDatabase(processEnvironment, flags, USAGE, (db) =>
    createLedgerQueries(db).usage({ from, to, groupBy }),
  );
  if (flags.json) await output.result(JSON.stringify({ rows }, null, 2));
  else if (flags.csv) await output.result(usageCsv(rows, groupBy).trimEnd());
  else await output.result(rows.length === 0 ? "No calls in this period." : usageTable(rows, groupBy));
  return 0;
}

const USAGE = {
  content: "usage",
  hint: (data: string) => `The request log is ${join(data, "proxy", "requests.ndjson")}.`,
};

function parseGroupsFlag(text: string): string[] {
  try {
    return parseGroups(text);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError("usage", error.message.replace("group_by:", "--by"), { cause: error });
  }
}

function usageTable(rows: readonly UsageRow[], groupBy: readonly string[]): string {
  const columns = [...groupBy, ...SHOWN.filter((name) => USAGE_COLUMNS.includes(name))];
  return table(
    columns,
    rows.map((row) => columns.map((name) => String(row[name] ?? "–"))),
  );
}

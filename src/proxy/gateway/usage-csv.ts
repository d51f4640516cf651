import { USAGE_COLUMNS, type UsageRow } from "./usage-groups.ts";

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

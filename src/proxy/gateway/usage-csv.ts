import { USAGE_COLUMNS, type UsageRow } from "./usage-groups.ts";

/**
 * Matches text that a spreadsheet evaluates as a formula (CSV injection); clients can send any model name. Plain names
 * such as `@cf/meta/llama` and negative numbers are harmless.
 */
const FORMULA = /^(?:[=+\t\r]|[-@](?![\w.:/-]*$))/;

/**
 * Formats a report as CSV (RFC 4180), with a header line. An apostrophe precedes a text that a spreadsheet would
 * evaluate.
 */
export function usageCsv(rows: readonly UsageRow[], groupBy: readonly string[]): string {
  const columns = [...groupBy, ...USAGE_COLUMNS];
  const lines = rows.map((row) => columns.map((name) => csvField(row[name])).join(","));
  return `${[columns.map(csvField).join(","), ...lines].join("\r\n")}\r\n`;
}

function csvField(value: string | number | null | undefined): string {
  const plain = value === null || value === undefined ? "" : String(value);
  const text = typeof value === "string" && FORMULA.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

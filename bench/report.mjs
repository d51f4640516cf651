// Shared by the benches' reports: statistics of samples, and Markdown tables.
import { cpus, loadavg } from "node:os";

/** Returns the median; for an even count, the upper of the two middle values. */
export function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

/** Returns the interquartile range of the samples, such as "12–15". */
export function middleHalf(values, digits = 0) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part) => sorted[Math.round((sorted.length - 1) * part)].toFixed(digits);
  return `${at(0.25)}–${at(0.75)}`;
}

/** Returns a Markdown table; columns whose title ends with a colon are right-aligned. */
export function table(titles, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const marks = titles.map((title) => (title.endsWith(":") ? "---:" : "---"));
  return [
    line(titles.map((title) => title.replace(/:$/, ""))),
    `|${marks.join("|")}|`,
    ...rows.map(line),
  ].join("\n");
}

/** Returns processor, Node.js version and load of the machine. */
export function machine() {
  const load = loadavg().map((value) => value.toFixed(1));
  return `${cpus()[0]?.model ?? "unknown processor"}, ${cpus().length} CPUs, Node.js ${process.versions.node}, ${process.platform} ${process.arch}, load ${load.join(" ")}`;
}

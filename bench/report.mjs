// What the benches' reports have in common: figures from samples, and Markdown tables.
import { cpus, loadavg } from "node:os";

/** The middle one; of an even count the upper of the two. */
export function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

/** The middle half of the samples, "12–15": how much one run differs from the next. */
export function middleHalf(values, digits = 0) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part) => sorted[Math.round((sorted.length - 1) * part)].toFixed(digits);
  return `${at(0.25)}–${at(0.75)}`;
}

/** A Markdown table; columns whose title ends with a colon hold figures and are set to the right. */
export function table(titles, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const marks = titles.map((title) => (title.endsWith(":") ? "---:" : "---"));
  return [
    line(titles.map((title) => title.replace(/:$/, ""))),
    `|${marks.join("|")}|`,
    ...rows.map(line),
  ].join("\n");
}

/** Processor, Node.js and how busy the machine is: what figures cannot be read without. */
export function machine() {
  const load = loadavg().map((value) => value.toFixed(1));
  return `${cpus()[0]?.model ?? "unknown processor"}, ${cpus().length} CPUs, Node.js ${process.versions.node}, ${process.platform} ${process.arch}, load ${load.join(" ")}`;
}

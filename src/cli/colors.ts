import type { Environment } from "../config/paths.ts";

/** The meaning of a text, which determines its color. */
export type TextKind = "error" | "diff" | "report";

/**
 * Returns whether output to a stream has colors. `FORCE_COLOR` turns them on, or off with `0` or `false`. Without it, a
 * non-empty `NO_COLOR` (https://no-color.org) turns them off. Otherwise, a terminal that is not "dumb" has colors.
 */
export function isColorWanted(stream: { readonly isTTY?: boolean }, environment: Environment): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: terminal } = environment;
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  if (none) return false;
  return stream.isTTY === true && terminal !== "dumb";
}

const RED = 31;
const GREEN = 32;
const YELLOW = 33;
const CYAN = 36;
const BOLD = 1;
const DIM = 2;

/** Colors a text by its kind. Pure. */
export function addColor(text: string, kind: TextKind): string {
  if (kind === "error") return text.replace(/^sallyport:/, (prefix) => paint(prefix, RED));
  const line = kind === "diff" ? addDiffColor : addReportColor;
  return text.split("\n").map(line).join("\n");
}

function addDiffColor(line: string): string {
  if (/^(?:\+\+\+|---) /.test(line)) return paint(line, BOLD);
  if (line.startsWith("@@")) return paint(line, CYAN);
  if (line.startsWith("+")) return paint(line, GREEN);
  return line.startsWith("-") ? paint(line, RED) : line;
}

const STATES: Readonly<Record<string, number>> = { ok: GREEN, warning: YELLOW, BROKEN: RED, "-": DIM };

/** Colors the state in a line of `doctor`, between the subject and the detail. */
function addReportColor(line: string): string {
  return line.replace(
    /^(.*? {2,})(ok|warning|BROKEN|-)(?= {2,})/,
    (_all, subject: string, state: string) => subject + paint(state, STATES[state] ?? DIM),
  );
}

function paint(text: string, code: number): string {
  return text === "" ? text : `\x1b[${code}m${text}\x1b[0m`;
}

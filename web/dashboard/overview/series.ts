import type { UsageRowView } from "../../../src/proxy/gateway/admin-api-types.ts";

/** One line of a chart, with a value for each step; null for a step without a value. */
export interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

/**
 * A figure of a usage report. In steps without calls, figures that are sums are 0, and other figures have no
 * value.
 */
export interface Figure {
  readonly of: (row: UsageRowView) => number | null;
  readonly addsUp: boolean;
}

const column =
  (name: string) =>
  (row: UsageRowView): number | null => {
    const value = row[name];
    return typeof value === "number" ? value : null;
  };

const sumColumns =
  (...names: readonly string[]) =>
  (row: UsageRowView): number =>
    names.reduce((sum, name) => sum + (column(name)(row) ?? 0), 0);

export const FIGURES = {
  calls: { of: column("calls"), addsUp: true },
  errors: { of: column("errors"), addsUp: true },
  input: { of: column("input_tokens"), addsUp: true },
  cached: { of: column("cache_read_tokens"), addsUp: true },
  output: { of: column("output_tokens"), addsUp: true },
  tokens: { of: sumColumns("input_tokens", "output_tokens"), addsUp: true },
  cost: { of: column("cost_usd"), addsUp: true },
  unpriced: { of: column("unpriced_calls"), addsUp: true },
  p50: { of: column("p50_ms"), addsUp: false },
  p95: { of: column("p95_ms"), addsUp: false },
  firstToken: { of: column("p50_ttft_ms"), addsUp: false },
} as const satisfies Record<string, Figure>;

/** Returns a figure of a report without groups; undefined if there are no calls or no value. */
export function figureIn(rows: readonly UsageRowView[], figure: Figure): number | undefined {
  const [row] = rows;
  return row === undefined ? undefined : (figure.of(row) ?? undefined);
}

/** Returns the line of a figure over the steps, from the rows of a report grouped by `unit`. */
export function createLine(
  label: string,
  rows: readonly UsageRowView[],
  steps: readonly number[],
  unit: string,
  figure: Figure,
): Line {
  const byStep = new Map(rows.map((row) => [Date.parse(String(row[unit])), figure.of(row)]));
  const nothing = figure.addsUp ? 0 : null;
  return { label, values: steps.map((step) => byStep.get(step) ?? nothing) };
}

/** Returns the part of the total that no line contains, as one more line; undefined if there is none. */
export function createRestLine(label: string, total: Line, lines: readonly Line[]): Line | undefined {
  const values = total.values.map((value, index) => {
    const shown = lines.reduce((sum, line) => sum + (line.values[index] ?? 0), 0);
    // Rounding removes the errors of adding money as floating-point numbers.
    return Math.max(0, Math.round(((value ?? 0) - shown) * 1e6) / 1e6);
  });
  return values.some((value) => value > 0) ? { label, values } : undefined;
}

/** Returns the names of the `count` largest groups of a report by a figure. Leaves out calls that have no group. */
export function largestGroups(
  rows: readonly UsageRowView[],
  by: string,
  figure: Figure,
  count: number,
): string[] {
  return rows
    .toSorted((one, other) => (figure.of(other) ?? 0) - (figure.of(one) ?? 0))
    .flatMap((row) => (typeof row[by] === "string" ? [row[by]] : []))
    .slice(0, count);
}

/** Returns the indexes of the values without a neighbor: the steps before and after them have no value. */
export function findIsolated(values: ArrayLike<number | null | undefined>): number[] {
  const isAbsent = (index: number) => values[index] === null || values[index] === undefined;
  const found: number[] = [];
  for (let index = 0; index < values.length; index += 1)
    if (!isAbsent(index) && isAbsent(index - 1) && isAbsent(index + 1)) found.push(index);
  return found;
}

import type { UsageRowView } from "../../../src/proxy/gateway/admin-api-types.ts";
import type { Api } from "../data/api.ts";
import { getStart, listSteps, type Range } from "../data/ranges.ts";
import { createLine, createRestLine, FIGURES, type Figure, type Line, largestGroups } from "./series.ts";

/** The data of the overview. */
export interface Overview {
  readonly range: Range;
  /** The member of the rows by which `groups` are formed, such as `model`. */
  readonly by: string;
  readonly steps: readonly number[];
  /** The rows of a report without groups: one row, or none if there are no calls. */
  readonly total: readonly UsageRowView[];
  /** One row for each group. */
  readonly groups: readonly UsageRowView[];
  readonly charts: readonly ChartData[];
}

export interface ChartData {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly format: "count" | "dollars" | "duration";
}

interface Report {
  readonly rows: readonly UsageRowView[];
}

/** Maximum lines of groups in a chart. In charts of sums, one more line shows all other calls together. */
const MAX_GROUPS = 5;

/** Loads the overview of a range. With `isSplit`, each chart has a line for each of the largest groups. */
export async function loadOverview(
  api: Api,
  range: Range,
  by: string,
  isSplit: boolean,
  signal: AbortSignal,
): Promise<Overview> {
  const now = Date.now();
  const [steps, from] = [listSteps(range, now), getStart(range, now)];
  const usage = async (query: Readonly<Record<string, string>>) =>
    (await api.get<Report>("/usage", { from, ...query }, signal)).rows;
  const [total, groups, whole] = await Promise.all([
    usage({}),
    usage({ group_by: by }),
    usage({ group_by: range.unit }),
  ]);
  const names = isSplit ? largestGroups(groups, by, FIGURES.calls, MAX_GROUPS) : [];
  const parts = await Promise.all(names.map((name) => usage({ group_by: range.unit, [by]: name })));
  const line = (label: string, rows: readonly UsageRowView[], figure: Figure) =>
    createLine(label, rows, steps, range.unit, figure);
  const split = (figure: Figure): Line[] => {
    const lines = names.map((name, index) => line(name, parts[index] ?? [], figure));
    const rest = figure.addsUp ? createRestLine("Other", line("", whole, figure), lines) : undefined;
    return rest ? [...lines, rest] : lines;
  };
  const all = (figures: Readonly<Record<string, Figure>>) =>
    Object.entries(figures).map(([label, figure]) => line(label, whole, figure));
  return { range, by, steps, total, groups, charts: isSplit ? splitCharts(split) : totalCharts(all) };
}

function totalCharts(all: (figures: Readonly<Record<string, Figure>>) => Line[]): ChartData[] {
  const { calls, errors, input, cached, output, cost, p50, p95, firstToken } = FIGURES;
  return [
    { title: "Calls", lines: all({ Calls: calls }), format: "count" },
    { title: "Errors", lines: all({ Errors: errors }), format: "count" },
    {
      title: "Tokens",
      lines: all({ Input: input, "Input from cache": cached, Output: output }),
      format: "count",
    },
    { title: "Cost", lines: all({ Cost: cost }), format: "dollars" },
    { title: "Duration", lines: all({ Median: p50, p95 }), format: "duration" },
    { title: "Time to first token", lines: all({ Median: firstToken }), format: "duration" },
  ];
}

function splitCharts(split: (figure: Figure) => Line[]): ChartData[] {
  const { calls, errors, tokens, cost, p95, firstToken } = FIGURES;
  return [
    { title: "Calls", lines: split(calls), format: "count" },
    { title: "Errors", lines: split(errors), format: "count" },
    { title: "Tokens", lines: split(tokens), format: "count" },
    { title: "Cost", lines: split(cost), format: "dollars" },
    { title: "Duration, p95", lines: split(p95), format: "duration" },
    { title: "Time to first token, median", lines: split(firstToken), format: "duration" },
  ];
}

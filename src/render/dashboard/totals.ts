import type { CallTotals, DashboardState, ModelTotals } from "../../proxy/dashboard/api-types.ts";
import { count, dollars, duration } from "./amounts.ts";
import { type Html, html } from "./html.ts";
import { section, table } from "./table.ts";

/** Renders the totals since the start. */
export function summary({ total, live }: DashboardState): Html {
  const share = total.input === 0 ? 0 : Math.round((100 * total.cached) / total.input);
  return html`<dl class="summary" data-key="summary">
${figure("Running", count(live.length))}
${figure("Calls", count(total.calls))}
${figure("Errors", count(total.errors), total.calls > 0 ? percent(total.errors, total.calls) : "")}
${figure("Tokens in", count(total.input), share > 0 ? `${share} % cached` : "")}
${figure("Tokens out", count(total.output))}
${figure("Cost", dollars(total.cost), unpricedText(total))}
${figure("Median time", duration(total.p50), total.p95 === undefined ? "" : `p95 ${duration(total.p95)}`)}
</dl>`;
}

function figure(name: string, value: string, detail = ""): Html {
  return html`<div><dt>${name}</dt><dd>${value}${detail !== "" && html` <span class="secondary">${detail}</span>`}</dd></div>`;
}

function percent(part: number, whole: number): string {
  const share = (100 * part) / whole;
  return share > 0 && share < 1 ? "<1 %" : `${Math.round(share)} %`;
}

function unpricedText({ unpriced, cost }: CallTotals): string {
  if (unpriced === 0) return "";
  return cost === undefined ? "no price" : `${count(unpriced)} without price`;
}

/** Renders the totals by model and upstream. */
export function modelTable({ models }: DashboardState): Html {
  const columns = [
    { head: "Model", cell: ({ model }: ModelTotals) => model || "–" },
    { head: "Upstream", cell: ({ upstream }: ModelTotals) => upstream },
    { head: "Calls", cell: ({ calls }: ModelTotals) => count(calls), isFigure: true },
    { head: "Errors", cell: ({ errors }: ModelTotals) => count(errors), isFigure: true },
    { head: "In", cell: ({ input }: ModelTotals) => count(input), isFigure: true },
    { head: "Cached", cell: ({ cached }: ModelTotals) => count(cached), isFigure: true },
    { head: "Out", cell: ({ output }: ModelTotals) => count(output), isFigure: true },
    { head: "Cost", cell: costCell, isFigure: true },
    { head: "Median", cell: ({ p50 }: ModelTotals) => duration(p50), isFigure: true },
    { head: "p95", cell: ({ p95 }: ModelTotals) => duration(p95), isFigure: true },
  ];
  const rows = models.map((row) => ({ key: `${row.upstream}\n${row.model}`, row }));
  const nothing = rows.length === 0 && html`<p class="nothing">No calls yet.</p>`;
  return section("models", "By model, since start", table("models", columns, rows), nothing);
}

function costCell(totals: ModelTotals): Html {
  const detail = totals.cost === undefined ? "" : unpricedText(totals);
  return html`${dollars(totals.cost)}${detail !== "" && html` <span class="secondary">${detail}</span>`}`;
}

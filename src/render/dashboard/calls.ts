import type { DashboardState, FinishedCall, LiveCall } from "../../proxy/dashboard/api-types.ts";
import { age, clock, count, dollars, duration } from "./amounts.ts";
import { isDisconnect, isFailure } from "./call-failure.ts";
import { type Html, html } from "./html.ts";
import { type Column, section, table } from "./table.ts";

/** Filters of the finished calls. An empty string matches all. */
export interface Filters {
  readonly upstream: string;
  readonly model: string;
  readonly errorsOnly: boolean;
}

/** Filters that match every call. */
export const NO_FILTERS: Filters = { upstream: "", model: "", errorsOnly: false };

/** Renders the running calls. */
export function liveCalls({ live, now }: DashboardState): Html {
  const columns: Column<LiveCall>[] = [
    { head: "Model", cell: ({ model }) => model ?? "" },
    { head: "Upstream", cell: ({ upstream }) => upstream ?? "", isShort: true },
    { head: "Route", cell: ({ route }) => html`<code>${route}</code>`, isShort: true },
    { head: "Kind", cell: ({ stream }) => (stream ? "stream" : "whole") },
    { head: "Key", cell: ({ key }) => key ?? "" },
    {
      head: "For",
      cell: ({ startedAt }) => age(now - startedAt),
      isFigure: true,
    },
  ];
  const rows = live.map((row) => ({ key: row.id, row }));
  const heading = html`Running now <span class="badge">${live.length}</span>`;
  const nothing = live.length === 0 && html`<p class="nothing">No call is running.</p>`;
  return section("live", heading, table("live", columns, rows), nothing);
}

/** Renders the last calls that match the filters. */
export function finishedCalls(state: DashboardState, filters: Filters, isInteractive: boolean): Html {
  const shown = state.calls.filter((call) => isShown(call, filters));
  const rows = shown.map((row) => ({ key: row.id, row, tone: getTone(row) }));
  const of = shown.length === state.calls.length ? "" : ` of ${state.calls.length}`;
  const heading = html`Last calls <span class="badge">${shown.length}${of}</span>`;
  const calls = table("calls", finishedColumns(state.now), rows);
  return section(
    "calls",
    heading,
    isInteractive && filterBar(state, filters),
    html`<div class="scroll" tabindex="0" role="region" aria-labelledby="calls-heading">${calls}</div>`,
    rows.length === 0 && html`<p class="nothing">${emptyText(state)}</p>`,
  );
}

function emptyText({ calls }: DashboardState): string {
  return calls.length === 0
    ? "No call has ended yet. Point a client at this proxy to see its calls."
    : "No matching calls.";
}

function isShown(call: FinishedCall, { upstream, model, errorsOnly }: Filters): boolean {
  if (errorsOnly && !isError(call)) return false;
  return (upstream === "" || call.upstream === upstream) && (model === "" || call.model === model);
}

function finishedColumns(now: number): Column<FinishedCall>[] {
  return [
    { head: "Time", cell: ({ time }) => html`<time datetime="${time}">${clock(time, now)}</time>` },
    { head: "Status", cell: ({ status }) => html`<span class="status">${status}</span>` },
    { head: "Model", cell: modelCell },
    { head: "Upstream", cell: ({ upstream }) => upstream ?? "", isShort: true },
    {
      head: "Route",
      cell: ({ route, method }) => html`<code>${formatMethod(method)}${route}</code>`,
      isShort: true,
    },
    { head: "Duration", cell: ({ ms }) => duration(ms), isFigure: true },
    { head: "First byte", cell: ({ firstByteMs }) => duration(firstByteMs), isFigure: true },
    { head: "In", cell: inputCell, isFigure: true },
    { head: "Out", cell: ({ tokens }) => count(tokens?.output), isFigure: true },
    { head: "Cost", cell: ({ cost }) => dollars(cost), isFigure: true },
    { head: "Notes", cell: detailsCell },
  ];
}

function formatMethod(method: string): string {
  return method === "POST" ? "" : `${method} `;
}

function modelCell({ model, upstreamModel }: FinishedCall): Html {
  return html`${model}${upstreamModel !== undefined && html` <span class="secondary">as ${upstreamModel}</span>`}`;
}

function inputCell({ tokens }: FinishedCall): Html {
  const { input, cached } = tokens ?? {};
  return html`${count(input)}${Boolean(cached) && html` <span class="secondary">${count(cached)} cached</span>`}`;
}

function detailsCell(call: FinishedCall): Html {
  const { stream, retries, losses, fault: errorMessage, key } = call;
  const details = [
    stream ? "stream" : "",
    key === undefined ? "" : `key ${key}`,
    retries === 0 ? "" : retries === 1 ? "1 retry" : `${retries} retries`,
    losses.length === 0 ? "" : `lost: ${losses.join(", ")}`,
  ];
  const text = details.filter(Boolean).join(" · ");
  return html`${text}${errorMessage !== undefined && html` <span class="${isError(call) ? "error" : "secondary"}">${errorMessage}</span>`}`;
}

function getTone(call: FinishedCall): string {
  if (isDisconnect(call.status, call.errorCode)) return "is-left";
  return isError(call) ? "is-error" : "";
}

function isError({ status, errorCode }: FinishedCall): boolean {
  return isFailure(status, errorCode);
}

function filterBar({ calls }: DashboardState, { upstream, model, errorsOnly }: Filters): Html {
  return html`<div class="filters" role="group" aria-label="Which calls are shown" data-key="filters">
${choice(
  "upstream",
  "Upstream",
  upstream,
  namesIn(calls, (call) => call.upstream),
)}
${choice(
  "model",
  "Model",
  model,
  namesIn(calls, (call) => call.model),
)}
<label class="check"><input type="checkbox" name="errors"${errorsOnly && html` checked`}> Errors only</label></div>`;
}

function choice(name: string, label: string, chosen: string, names: readonly string[]): Html {
  // The selected name stays in the list even if none of its calls is listed any longer.
  const all = chosen === "" || names.includes(chosen) ? names : [...names, chosen];
  return html`<label class="field-inline">${label} <select class="input" name="${name}">
<option value="">All</option>${all.map(
    (each) =>
      html`<option data-key="${each}" value="${each}"${each === chosen && html` selected`}>${each}</option>`,
  )}</select></label>`;
}

function namesIn(
  calls: readonly FinishedCall[],
  getName: (call: FinishedCall) => string | undefined,
): readonly string[] {
  return [...new Set(calls.flatMap((call) => getName(call) ?? []))].toSorted();
}

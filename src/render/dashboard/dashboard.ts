import type { DashboardState } from "../../proxy/dashboard/api-types.ts";
import { clock } from "./amounts.ts";
import { type Filters, finishedCalls, liveCalls } from "./calls.ts";
import { type Html, html } from "./html.ts";
import { addresses, mcpTable, ruleTable, upstreamTable } from "./routing.ts";
import { modelTable, summary } from "./totals.ts";

export interface View {
  readonly filters: Filters;
  /** The base URL of the proxy; it may have a path prefix. */
  readonly base: string;
  /** Whether a script handles buttons and filters. */
  readonly isInteractive: boolean;
  readonly connection: Connection;
}

/** The state of the event stream: not opened (`still`), connected, or lost. */
export type Connection = "still" | "live" | "lost";

/** Renders the dashboard: on the server for the first paint, and in the page for updates. */
export function dashboard(state: DashboardState, view: View): Html {
  return html`${header(state, view)}
<main data-key="main">${dashboardContent(state, view)}
</main>`;
}

/** Renders the dashboard without its header. */
export function dashboardContent(state: DashboardState, view: View): Html {
  const settings = addresses(view.base, view.isInteractive);
  const isFresh = state.total.calls === 0 && state.live.length === 0;
  return html`${refused(state)}${summary(state)}
${isFresh && settings}
${liveCalls(state)}
${finishedCalls(state, view.filters, view.isInteractive)}
${modelTable(state)}
${upstreamTable(state)}
${ruleTable(state)}
${mcpTable(state)}
${!isFresh && settings}`;
}

/** Renders the header. Screen readers announce changes of its state, so the state must not change with each call. */
function header(state: DashboardState, { connection, isInteractive }: View): Html {
  const { startedAt, now, configuration, needsKey } = state;
  const read =
    configuration.readAt - startedAt > 1000 ? `, configuration of ${clock(configuration.readAt, now)}` : "";
  return html`<header data-key="header"><h1>Sallyport proxy</h1>
<p class="state ${getTone(state, connection)}" role="status">${stateText(state, connection)}</p>
<p class="secondary">since ${clock(startedAt, now)}${read}, ${needsKey ? "keys needed" : "no key needed"}</p>
${!needsKey && html`<nav aria-label="More"><a href="/metrics">Metrics</a> <a href="/v1/models">Models</a>${isInteractive && html` <button type="button" class="button button-small" data-action="sign-in">Sign in</button>`}</nav>`}</header>`;
}

function stateText({ isDraining }: DashboardState, connection: Connection): string {
  if (connection === "lost") return "Not connected: showing the last figures";
  if (isDraining) return "Stopping: waiting for running calls";
  return connection === "live" ? "Running" : "Running when this page was loaded";
}

function getTone({ isDraining }: DashboardState, connection: Connection): string {
  if (connection === "lost") return "is-lost";
  return isDraining ? "is-draining" : "is-running";
}

function refused({ configuration, now }: DashboardState): Html {
  const { refused: last } = configuration;
  if (!last) return html``;
  return html`<p class="notice" role="alert" data-key="refused"><strong>The configuration file was rejected at ${clock(last.at, now)}. The previous configuration stays active.</strong> ${last.reason}</p>`;
}

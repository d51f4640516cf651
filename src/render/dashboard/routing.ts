import type {
  CooldownState,
  DashboardState,
  LastError,
  McpState,
  RuleState,
  UpstreamState,
} from "../../proxy/dashboard/api-types.ts";
import { clock, count } from "./amounts.ts";
import { type Html, html } from "./html.ts";
import { section, table } from "./table.ts";

/** Renders client settings to copy. */
export function addresses(base: string, isInteractive: boolean): Html {
  const clients = [
    { client: "Claude Code, Anthropic SDKs", text: `ANTHROPIC_BASE_URL=${base}` },
    { client: "OpenAI SDKs", text: `OPENAI_BASE_URL=${base}/v1` },
    { client: "Gemini CLI, Google SDKs", text: `GOOGLE_GEMINI_BASE_URL=${base}` },
    { client: "Codex, OpenCode and others", text: "sallyport proxy connect codex" },
  ];
  const columns = [
    { head: "Client", cell: ({ client }: (typeof clients)[number]) => client },
    {
      head: "Setting",
      cell: ({ client, text }: (typeof clients)[number]) =>
        html`<code>${text}</code>${
          isInteractive &&
          html` <button type="button" class="button button-small" data-copy="${text}" aria-label="Copy the setting of ${client}">Copy</button>`
        }`,
    },
  ];
  const rows = clients.map((row) => ({ key: row.client, row }));
  return section("addresses", "Point a client here", table("addresses", columns, rows));
}

/** Renders the upstreams with their call counts. */
export function upstreamTable({ upstreams, now }: DashboardState): Html {
  const columns = [
    { head: "Upstream", cell: (upstream: UpstreamState) => upstreamCell(upstream, now) },
    { head: "Dialect", cell: ({ dialect }: UpstreamState) => dialect },
    {
      head: "Address",
      cell: ({ url }: UpstreamState) => (url === undefined ? "built in" : html`<code>${url}</code>`),
    },
    { head: "Keys", cell: ({ keys }: UpstreamState) => count(keys), isFigure: true },
    { head: "Calls", cell: ({ calls }: UpstreamState) => count(calls), isFigure: true },
    { head: "Errors", cell: ({ errors }: UpstreamState) => count(errors), isFigure: true },
    { head: "Last success", cell: ({ lastSuccess }: UpstreamState) => momentCell(lastSuccess, now) },
    { head: "Last error", cell: ({ lastError }: UpstreamState) => errorCell(lastError, now) },
  ];
  const rows = upstreams.map((row) => ({ key: row.name, row }));
  return section("upstreams", "Upstreams", table("upstreams", columns, rows));
}

function upstreamCell({ name, resting: cooldowns }: UpstreamState, now: number): Html {
  return html`${name}${cooldowns.map((rest) => html`<span class="cooldown">${formatCooldown(rest, now)}</span>`)}`;
}

function formatCooldown({ key, model, status, until }: CooldownState, now: number): string {
  const which = [key === undefined ? "" : `key ${key}`, model ?? ""].filter(Boolean).join(", ");
  const why = status === undefined ? "not reached" : String(status);
  return `${which === "" ? "" : `${which}: `}tried last until ${clock(until, now)} (${why})`;
}

/** Renders the routing rules and the default. */
export function ruleTable({ rules, upstreams }: DashboardState): Html {
  const columns = [
    { head: "Model", cell: ({ match }: RuleState) => html`<code>${match}</code>` },
    { head: "Only", cell: ({ when }: RuleState) => when.join(", ") },
    { head: "Goes to", cell: (rule: RuleState) => rule.upstreams.join(", then ") },
    { head: "As", cell: ({ model }: RuleState) => (model === undefined ? "" : html`<code>${model}</code>`) },
  ];
  const rows = rules.map((row, index) => ({ key: String(index), row }));
  const others = rules.length === 0 ? "" : "Other models: ";
  const example = upstreams[0]?.name ?? "NAME";
  const hint = html`<p class="hint">${others}${others === "" ? "A" : "a"} name like <code>${example}/model</code> goes to that upstream; any other to one that lists it, else to the
first upstream that speaks the client's dialect.</p>`;
  return section("rules", "Routes", table("rules", columns, rows), hint);
}

/** Renders the MCP servers with their call counts. */
export function mcpTable({ mcp, now }: DashboardState): Html {
  if (mcp.length === 0) return html``;
  const columns = [
    { head: "MCP server", cell: ({ name }: McpState) => name },
    { head: "Served at", cell: servedAt },
    { head: "Address", cell: ({ url }: McpState) => html`<code>${url}</code>` },
    { head: "Calls", cell: ({ calls }: McpState) => count(calls), isFigure: true },
    { head: "Errors", cell: ({ errors }: McpState) => count(errors), isFigure: true },
    { head: "Last success", cell: ({ lastSuccess }: McpState) => momentCell(lastSuccess, now) },
    { head: "Last error", cell: ({ lastError }: McpState) => errorCell(lastError, now) },
  ];
  const rows = mcp.map((row) => ({ key: row.name, row }));
  return section("mcp", "MCP servers", table("mcp", columns, rows));
}

function servedAt({ isEnabled, isProgram, name }: McpState): Html {
  const path = isProgram ? "/mcp" : `/mcp/${name}/mcp`;
  return isEnabled ? html`<code>${path}</code>` : html`<span class="secondary">switched off</span>`;
}

function momentCell(moment: string | undefined, now: number): Html {
  return moment === undefined ? html`` : html`<time datetime="${moment}">${clock(moment, now)}</time>`;
}

function errorCell(error: LastError | undefined, now: number): Html {
  if (error === undefined) return html``;
  const { time, status, fault: errorMessage } = error;
  return html`${momentCell(time, now)} <span class="status">${status}</span> <span class="error">${errorMessage}</span>`;
}

import type { ModelRule, UpstreamConfig } from "../../config/proxy/config.ts";
import type { McpServerConfig } from "../../config/proxy/mcp-config.ts";
import type { CallSeries } from "../observability/metrics.ts";
import type { Cooldown } from "../routing/cooldowns.ts";
import type { Runtime } from "../runtime.ts";
import type { CallActivity } from "./activity.ts";
import type {
  ConfigurationState,
  CooldownState,
  DashboardState,
  McpState,
  RuleState,
  UpstreamState,
} from "./api-types.ts";
import { findLastOutcomes, modelTotals, sumCalls } from "./call-totals.ts";

/** The members of `DashboardState` that the caller supplies. */
export interface Circumstances {
  /** Milliseconds since 1970, like `startedAt`. */
  readonly now: number;
  readonly startedAt: number;
  readonly isDraining: boolean;
  readonly configuration: ConfigurationState;
}

/** Returns the data that the dashboard shows. */
export function dashboardState(
  { live, calls, cooldowns }: CallActivity,
  series: readonly CallSeries[],
  { config, authMode, redact }: Runtime,
  circumstances: Circumstances,
): DashboardState {
  const ofTools = series.filter(({ route }) => route.startsWith("/mcp"));
  const ofModels = series.filter(({ route }) => !route.startsWith("/mcp"));
  return {
    ...circumstances,
    configuration: withoutSecrets(circumstances.configuration, redact),
    needsKey: authMode !== "off",
    live,
    calls,
    total: sumCalls(series),
    models: modelTotals(ofModels.filter(({ upstream }) => upstream !== "")),
    upstreams: [...config.upstreams.values()].map((upstream) =>
      upstreamState(upstream, ofModels, cooldowns, redact),
    ),
    rules: config.rules.map(ruleState),
    mcp: [...config.mcp].map(([name, server]) => mcpState(name, server, ofTools, redact)),
  };
}

type Redact = Runtime["redact"];

function withoutSecrets({ readAt, refused }: ConfigurationState, redact: Redact): ConfigurationState {
  return { readAt, refused: refused && { at: refused.at, reason: redact(refused.reason) } };
}

function upstreamState(
  { name, dialect, baseUrl, keys }: UpstreamConfig,
  series: readonly CallSeries[],
  cooldowns: readonly Cooldown[],
  redact: Redact,
): UpstreamState {
  return {
    name,
    dialect: dialect === "any" ? "every dialect" : dialect,
    url: dialect === "any" ? undefined : redact(plainUrl(baseUrl)),
    keys: keys.length,
    resting: cooldowns
      .filter(({ upstream }) => upstream === name)
      .map(({ upstream: _, ...cooldown }): CooldownState => cooldown),
    ...findLastOutcomes(series.filter(({ upstream }) => upstream === name)),
  };
}

function mcpState(
  name: string,
  { enabled, url, program }: McpServerConfig,
  series: readonly CallSeries[],
  redact: Redact,
): McpState {
  return {
    name,
    isEnabled: enabled,
    url: redact(url === undefined ? (program?.command ?? "") : plainUrl(url)),
    isProgram: url === undefined,
    ...findLastOutcomes(series.filter(({ upstream }) => upstream === name)),
  };
}

/** Returns a URL without its query and credentials, which can be secrets. */
function plainUrl(text: string): string {
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname === "/" ? "" : pathname}`;
}

function ruleState({ match, targets, when = {} }: ModelRule): RuleState {
  const { requestClass, minTokens, hasImage, hasTools, header = {} } = when;
  const conditions = [
    requestClass === undefined ? "" : `request class ${requestClass}`,
    minTokens === undefined ? "" : `${minTokens} tokens or more`,
    hasImage === undefined ? "" : hasImage ? "with an image" : "without images",
    hasTools === undefined ? "" : hasTools ? "with tools" : "without tools",
    // Only the header's name is shown, because a pattern can contain a credential.
    ...Object.keys(header).map((name) => `header ${name}`),
  ];
  const models = new Set(targets.map(({ model }) => model));
  const [model] = models;
  const isShared = models.size === 1;
  return {
    match,
    upstreams: targets.map((target) =>
      isShared || !target.model ? target.upstream : `${target.upstream}/${target.model}`,
    ),
    model: isShared ? model : undefined,
    when: conditions.filter(Boolean),
  };
}

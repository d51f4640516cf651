import type { Usage } from "../exchange/response.ts";
import { sumUsages } from "../exchange/usage.ts";
import { computeCost, sumCosts } from "../usage/cost.ts";
import type { Call } from "./call.ts";
import type { TargetUsage } from "./separate-responses.ts";

/**
 * Records the usage of several upstream calls, some of which may have been served at targets other than the call's last
 * one.
 */
export function recordSeparate(call: Call, usages: readonly TargetUsage[]): void {
  call.usage = usages.find(({ upstream }) => upstream === call.upstream)?.usage;
  const elsewhere = usages.filter(({ upstream }) => upstream !== call.upstream);
  if (elsewhere.length > 0) call.elsewhere = [...(call.elsewhere ?? []), ...elsewhere];
}

/** Records the usage at the targets that a call leaves, and charges it to the limits of their upstreams. */
export function leaveUpstream(call: Call, usages: readonly TargetUsage[]): void {
  if (usages.length === 0) return;
  call.elsewhere = [...(call.elsewhere ?? []), ...usages];
  call.services.limiter.leaveUpstream(call, sumUsages(usages.map(({ usage }) => usage)));
}

/** The usage of a call, and its cost in US dollars; undefined if they are not known. */
export interface CallTotals {
  readonly usage: Usage | undefined;
  readonly cost: number | undefined;
}

/** Returns the usage and cost of a call at all targets. The cost is the sum of the costs that are known. */
export function totalOf({ usage, upstream, upstreamModel, elsewhere }: Call): CallTotals {
  const cost = computeCost(usage, upstream, upstreamModel);
  if (elsewhere === undefined) return { usage, cost };
  const usages = [...elsewhere.map((each) => each.usage), ...(usage === undefined ? [] : [usage])];
  const costs = [...elsewhere.map((each) => computeCost(each.usage, each.upstream, each.model)), cost];
  return { usage: sumUsages(usages), cost: sumCosts(costs.filter((each) => each !== undefined)) };
}

import { getUpstreamProfile } from "../../dialects/index.ts";
import { createLossList, type Loss } from "../../exchange/loss.ts";
import { memberCode } from "../../exchange/loss-codes.ts";
import type { UpstreamDialect } from "../../exchange/parts.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";

/** A request whose tools say nothing that the upstream's dialect has no member for, and what was left out. */
export function withoutForeignExtras(
  request: ExchangeRequest,
  target: UpstreamDialect,
): { readonly request: ExchangeRequest; readonly losses: readonly Loss[] } {
  const list = createLossList();
  const { toolMembers } = getUpstreamProfile(target);
  const tools = request.tools.map((tool) => {
    if (tool.type !== "function" || tool.extras === undefined) return tool;
    const extras = Object.entries(tool.extras).filter(([member]) => {
      const isKnown = toolMembers.includes(member);
      if (!isKnown) list.add(memberCode(member), `Tools have no ${member} in the ${target} dialect.`);
      return isKnown;
    });
    return { ...tool, extras: Object.fromEntries(extras) };
  });
  return { request: list.losses.length === 0 ? request : { ...request, tools }, losses: list.losses };
}

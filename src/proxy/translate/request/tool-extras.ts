import { createLossList, type Loss } from "../../exchange/loss.ts";
import { memberCode } from "../../exchange/loss-codes.ts";
import type { Dialect } from "../../exchange/parts.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";

/**
 * Members of a tool beyond name, description and schema that a dialect has; `namespace` every encoder flattens.
 * `defer_loading` is none of them: who finds such tools is a search at the client's own vendor, without which no other
 * model would ever see them.
 */
const known: Readonly<Record<Dialect, readonly string[]>> = {
  messages: ["cache_control", "input_examples", "eager_input_streaming", "allowed_callers", "namespace"],
  responses: ["namespace"],
  "chat-completions": ["namespace"],
  completions: ["namespace"],
  "generative-language": ["namespace"],
};

/** A request whose tools say nothing that the upstream's dialect has no member for, and what was left out. */
export function withoutForeignExtras(
  request: ExchangeRequest,
  target: Dialect,
): { readonly request: ExchangeRequest; readonly losses: readonly Loss[] } {
  const list = createLossList();
  const tools = request.tools.map((tool) => {
    if (tool.type !== "function" || tool.extras === undefined) return tool;
    const extras = Object.entries(tool.extras).filter(([member]) => {
      const isKnown = known[target].includes(member);
      if (!isKnown) list.add(memberCode(member), `Tools have no ${member} in the ${target} dialect.`);
      return isKnown;
    });
    return { ...tool, extras: Object.fromEntries(extras) };
  });
  return { request: list.losses.length === 0 ? request : { ...request, tools }, losses: list.losses };
}

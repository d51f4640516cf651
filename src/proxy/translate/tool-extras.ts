import { createLossList, type Loss } from "../exchange/loss.ts";
import { memberCode } from "../exchange/loss-codes.ts";
import type { Dialect } from "../exchange/parts.ts";
import type { ExchangeRequest } from "../exchange/request.ts";

/** Members of a tool beyond name, description and schema that a dialect has; `namespace` every encoder flattens. */
const known: Readonly<Record<Dialect, readonly string[]>> = {
  messages: [
    "cache_control",
    "defer_loading",
    "input_examples",
    "eager_input_streaming",
    "allowed_callers",
    "namespace",
  ],
  responses: ["defer_loading", "namespace"],
  "chat-completions": ["namespace"],
  completions: ["namespace"],
  "generative-language": ["namespace"],
};

/** What clients say of their tools and the upstream's dialect has no member for. */
export function lostToolExtras(request: ExchangeRequest, target: Dialect): readonly Loss[] {
  const list = createLossList();
  for (const tool of request.tools) {
    if (tool.type !== "function" || tool.extras === undefined) continue;
    for (const member of Object.keys(tool.extras)) {
      if (known[target].includes(member)) continue;
      list.add(memberCode(member), `Tools have no ${member} in the ${target} dialect.`);
    }
  }
  return list.losses;
}

import { getUpstreamProfile } from "../../dialects/index.ts";
import type { Converted, Loss } from "../../exchange/loss.ts";
import type { UpstreamDialect } from "../../exchange/parts.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";

const lost: Loss = {
  code: "system-position",
  detail: "The instructions are sent as the user's words, as nobody else says any.",
};

/**
 * A call may consist of instructions alone, which chat-completions vendors answer and the others refuse for want of a
 * turn. There the instructions become the one turn: a system message at a responses vendor, the user's words elsewhere.
 */
export function withTurn(request: ExchangeRequest, target: UpstreamDialect): Converted<ExchangeRequest> {
  const isAlone = request.turns.length === 0 && request.instructions.length > 0;
  const { loneInstructions } = getUpstreamProfile(target);
  if (!isAlone || loneInstructions === "instructions") return { value: request, losses: [] };
  const isSystem = loneInstructions === "system-turn";
  const turns = [{ role: isSystem ? "system" : "user", parts: request.instructions } as const];
  return { value: { ...request, instructions: [], turns }, losses: isSystem ? [] : [lost] };
}

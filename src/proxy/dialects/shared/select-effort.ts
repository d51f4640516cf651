import type { Capabilities } from "../../exchange/capabilities.ts";
import type { LossList } from "../../exchange/loss.ts";
import { clampEffort, type Effort, effortOf } from "../../exchange/reasoning-effort.ts";
import type { ReasoningRequest } from "../../exchange/request.ts";

/**
 * The effort to send where `known` are the ones a model takes; undefined where none was asked for or none can be said. One
 * that differs from what was asked is a loss, but for silence in place of none at models that do not think unasked.
 */
export function selectEffort(
  reasoning: ReasoningRequest,
  { efforts: known, thinksByDefault }: Pick<Capabilities, "efforts" | "thinksByDefault">,
  losses: LossList,
): Effort | undefined {
  const wanted = effortOf(reasoning);
  const effort = wanted === undefined ? undefined : clampEffort(wanted, known);
  if (effort !== wanted && (effort !== undefined || wanted !== "none" || thinksByDefault)) {
    losses.add("reasoning-effort", `The effort ${wanted} is sent as ${effort ?? "nothing"}.`);
  }
  return effort;
}

import type { Capabilities } from "../../exchange/capabilities.ts";
import type { LossList } from "../../exchange/loss.ts";
import { clampEffort, type Effort, resolveEffort } from "../../exchange/reasoning-effort.ts";
import type { ReasoningRequest } from "../../exchange/request.ts";

/**
 * Returns the effort to send to a model that accepts the efforts `known`; undefined if none was requested or none
 * fits. An effort that differs from the requested one is a loss, except `none` omitted for a model that does not
 * reason by default.
 */
export function selectEffort(
  reasoning: ReasoningRequest,
  { efforts: known, thinksByDefault }: Pick<Capabilities, "efforts" | "thinksByDefault">,
  losses: LossList,
): Effort | undefined {
  const wanted = resolveEffort(reasoning);
  const effort = wanted === undefined ? undefined : clampEffort(wanted, known);
  if (effort !== wanted && (effort !== undefined || wanted !== "none" || thinksByDefault)) {
    losses.add("reasoning-effort", `The effort ${wanted} is sent as ${effort ?? "nothing"}.`);
  }
  return effort;
}

import type { Capabilities } from "../../exchange/capabilities.ts";
import type { LossList } from "../../exchange/loss.ts";
import { clampEffort, type Effort, resolveEffort } from "../../exchange/reasoning-effort.ts";
import type { ReasoningRequest } from "../../exchange/request.ts";

/**
 * Returns the supported effort nearest to the requested effort or budget. Returns undefined if the model chooses, or if
 * no supported effort can replace the requested one. Adds a loss if the result differs from the requested effort,
 * unless the effort `none` is dropped for a model that does not reason by default.
 */
export function selectEffort(
  reasoning: ReasoningRequest,
  { efforts: known, thinksByDefault }: Pick<Capabilities, "efforts" | "thinksByDefault">,
  losses: LossList,
): Effort | undefined {
  const wanted = resolveEffort(reasoning);
  const effort = wanted === undefined ? undefined : clampEffort(wanted, known);
  if (effort !== wanted && (effort !== undefined || wanted !== "none" || thinksByDefault)) {
    losses.add(
      "reasoning-effort",
      effort === undefined
        ? `Reasoning effort ${wanted} dropped: the model does not support it.`
        : `Reasoning effort ${wanted} sent as ${effort}: the model does not support ${wanted}.`,
    );
  }
  return effort;
}

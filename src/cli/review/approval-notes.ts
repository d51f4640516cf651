import type { ApprovedInput } from "../../agents/hook.ts";
import { loadPlan } from "../../agents/load-plan.ts";
import { planIdOf } from "../../review/plan/plan-id.ts";
import { createRecordStore } from "../../review/storage/records.ts";
import type { Output } from "../output.ts";
import type { ReviewFlags } from "./program.ts";
import { workplaceOf } from "./workspace.ts";

/**
 * Prints what the person wrote when they approved this plan, for an agent whose approval has no words. Nothing where
 * they wrote nothing, or denied it on the page and then allowed it in the terminal. There is nothing to review here.
 */
export async function tellApproved(
  { plan, notes, caller, cwd }: ApprovedInput,
  flags: ReviewFlags,
  output: Output,
): Promise<undefined> {
  const { settings, dataDirectory, project } = await workplaceOf(flags, cwd);
  const loaded = await loadPlan(plan);
  if ("missing" in loaded) return;
  const planId = planIdOf(loaded.plan, { folder: project, origin: settings.origin ?? "origin_b", caller });
  const decision = (await createRecordStore(dataDirectory).lastOn(planId))?.decision;
  const words = decision?.kind === "approve" ? notes(decision) : undefined;
  if (words !== undefined) await output.result(words);
}

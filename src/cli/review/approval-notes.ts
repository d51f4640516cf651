import type { ApprovedInput } from "../../agents/hook.ts";
import { loadPlan } from "../../agents/load-plan.ts";
import { planIdOf } from "../../review/plan/plan-id.ts";
import { createRecordStore } from "../../review/storage/records.ts";
import type { Output } from "../output.ts";
import { resolveOptions } from "./options.ts";
import type { ReviewFlags } from "./program.ts";

/**
 * Prints what the person wrote when they approved this plan, for an agent whose approval carries no text. Prints
 * nothing if they wrote nothing, or denied the plan on the page and then allowed it in the terminal. No review is
 * opened.
 */
export async function printApprovalNotes(
  { plan, notes, caller, cwd }: ApprovedInput,
  flags: ReviewFlags,
  output: Output,
): Promise<undefined> {
  const { origin = "origin_b", dataDirectory, project } = await resolveOptions(flags, cwd);
  const loaded = await loadPlan(plan);
  if ("missing" in loaded) return;
  const planId = planIdOf(loaded.plan, { folder: project, origin, caller });
  const decision = (await createRecordStore(dataDirectory).lastOn(planId))?.decision;
  const text = decision?.kind === "approve" ? notes(decision) : undefined;
  if (text !== undefined) await output.result(text);
}

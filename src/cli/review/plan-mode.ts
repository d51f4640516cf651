import { join } from "node:path";
import type { LoadedPlan } from "../../agents/decode-input.ts";
import type { AgentOrigin } from "../../review/api-types.ts";
import type { ReviewMode } from "../../review/context.ts";
import type { AgentChannel } from "../../review/plan/agent-channel.ts";
import { createPlanMode } from "../../review/plan/mode.ts";
import { createPlanId } from "../../review/plan/plan-id.ts";
import type { PlanReview } from "../../review/plan/plan-review.ts";
import { planTitle } from "../../review/plan/plan-title.ts";
import { openHistory } from "../../review/storage/history.ts";
import type { ReviewOptions } from "./options.ts";

export interface PlanToReview {
  readonly loaded: LoadedPlan;
  readonly channel: AgentChannel;
  readonly options: ReviewOptions;
  readonly permissionMode: string | undefined;
  readonly origin: AgentOrigin;
  /** The arguments of the agent's tool call, without the plan. */
  readonly requested: Readonly<Record<string, unknown>> | undefined;
}

/** Creates the mode of a plan review. */
export function selectPlanMode(plan: PlanToReview): ReviewMode {
  return createPlanMode(createPlanReview(plan));
}

/** Returns the plan and the stores that its review uses. */
export function createPlanReview({
  loaded,
  channel,
  options,
  permissionMode,
  origin,
  requested,
}: PlanToReview): PlanReview {
  const { plan, file, missing } =
    "plan" in loaded ? { ...loaded, missing: undefined } : { ...loaded, plan: "", file: undefined };
  const title = planTitle(plan);
  const { dataDirectory, home, configHome, project } = options;
  const source = { folder: project, origin, caller: channel.callerName };
  return {
    plan,
    planId: createPlanId(plan, source),
    source,
    title,
    file,
    missing,
    permissionMode,
    requested,
    channel,
    history: openHistory({ dataDirectory, cwd: project, title, plan }).catch(() => undefined),
    plansFolder: join(dataDirectory, "plans"),
    vaultFolders: { home, configHome },
  };
}

import { join } from "node:path";
import type { LoadedPlan } from "../../agents/load-plan.ts";
import { writeDurably } from "../../files/durable-file.ts";
import type { AgentOrigin } from "../../review/api-types.ts";
import { planDecision } from "../../review/decision.ts";
import type { AgentChannel } from "../../review/plan/agent-channel.ts";
import { createPlanMode } from "../../review/plan/mode.ts";
import { namedImages } from "../../review/plan/named-images.ts";
import { planIdOf } from "../../review/plan/plan-id.ts";
import { planTitle } from "../../review/plan/plan-title.ts";
import { openHistory } from "../../review/storage/history.ts";
import type { ReviewSubject } from "./run.ts";
import type { Workplace } from "./workspace.ts";

export interface PlanToReview {
  readonly loaded: LoadedPlan;
  readonly channel: AgentChannel;
  readonly workplace: Workplace;
  readonly permissionMode: string | undefined;
  readonly origin: AgentOrigin;
  /** What the agent's tool call holds besides the plan. */
  readonly requested: Readonly<Record<string, unknown>> | undefined;
}

/** A plan as what is under review. */
export function planSubject(review: PlanToReview): ReviewSubject {
  const { loaded, channel, workplace, permissionMode, origin, requested } = review;
  const plan = "plan" in loaded ? loaded.plan : "";
  const title = planTitle(plan);
  const { dataDirectory, home, configHome, project } = workplace;
  const source = { folder: project, origin, caller: channel.callerName };
  return {
    mode: createPlanMode({
      plan,
      planId: planIdOf(plan, source),
      source,
      title,
      ...("missing" in loaded ? { missing: loaded.missing } : {}),
      ...(permissionMode === undefined ? {} : { permissionMode }),
      ...(requested === undefined ? {} : { requested }),
      channel,
      history: openHistory({ dataDirectory, cwd: project, title, plan }).catch(() => undefined),
      plansFolder: join(dataDirectory, "plans"),
      vaultPlaces: { home, ...(configHome === undefined ? {} : { configHome }) },
    }),
    namedImages: namedImages(plan),
    print: async (decision) => {
      const made = planDecision(decision);
      const text = channel.planFile?.(made, plan);
      if (text !== undefined && "file" in loaded && loaded.file !== undefined)
        await writeDurably(loaded.file, text);
      return channel.encode(made, plan);
    },
    isObjection: (decision) => decision.kind === "deny",
  };
}

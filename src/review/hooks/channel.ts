import type { Caller } from "../api-types.ts";
import type { PlanDecision } from "../decision.ts";

/** How one kind of agent takes its answer. One typed decision goes in, the agent's own form comes out. */
export interface ReplyChannel {
  /** For labels: "Claude Code", "the command line". */
  readonly callerName: string;
  readonly takes: Pick<
    Caller,
    "approvalNote" | "takesEditedPlan" | "takesPermissionMode" | "takesAgentSwitch"
  >;
  /** What stdout carries: the agent's decision and nothing else. */
  encode(decision: PlanDecision, plan: string): string;
  /** Of agents that go by the plan's file: what it is to hold after the decision; undefined leaves it as it is. */
  planFile?(decision: PlanDecision, plan: string): string | undefined;
}

/** Said to an agent whose person gave no reason. */
export const DEFAULT_DENIAL = "Plan rejected by user";

/** The plan an agent is handed back: edited where it was, the person's notes beneath it. */
export function planWithNotes(plan: string, { editedPlan, feedback }: PlanDecision): string {
  const text = editedPlan ?? plan;
  return feedback ? `${text.trimEnd()}\n\n---\n\n## Notes from the reviewer\n\n${feedback}\n` : text;
}

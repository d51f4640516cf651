import type { Caller } from "../api-types.ts";
import type { PlanDecision } from "../decision.ts";

/** How one kind of agent takes a decision. One typed decision goes in, the agent's own form comes out. */
export interface AgentChannel {
  /** For labels: "Claude Code", "the command line". */
  readonly callerName: string;
  readonly takes: Pick<
    Caller,
    "approvalNote" | "takesEditedPlan" | "takesPermissionMode" | "takesAgentSwitch"
  >;
  /** Whether the agent takes any exit code but 0 for a denial, however the review failed. */
  readonly failureDenies?: true | undefined;
  /** Seconds after which the agent no longer reads its hook's output and asks by itself, although the hook runs on. */
  readonly listensFor?: number | undefined;
  /** Returns what stdout carries: the agent's decision and nothing else. */
  encode(decision: PlanDecision, plan: string): string;
  /** For agents that go by the plan's file: returns its text after the decision; undefined leaves it as it is. */
  planFile?(decision: PlanDecision, plan: string): string | undefined;
}

/** The reason given to an agent whose person gave none. */
export const DEFAULT_DENIAL = "Plan rejected by user";

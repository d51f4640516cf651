import type { Caller } from "../api-types.ts";
import type { PlanDecision } from "../decision.ts";

/** The encoder of decisions for one kind of agent, and what that agent can receive. */
export interface AgentChannel {
  /** Display name: "Claude Code", "the command line". */
  readonly callerName: string;
  readonly takes: Pick<
    Caller,
    "approvalNote" | "takesEditedPlan" | "takesPermissionMode" | "takesAgentSwitch"
  >;
  /** Set if the agent treats any exit code but 0 as a denial, for example after a failure. */
  readonly failureDenies?: true | undefined;
  /** Seconds after which the agent stops reading its hook's output, although the hook still runs. */
  readonly listensFor?: number | undefined;
  /** Returns the text for stdout: the decision in the agent's format, without any other output. */
  encode(decision: PlanDecision, plan: string): string;
  /**
   * Returns the new text of the plan's file, for agents that read it after the decision; undefined leaves the file
   * unchanged.
   */
  planFile?(decision: PlanDecision, plan: string): string | undefined;
}

/** The reason that the agent receives if the person gave none. */
export const DEFAULT_DENIAL = "Plan rejected by user";

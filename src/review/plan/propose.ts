import { checkOffered } from "../agents.ts";
import type { AgentOrigin, AgentsResponse, ApproveBody, DenyBody } from "../api-types.ts";
import type { PlanDecision } from "../decision.ts";
import { type AgentChannel, DEFAULT_DENIAL } from "./agent-channel.ts";

/** A decision, and warnings about members that this agent cannot receive. */
export interface Proposed {
  readonly decision: PlanDecision;
  readonly warnings: readonly string[];
}

export interface ApprovalRules {
  readonly origin: AgentOrigin;
  readonly channel: AgentChannel;
  readonly plan: string;
  readonly agents: AgentsResponse["agents"];
}

/**
 * Returns the approval that a body requests. Members that this agent cannot receive are left out and named in a
 * warning. Throws `validation` for an agent that is not offered.
 */
export function proposeApproval(body: ApproveBody, rules: ApprovalRules): Proposed {
  const { takes, callerName } = rules.channel;
  const warnings: string[] = [];
  const kept = <Value>(member: string, value: Value | undefined, isTaken: boolean): Value | undefined => {
    if (value === undefined || isTaken) return value;
    warnings.push(`${member} was ignored: ${callerName} (${rules.origin}) cannot receive it`);
    return undefined;
  };
  const feedback = kept("feedback", textIn(body.feedback), takes.approvalNote !== "none");
  const agentSwitch = kept("agentSwitch", body.agentSwitch || undefined, takes.takesAgentSwitch);
  const permissionMode = kept("permissionMode", body.permissionMode, takes.takesPermissionMode);
  const changed = body.plan === rules.plan ? undefined : body.plan;
  const editedPlan = kept("plan", changed, takes.takesEditedPlan);
  const { annotations } = body;
  if (agentSwitch !== undefined) checkOffered(agentSwitch, rules.agents);
  const decision: PlanDecision = {
    kind: "approve",
    feedback,
    agentSwitch,
    permissionMode,
    editedPlan,
    annotations,
  };
  return { decision, warnings };
}

/** Returns the denial that a body requests, with a default reason if there is no feedback. */
export function proposeDenial({ feedback, annotations }: DenyBody): Proposed {
  const optional = annotations === undefined ? {} : { annotations };
  return {
    decision: { kind: "deny", feedback: textIn(feedback) ?? DEFAULT_DENIAL, ...optional },
    warnings: [],
  };
}

/** Returns the text unchanged, or undefined if it is only whitespace. */
function textIn(feedback: string | undefined): string | undefined {
  return feedback?.trim() ? feedback : undefined;
}

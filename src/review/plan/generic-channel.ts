import type { AgentOrigin } from "../api-types.ts";
import type { PlanDecision } from "../decision.ts";
import { type AgentChannel, DEFAULT_DENIAL } from "./agent-channel.ts";

/** Returns a channel that writes agent-neutral JSON, for envelopes and for Markdown with --json. */
export function jsonChannel(origin: AgentOrigin, callerName = getOriginName(origin)): AgentChannel {
  return {
    callerName,
    takes: getTakes(origin),
    encode: (decision) => JSON.stringify(decisionJson(decision)),
  };
}

/** Returns a channel that writes text an agent can act on, for plain Markdown. */
export function textChannel(origin: AgentOrigin): AgentChannel {
  return { callerName: "the command line", takes: getTakes(origin), encode: decisionText };
}

/** Returns a decision as JSON, without absent members. */
export function decisionJson({ kind, editedPlan, ...decision }: PlanDecision): object {
  return { decision: kind, ...decision, plan: editedPlan };
}

/** Returns a decision as text. */
export function decisionText({
  kind,
  feedback,
  editedPlan,
  agentSwitch,
  permissionMode,
}: PlanDecision): string {
  if (kind === "deny")
    return feedback === undefined || feedback === DEFAULT_DENIAL
      ? DEFAULT_DENIAL
      : `Plan not approved.\n\n${feedback}`;
  const parts = ["Plan approved."];
  if (agentSwitch) parts.push(`Continue as the agent "${agentSwitch}".`);
  if (permissionMode) parts.push(`Continue in the permission mode "${permissionMode}".`);
  if (feedback) parts.push(`Notes from the reviewer:\n\n${feedback}`);
  if (editedPlan !== undefined)
    parts.push(`The reviewer changed the plan. This is the one to carry out:\n\n${editedPlan}`);
  return parts.join("\n\n");
}

/**
 * Returns what an agent accepts: the specification defines feedback and agent switches for `origin_b`, and permission
 * modes for `origin_a`.
 */
function getTakes(origin: AgentOrigin): AgentChannel["takes"] {
  return {
    approvalNote: origin === "origin_b" ? "feedback" : "none",
    takesEditedPlan: true,
    takesPermissionMode: origin === "origin_a",
    takesAgentSwitch: origin === "origin_b",
  };
}

/** Returns the display name of the agent with this origin. */
export function getOriginName(origin: AgentOrigin): string {
  return origin === "origin_a" ? "Claude Code" : "OpenCode";
}

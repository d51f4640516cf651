import type { PlanDecision } from "../../review/decision.ts";
import { type AgentChannel, DEFAULT_DENIAL } from "../../review/plan/agent-channel.ts";
import { type AgentHook, planInEvent } from "../hook.ts";
import { planWithNotes } from "../hook-output.ts";

/** Events before the tool runs; undefined stands for an event without a name. */
const EVENTS = new Set([undefined, "PermissionRequest", "PreToolUse"]);

export const claudeCodeHook: AgentHook = {
  decode(event) {
    const { hook_event_name: name, tool_name: tool, tool_input: toolInput = {}, toolName } = event;
    const hasPlan = tool === undefined && toolName === undefined && typeof toolInput["plan"] === "string";
    if (!(tool === "ExitPlanMode" || hasPlan) || !EVENTS.has(name)) return undefined;
    const { plan: _plan, ...requested } = toolInput;
    return {
      kind: "hook",
      channel: name === "PreToolUse" ? claudePreToolUse(toolInput) : claudePermissionRequest(toolInput),
      origin: "origin_a",
      plan: planInEvent(event),
      agentSession: event.session_id,
      requested: Object.keys(requested).length === 0 ? undefined : requested,
      permissionMode: event.permission_mode,
      cwd: event.cwd,
    };
  },
};

export type ToolInput = Readonly<Record<string, unknown>>;

const TAKES = {
  approvalNote: "plan",
  takesEditedPlan: true,
  takesPermissionMode: true,
  takesAgentSwitch: false,
} as const;

/**
 * Encodes decisions for Claude Code's `PermissionRequest` hook on ExitPlanMode. An allow carries
 * `updatedInput`, because newer versions ignore an allow without it; the input is unchanged unless the person
 * edited the plan or added comments. The permission mode is set only if the person chose one: the event's own
 * mode is `plan`, and setting it again would undo the approval.
 * https://docs.anthropic.com/en/docs/claude-code/hooks
 */
export function claudePermissionRequest(toolInput: ToolInput): AgentChannel {
  return {
    callerName: "Claude Code",
    takes: TAKES,
    encode: (decision, plan) =>
      JSON.stringify({
        hookSpecificOutput: {
          hookEventName: "PermissionRequest",
          decision:
            decision.kind === "approve"
              ? {
                  behavior: "allow",
                  updatedInput: inputAfter(toolInput, decision, plan),
                  ...toPermissionUpdate(decision),
                }
              : { behavior: "deny", message: decision.feedback ?? DEFAULT_DENIAL },
        },
      }),
  };
}

/** Encodes decisions for a `PreToolUse` hook on ExitPlanMode, which cannot set the permission mode. */
export function claudePreToolUse(toolInput: ToolInput): AgentChannel {
  return {
    callerName: "Claude Code",
    takes: { ...TAKES, takesPermissionMode: false },
    encode: (decision, plan) =>
      JSON.stringify({
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          ...(decision.kind === "approve"
            ? { permissionDecision: "allow", updatedInput: inputAfter(toolInput, decision, plan) }
            : { permissionDecision: "deny", permissionDecisionReason: decision.feedback ?? DEFAULT_DENIAL }),
        },
      }),
  };
}

function inputAfter(toolInput: ToolInput, decision: PlanDecision, plan: string): ToolInput {
  const changed = decision.editedPlan !== undefined || Boolean(decision.feedback);
  return changed ? { ...toolInput, plan: planWithNotes(plan, decision) } : toolInput;
}

function toPermissionUpdate({ permissionMode }: PlanDecision): object {
  if (permissionMode === undefined) return {};
  return { updatedPermissions: [{ type: "setMode", mode: permissionMode, destination: "session" }] };
}

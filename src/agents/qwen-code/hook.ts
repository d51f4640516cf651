import { type AgentChannel, DEFAULT_DENIAL } from "../../review/plan/agent-channel.ts";
import { type AgentHook, type NotesEncoder, planInEvent } from "../hook.ts";
import { approvalText, asciiJson, fittingOutput } from "../hook-output.ts";

/** Qwen Code sends Claude Code's events with Gemini CLI's tool name. */
export const qwenCodeHook: AgentHook = {
  decode(event) {
    const { hook_event_name: name, tool_name: tool, toolName, session_id: agentSession, cwd } = event;
    if (tool !== "exit_plan_mode" || toolName !== undefined) return undefined;
    const plan = planInEvent(event);
    if (name === "PostToolUse")
      return {
        kind: "approved",
        plan,
        notes: qwenNotes,
        caller: qwenPermissionRequest.callerName,
        agentSession,
        cwd,
      };
    if (name !== "PermissionRequest") return undefined;
    return { kind: "hook", channel: qwenPermissionRequest, plan, agentSession, cwd };
  },
};

const LIMIT = { agent: "Qwen Code", bytes: 1024 * 1024 } as const;

/**
 * Encodes decisions for Qwen Code's `PermissionRequest` hook on exit_plan_mode (its docs/features/hooks.md; tested
 * with 0.15.10 and 0.24.4). Its approval carries neither text nor a plan: `qwenNotes` sends feedback and an edited
 * plan once the tool has run.
 */
export const qwenPermissionRequest: AgentChannel = {
  callerName: "Qwen Code",
  // Its scheduler requests the decision over its own message bus, whose requests time out after 60 s regardless of
  // the hook's timeout.
  listensFor: 60,
  takes: {
    approvalNote: "feedback",
    takesEditedPlan: true,
    takesPermissionMode: false,
    takesAgentSwitch: false,
  },
  encode: (decision) =>
    decision.kind === "approve"
      ? permission({ behavior: "allow" })
      : fittingOutput(decision.feedback ?? DEFAULT_DENIAL, decision, LIMIT, (message) =>
          permission({ behavior: "deny", message }),
        ),
};

/**
 * Encodes the text of an approval for `PostToolUse` on exit_plan_mode, which Qwen Code appends to the tool's own
 * "approved".
 */
export const qwenNotes: NotesEncoder = (decision) => {
  const text = approvalText(decision);
  if (text === undefined) return undefined;
  return fittingOutput(text, decision, LIMIT, (additionalContext) =>
    asciiJson({ hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext } }),
  );
};

function permission(decision: object): string {
  return asciiJson({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } });
}

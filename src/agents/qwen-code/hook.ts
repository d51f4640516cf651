import { type AgentChannel, DEFAULT_DENIAL } from "../../review/plan/agent-channel.ts";
import { type AgentHook, type NotesEncoder, planInEvent } from "../hook.ts";
import { approvalText, asciiJson, fittingOutput } from "../hook-output.ts";

/** Its events are Claude Code's, under the name that the tool has in Gemini CLI. */
export const qwenCodeHook: AgentHook = {
  decode(event) {
    const { hook_event_name: name, tool_name: tool, toolName, session_id: agentSession, cwd } = event;
    if (tool !== "exit_plan_mode" || toolName !== undefined) return undefined;
    const plan = planInEvent(event);
    if (name === "PostToolUse")
      return { kind: "approved", plan, notes: qwenNotes, caller: qwenPermissionRequest.callerName, cwd };
    if (name !== "PermissionRequest") return undefined;
    return { kind: "hook", channel: qwenPermissionRequest, plan, agentSession, cwd };
  },
};

const LIMIT = { agent: "Qwen Code", bytes: 1024 * 1024 } as const;

/**
 * Qwen Code's `PermissionRequest` for exit_plan_mode (its docs/features/hooks.md; as 0.15.10 and 0.24.4 obey it). Its
 * approval has no words and takes no plan: notes and an edited plan follow with `qwenNotes`, once the tool has run.
 */
export const qwenPermissionRequest: AgentChannel = {
  callerName: "Qwen Code",
  // Its scheduler asks its own message bus for the answer, whose requests end after 60 s whatever the hook's timeout is.
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

/** What the model is told behind the tool's own "approved": `PostToolUse` on exit_plan_mode. */
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

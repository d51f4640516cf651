import { basename, join } from "node:path";
import { type AgentChannel, DEFAULT_DENIAL } from "../../review/plan/agent-channel.ts";
import type { AgentFolders, AgentHook, HookEvent, PlanLocation } from "../hook.ts";
import { asciiJson, planWithNotes } from "../hook-output.ts";

export const geminiCliHook: AgentHook = {
  decode(event, folders) {
    if (event.hook_event_name !== "BeforeTool" || event.tool_name !== "exit_plan_mode") return undefined;
    const { session_id: agentSession, transcript_path: path, cwd } = event;
    const plan = planFileIn(event, folders);
    const transcript = path === undefined ? undefined : { path, endsTurn };
    return { kind: "hook", channel: geminiBeforeTool, plan, agentSession, transcript, cwd };
  },
};

/**
 * Reports whether an entry ends the turn. After Escape, Gemini CLI 0.61.0 appends an entry of the type
 * `info`, "Request cancelled.", and leaves its hook running.
 */
function endsTurn({ type, content }: Readonly<Record<string, unknown>>): boolean {
  return type === "info" && typeof content === "string" && /cancell?ed/i.test(content);
}

function planFileIn({ tool_input: input }: HookEvent, { environment }: AgentFolders): PlanLocation {
  const filename = input?.["plan_filename"] ?? input?.["plan_path"];
  if (typeof filename !== "string") return { in: "nowhere" };
  const folder = environment["GEMINI_PLANS_DIR"]?.trim();
  if (!folder) return { in: "nowhere", reason: "GEMINI_PLANS_DIR is not set." };
  // The model chose the name, so `basename` prevents path traversal.
  return { in: "file", path: join(folder, basename(filename)), isReadAgain: true };
}

/**
 * Encodes decisions for Gemini CLI's `BeforeTool` hook on exit_plan_mode. A denial keeps Gemini CLI in plan
 * mode and gives it the reason. An approval carries no text, but the agent is then instructed to read the
 * plan's file and follow it, so comments are written there.
 */
export const geminiBeforeTool: AgentChannel = {
  callerName: "Gemini CLI",
  takes: {
    approvalNote: "plan",
    takesEditedPlan: true,
    takesPermissionMode: false,
    takesAgentSwitch: false,
  },
  encode: ({ kind, feedback }) =>
    asciiJson(
      kind === "approve" ? { decision: "allow" } : { decision: "deny", reason: feedback ?? DEFAULT_DENIAL },
    ),
  planFile(decision, plan) {
    const isChanged = decision.editedPlan !== undefined || Boolean(decision.feedback);
    return decision.kind === "approve" && isChanged ? planWithNotes(plan, decision) : undefined;
  },
};

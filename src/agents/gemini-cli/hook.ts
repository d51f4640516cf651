import { DEFAULT_DENIAL, planWithNotes, type ReplyChannel } from "../../review/plan/reply-channel.ts";
import { asciiJson } from "../hook-output/ascii-json.ts";

/**
 * Gemini CLI's `BeforeTool` hook on exit_plan_mode; a denial keeps it in plan mode with the reason. An approval has
 * no words of its own, but the agent is told to read the plan's file and to follow it: notes go in there.
 */
export const geminiBeforeTool: ReplyChannel = {
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

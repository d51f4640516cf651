import { DEFAULT_DENIAL, type ReplyChannel } from "./channel.ts";

/** Gemini CLI's `BeforeTool` hook on exit_plan_mode; a denial keeps it in plan mode with the reason. */
export const geminiBeforeTool: ReplyChannel = {
  callerName: "Gemini CLI",
  takes: {
    approvalNote: "none",
    takesEditedPlan: false,
    takesPermissionMode: false,
    takesAgentSwitch: false,
  },
  encode: ({ kind, feedback }) =>
    JSON.stringify(
      kind === "approve" ? { decision: "allow" } : { decision: "deny", reason: feedback ?? DEFAULT_DENIAL },
    ),
};

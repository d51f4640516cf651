import { DEFAULT_DENIAL, type ReplyChannel } from "./channel.ts";

/** Copilot CLI's `preToolUse` hook on exit_plan_mode; after an allow it still shows its own menu. */
export const copilotPreToolUse: ReplyChannel = {
  callerName: "Copilot CLI",
  takes: {
    approvalNote: "none",
    takesEditedPlan: false,
    takesPermissionMode: false,
    takesAgentSwitch: false,
  },
  encode: ({ kind, feedback }) =>
    JSON.stringify(
      kind === "approve"
        ? { permissionDecision: "allow" }
        : { permissionDecision: "deny", permissionDecisionReason: feedback ?? DEFAULT_DENIAL },
    ),
};

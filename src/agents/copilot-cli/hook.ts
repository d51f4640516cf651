import {
  DEFAULT_DENIAL,
  type NotesEncoder,
  type ReplyChannel,
  wordsOfApproval,
} from "../../review/plan/reply-channel.ts";
import { fittingReply } from "../hook-output/fitting-reply.ts";

/** Found by trying: 252,000 bytes arrive, 630,000 are passed over as if the hook had said nothing. */
const LIMIT = { agent: "Copilot CLI", bytes: 250_000 } as const;

/**
 * Copilot CLI's `preToolUse` hook on exit_plan_mode, as 1.0.102 obeys it. After an allow it still shows its own menu;
 * notes and an edited plan follow with `copilotNotes`, once the person has accepted there too.
 */
export const copilotPreToolUse: ReplyChannel = {
  callerName: "Copilot CLI",
  takes: {
    approvalNote: "feedback",
    takesEditedPlan: true,
    takesPermissionMode: false,
    takesAgentSwitch: false,
  },
  failureRefuses: true,
  encode: (decision) =>
    decision.kind === "approve"
      ? JSON.stringify({ permissionDecision: "allow" })
      : fittingReply(decision.feedback ?? DEFAULT_DENIAL, decision, LIMIT, (permissionDecisionReason) =>
          JSON.stringify({ permissionDecision: "deny", permissionDecisionReason }),
        ),
};

/** `postToolUse` on exit_plan_mode. */
export const copilotNotes: NotesEncoder = (decision) => {
  const words = wordsOfApproval(decision);
  if (words === undefined) return undefined;
  return fittingReply(words, decision, LIMIT, (additionalContext) => JSON.stringify({ additionalContext }));
};

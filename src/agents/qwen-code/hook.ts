import {
  DEFAULT_DENIAL,
  type NotesEncoder,
  type ReplyChannel,
  wordsOfApproval,
} from "../../review/plan/reply-channel.ts";
import { asciiJson } from "../hook-output/ascii-json.ts";
import { fittingReply } from "../hook-output/fitting-reply.ts";

const LIMIT = { agent: "Qwen Code", bytes: 1024 * 1024 } as const;

/**
 * Qwen Code's `PermissionRequest` for exit_plan_mode (its docs/features/hooks.md; as 0.15.10 and 0.24.4 obey it). Its
 * approval has no words and takes no plan: notes and an edited plan follow with `qwenNotes`, once the tool has run.
 */
export const qwenPermissionRequest: ReplyChannel = {
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
      : fittingReply(decision.feedback ?? DEFAULT_DENIAL, decision, LIMIT, (message) =>
          permission({ behavior: "deny", message }),
        ),
};

/** What the model is told behind the tool's own "approved": `PostToolUse` on exit_plan_mode. */
export const qwenNotes: NotesEncoder = (decision) => {
  const words = wordsOfApproval(decision);
  if (words === undefined) return undefined;
  return fittingReply(words, decision, LIMIT, (additionalContext) =>
    asciiJson({ hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext } }),
  );
};

function permission(decision: object): string {
  return asciiJson({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } });
}

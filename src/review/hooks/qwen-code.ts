import type { PlanDecision } from "../decision.ts";
import { asciiJson } from "./ascii-json.ts";
import { DEFAULT_DENIAL, type ReplyChannel } from "./channel.ts";

/** Qwen Code reads so much of what a hook prints, in bytes; a reply that was cut off would be no JSON, and a refusal. */
const LONGEST_REPLY = 1024 * 1024;

/**
 * Qwen Code's `PermissionRequest` for exit_plan_mode (its docs/features/hooks.md; as 0.15.10 and 0.24.4 obey it). Its
 * approval has no words and takes no plan: notes and an edited plan follow with `qwenNotes`, once the tool has run.
 */
export const qwenPermissionRequest: ReplyChannel = {
  callerName: "Qwen Code",
  takes: {
    approvalNote: "feedback",
    takesEditedPlan: true,
    takesPermissionMode: false,
    takesAgentSwitch: false,
  },
  encode: (decision) =>
    decision.kind === "approve"
      ? permission({ behavior: "allow" })
      : withinLimit(decision.feedback ?? DEFAULT_DENIAL, decision, (message) =>
          permission({ behavior: "deny", message }),
        ),
};

/**
 * What the model is told behind the tool's own "approved" (`PostToolUse` on exit_plan_mode); undefined where the
 * approval came without words.
 */
export function qwenNotes(decision: PlanDecision): string | undefined {
  const { feedback, editedPlan } = decision;
  const parts = [
    ...(feedback ? [`The person added these notes, which belong to the task:\n\n${feedback}`] : []),
    ...(editedPlan === undefined
      ? []
      : [`The person edited the plan. Carry out this version:\n\n${editedPlan}`]),
  ];
  if (parts.length === 0) return undefined;
  return withinLimit(parts.join("\n\n"), decision, (additionalContext) =>
    asciiJson({ hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext } }),
  );
}

function permission(decision: object): string {
  return asciiJson({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } });
}

/** The reply with as many of the words as fit, and where the model finds all of them. */
function withinLimit(words: string, { savedPath }: PlanDecision, encode: (words: string) => string): string {
  const whole = encode(words);
  if (whole.length <= LONGEST_REPLY) return whole;
  const place = savedPath === undefined ? "`sallyport review last` prints it" : `it is in ${savedPath}`;
  const rest = `\n\n[Too long for Qwen Code: the end is missing here; ${place}.]`;
  for (let length = words.length; ; length = Math.floor(length * 0.9)) {
    const reply = encode(words.slice(0, length) + rest);
    if (reply.length <= LONGEST_REPLY) return reply;
  }
}

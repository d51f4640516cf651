import type { Caller } from "../api-types.ts";
import type { PlanDecision } from "../decision.ts";

/** How one kind of agent takes its answer. One typed decision goes in, the agent's own form comes out. */
export interface ReplyChannel {
  /** For labels: "Claude Code", "the command line". */
  readonly callerName: string;
  readonly takes: Pick<
    Caller,
    "approvalNote" | "takesEditedPlan" | "takesPermissionMode" | "takesAgentSwitch"
  >;
  /** Whether the agent takes any exit code but 0 for a refusal, however the review failed. */
  readonly failureRefuses?: true;
  /** Seconds after which the agent no longer reads its hook's answer and asks by itself, although the hook runs on. */
  readonly listensFor?: number;
  /** What stdout carries: the agent's decision and nothing else. */
  encode(decision: PlanDecision, plan: string): string;
  /** Of agents that go by the plan's file: what it is to hold after the decision; undefined leaves it as it is. */
  planFile?(decision: PlanDecision, plan: string): string | undefined;
}

/** Said to an agent whose person gave no reason. */
export const DEFAULT_DENIAL = "Plan rejected by user";

/** The plan an agent is handed back: edited where it was, the person's notes beneath it. */
export function planWithNotes(plan: string, { editedPlan, feedback }: PlanDecision): string {
  const text = editedPlan ?? plan;
  if (!feedback) return text;
  return `${text.trimEnd()}\n\n---\n\n## Notes from the reviewer\n\n${asSection(feedback)}\n`;
}

/** Returns feedback as part of a section of level 2: without its own title, its headings one level lower. */
function asSection(feedback: string): string {
  let fence: string | undefined;
  const lines = feedback.split("\n").map((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && fence === undefined) fence = mark;
    else if (fence !== undefined && line.trim().startsWith(fence) && line.trim() === mark) fence = undefined;
    return fence === undefined && /^#{1,5} /.test(line) ? `#${line}` : line;
  });
  const [first = "", ...rest] = lines;
  return first.startsWith("## ") && feedback.startsWith("# ")
    ? rest.join("\n").trim()
    : lines.join("\n").trim();
}

/** What an agent without words for an approval is told once its tool has run; undefined where there is nothing to tell. */
export type NotesEncoder = (decision: PlanDecision) => string | undefined;

/** The words of an approval that belong to the task; undefined where it came without any. */
export function wordsOfApproval({ feedback, editedPlan }: PlanDecision): string | undefined {
  const parts = [
    ...(feedback ? [`The person added these notes, which belong to the task:\n\n${feedback}`] : []),
    ...(editedPlan === undefined
      ? []
      : [`The person edited the plan. Carry out this version:\n\n${editedPlan}`]),
  ];
  return parts.length === 0 ? undefined : parts.join("\n\n");
}

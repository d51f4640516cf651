import type { CodeAnnotation, PermissionMode, PlanAnnotation } from "./api-types.ts";

/** What a person decided about a plan; every member the agent cannot be told has been left out already. */
export interface PlanDecision {
  readonly kind: "approve" | "deny";
  /** On a denial always there; on an approval a note. */
  readonly feedback?: string;
  readonly agentSwitch?: string;
  readonly permissionMode?: PermissionMode;
  /** The plan as the person changed it, where the agent takes one back. */
  readonly editedPlan?: string;
  readonly annotations?: readonly PlanAnnotation[];
  readonly savedPath?: string;
}

/** What a person said about a diff. */
export interface CodeDecision {
  readonly kind: "feedback";
  readonly feedback?: string;
  readonly annotations: readonly CodeAnnotation[];
  readonly agentSwitch?: string;
  /** Nothing has to change, said in so many words. */
  readonly approved?: true;
  /** All of it as Markdown that quotes the code meant, as the diff was when the person sent it. */
  readonly text: string;
}

export type Decision = PlanDecision | CodeDecision;

/** Who sent a decision: a page of this server, which holds its token, or some program that called its port. */
export type DecisionSource = "page" | "program";

/** Throws for feedback on a diff, which the review of a plan cannot have ended with. */
export function planDecision(decision: Decision): PlanDecision {
  if (decision.kind === "feedback") throw new Error("a plan review cannot end with feedback on a diff");
  return decision;
}

/** Throws for a decision about a plan, which the review of a diff cannot have ended with. */
export function codeDecision(decision: Decision): CodeDecision {
  if (decision.kind !== "feedback") throw new Error("a code review cannot end with a decision about a plan");
  return decision;
}

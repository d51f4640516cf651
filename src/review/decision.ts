import type { CodeAnnotation, PermissionMode, PlanAnnotation } from "./api-types.ts";

/** A decision about a plan, without members that the agent cannot receive. */
export interface PlanDecision {
  readonly kind: "approve" | "deny";
  /** Always present in a denial; optional in an approval. */
  readonly feedback?: string;
  readonly agentSwitch?: string;
  readonly permissionMode?: PermissionMode;
  /** The plan as the person edited it, if the agent accepts an edited plan. */
  readonly editedPlan?: string;
  readonly annotations?: readonly PlanAnnotation[];
  readonly savedPath?: string;
}

/** Feedback on a diff. */
export interface CodeDecision {
  readonly kind: "feedback";
  readonly feedback?: string;
  readonly annotations: readonly CodeAnnotation[];
  readonly agentSwitch?: string;
  /** Set if the person stated that no changes are needed. */
  readonly approved?: true;
  /** The feedback as Markdown, with quoted code from the diff at the time it was sent. */
  readonly text: string;
}

export type Decision = PlanDecision | CodeDecision;

/** Source of a decision: a page, which has this server's page token, or a program that called this server's port. */
export type DecisionSource = "page" | "program";

/** Narrows a decision to one about a plan. Throws for feedback on a diff, which indicates a programming error. */
export function planDecision(decision: Decision): PlanDecision {
  if (decision.kind === "feedback") throw new Error("a plan review cannot end with feedback on a diff");
  return decision;
}

/** Narrows a decision to feedback on a diff. Throws for one about a plan, which indicates a programming error. */
export function codeDecision(decision: Decision): CodeDecision {
  if (decision.kind !== "feedback") throw new Error("a code review cannot end with a decision about a plan");
  return decision;
}

/** Returns the final event that a decision has in a live review, and its text for the agent. */
export function toFinalEvent(decision: Decision): { event: "approved" | "ended"; feedback: string } {
  if (decision.kind === "feedback") {
    const isPlain = decision.annotations.length === 0;
    const feedback = isPlain ? (decision.feedback ?? "") : decision.text;
    return { event: decision.approved ? "approved" : "ended", feedback };
  }
  return { event: decision.kind === "approve" ? "approved" : "ended", feedback: decision.feedback ?? "" };
}

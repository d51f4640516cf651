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

import { create } from "zustand";
import type { MarkdownDocument } from "../../../src/render/markdown/model.ts";
import { parseMarkdown } from "../../../src/render/markdown/parse/parse-markdown.ts";
import type {
  AttachedImage,
  CallerDoubt,
  DecisionAnswer,
  PlanAnchor,
  PlanAnnotation,
  PlanState,
  Round,
} from "../../../src/review/api-types.ts";
import type { DraftStatus } from "../../shared/drafts/autosave.ts";
import type { AnnotationType } from "../model/annotations.ts";

/** An annotation that is being written. */
export interface Composer {
  /** Id of the existing annotation that is edited. */
  readonly editing?: string;
  readonly type: AnnotationType;
  /** Absent for a general comment. */
  readonly anchor?: PlanAnchor;
  readonly text: string;
  readonly replacement: string;
  readonly images: readonly AttachedImage[];
  /** The text was begun by typing on a selection: its first letter may yet be a command. */
  readonly isTyped?: boolean;
}

/** Draft restored from an earlier review of the same plan. */
export interface RestoredDraft {
  /** ISO 8601 */
  readonly savedAt: string;
  readonly annotationIds: readonly string[];
  readonly hasEdit: boolean;
}

export type View = "plan" | "source" | "changes" | "edit";
export type DialogName = "approve" | "request-changes" | "save" | "shortcuts" | "share" | "import";

/** How the review ended. */
export type Outcome =
  | {
      readonly kind: "approved" | "denied";
      /** Feedback sent with the decision. */
      readonly feedback: string;
      readonly response: DecisionAnswer;
      readonly permissionMode?: string;
      readonly agentSwitch?: string;
    }
  /** Decided by another tab, or by a program that called this server. */
  | { readonly kind: "elsewhere"; readonly byProgram?: boolean }
  | { readonly kind: "caller-gone" | "timeout" | "stopped" };

export type Phase = "loading" | "failed" | "missing" | "review" | "done";

export interface ReviewState {
  readonly phase: Phase;
  /** Why loading failed. */
  readonly failure: string;
  readonly plan: PlanState | undefined;
  /** The plan as shown, with the person's edits. */
  readonly document: MarkdownDocument;
  /** The plan's text while it is being typed: it becomes the document when the editor is left. */
  readonly typed: string | undefined;
  readonly annotations: readonly PlanAnnotation[];
  readonly composer: Composer | undefined;
  readonly activeId: string | undefined;
  /** The block that keys act on. */
  readonly cursor: number | undefined;
  /** Of the changes: the removed text that keys act on. */
  readonly removedCursor: number | undefined;
  readonly view: View;
  /** The line of the plan that was at the top of the window when the view was chosen; 1 is the top of the page. */
  readonly readingLine: number;
  readonly changesAs: "rendered" | "raw";
  /** What the changes view compares with: a round, or the plan as the agent sent it. */
  readonly changesSince: number | "sent" | undefined;
  readonly dialog: DialogName | undefined;
  /** What quick labels are offered for. */
  readonly labelTarget: PlanAnchor | undefined;
  readonly isSidebarOpen: boolean;
  readonly draft: DraftStatus;
  /** What an earlier review left of this plan, until the person has seen it; undefined where it left nothing. */
  readonly restored: RestoredDraft | undefined;
  /** The file that holds a draft which could not be read. */
  readonly damagedDraft: string | undefined;
  readonly connected: boolean;
  /** Why the agent may not read the decision. */
  readonly doubt: CallerDoubt | undefined;
  /** Another plan has come under review at this address since the page was loaded. */
  readonly isReplaced: boolean;
  /** Of a shared file: the name that its reader's annotations carry. */
  readonly author: string;
  readonly rounds: readonly Round[];
  /** Precedes everything else in the feedback. */
  readonly note: string;
  /** The feedback as edited by the person. */
  readonly rewritten: string | undefined;
  /** True while a decision is being sent. */
  readonly deciding: boolean;
  readonly outcome: Outcome | undefined;
}

/** State of the plan page. */
export const useReview = create<ReviewState>(() => ({
  phase: "loading",
  failure: "",
  plan: undefined,
  document: parseMarkdown(""),
  typed: undefined,
  annotations: [],
  composer: undefined,
  activeId: undefined,
  cursor: undefined,
  removedCursor: undefined,
  readingLine: 1,
  changesAs: "rendered",
  changesSince: undefined,
  view: "plan",
  dialog: undefined,
  labelTarget: undefined,
  isSidebarOpen: false,
  draft: { state: "idle" },
  restored: undefined,
  damagedDraft: undefined,
  connected: true,
  doubt: undefined,
  isReplaced: false,
  author: "",
  rounds: [],
  note: "",
  rewritten: undefined,
  deciding: false,
  outcome: undefined,
}));

/** The plan's text with all that was typed into it. */
export function sourceOf({ typed, document }: ReviewState): string {
  return typed ?? document.source;
}

/** The plan with the person's changes, or undefined where there are none. */
export function editedPlan(state: ReviewState): string | undefined {
  const source = sourceOf(state);
  return state.plan && source !== state.plan.plan ? source : undefined;
}

import { create } from "zustand";
import type { MarkdownDocument } from "../../../src/render/markdown/model.ts";
import { parseMarkdown } from "../../../src/render/markdown/parse/parse-markdown.ts";
import type {
  AttachedImage,
  CallerDoubt,
  DecisionResponse,
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
  /** Whether the text was started by typing outside of a field, so that its first character may be a command. */
  readonly isTyped?: boolean;
}

/** Draft restored from an earlier review of the same plan. */
export interface RestoredDraft {
  /** ISO 8601; empty if unknown. */
  readonly savedAt: string;
  readonly annotationIds: readonly string[];
  readonly hasEdit: boolean;
}

export type View = "plan" | "source" | "changes" | "edit";
export type DialogName =
  | "approve"
  | "request-changes"
  | "save"
  | "shortcuts"
  | "palette"
  | "share"
  | "import";

/** The result of the review. */
export type Outcome =
  | {
      readonly kind: "approved" | "denied";
      /** Feedback sent with the decision. */
      readonly feedback: string;
      readonly response: DecisionResponse;
      readonly permissionMode?: string;
      readonly agentSwitch?: string;
    }
  /** A live review was ended without approval. */
  | { readonly kind: "finished"; readonly feedback: string; readonly doubt: CallerDoubt | undefined }
  /** Another tab, or a program that called this server, made the decision. */
  | { readonly kind: "elsewhere"; readonly byProgram?: boolean }
  | { readonly kind: "caller-gone" | "timeout" | "stopped" | "ended" | "idle" };

export type Phase = "loading" | "failed" | "missing" | "review" | "done";

export interface ReviewState {
  readonly phase: Phase;
  /** The reason why loading failed. */
  readonly failure: string;
  readonly plan: PlanState | undefined;
  /** The plan as shown, with the person's edits. */
  readonly document: MarkdownDocument;
  /** The plan's text while it is edited. It is parsed as `document` when the view changes or a dialog opens. */
  readonly typed: string | undefined;
  readonly annotations: readonly PlanAnnotation[];
  readonly composer: Composer | undefined;
  readonly activeId: string | undefined;
  /** The block on which keys act. */
  readonly cursor: number | undefined;
  /** The removed text in the changes view on which keys act. */
  readonly removedCursor: number | undefined;
  readonly view: View;
  /** The line of the plan that was at the top of the window when the view was chosen; 1 is the top of the page. */
  readonly readingLine: number;
  readonly changesAs: "rendered" | "raw";
  /** The version that the changes view compares with: a round, or the plan as the agent sent it. */
  readonly changesSince: number | "sent" | undefined;
  readonly dialog: DialogName | undefined;
  /** The anchor of the open quick labels. */
  readonly labelTarget: PlanAnchor | undefined;
  readonly isSidebarOpen: boolean;
  readonly draft: DraftStatus;
  /** The draft restored from an earlier review, until the person keeps or discards it. */
  readonly restored: RestoredDraft | undefined;
  /** Path of a draft that could not be read. */
  readonly damagedDraft: string | undefined;
  readonly connected: boolean;
  /** The reason why the agent might not read the decision. */
  readonly doubt: CallerDoubt | undefined;
  /** Whether another plan is now under review at this address. */
  readonly isReplaced: boolean;
  /** The author name for new annotations; only in a saved page. */
  readonly author: string;
  readonly rounds: readonly Round[];
  /** The text that precedes all comments in the feedback. */
  readonly note: string;
  /** The feedback as edited by the person. */
  readonly rewritten: string | undefined;
  /** The last edit that is not used, because a comment, the note or the plan has changed since. */
  readonly earlierEdit: string | undefined;
  /** Whether a decision is being sent. */
  readonly deciding: boolean;
  readonly outcome: Outcome | undefined;
}

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
  earlierEdit: undefined,
  deciding: false,
  outcome: undefined,
}));

/** Returns the plan's text, including text typed in the editor. */
export function getSource({ typed, document }: ReviewState): string {
  return typed ?? document.source;
}

/** Returns the plan with the person's edits; undefined without edits. */
export function editedPlan(state: ReviewState): string | undefined {
  const source = getSource(state);
  return state.plan && source !== state.plan.plan ? source : undefined;
}

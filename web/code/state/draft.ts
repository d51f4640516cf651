import { create } from "zustand";
import type { DiffIndex } from "../../../src/review/api-types.ts";
import { type Autosave, createAutosave, type DraftStatus } from "../../shared/drafts/autosave.ts";
import { readDraft, writeDraft } from "../../shared/drafts/leaving-draft.ts";
import {
  onThreadDraftChange,
  restoreThreadDraft,
  type ThreadDraft,
  threadDraft,
} from "../../shared/threads/thread-draft.ts";
import { mergeDraft, type ReviewComment } from "../core/comment.ts";
import { nonEmptyComments, useComments } from "./comments.ts";
import { type EditedFeedback, useEditedFeedback } from "./edited-feedback.ts";
import { useView } from "./view.ts";

/** The draft of a review, as stored by the server. */
export interface DraftContent {
  readonly version: 1;
  readonly comments: readonly ReviewComment[];
  /** Comments whose editor was open. */
  readonly editing: readonly string[];
  /**
   * Paths with the fingerprint of the viewed change. They are a list, not an object, because a path may be
   * `__proto__`.
   */
  readonly viewed: readonly (readonly [path: string, fingerprint: string])[];
  /** The feedback, if the person edited it before sending. */
  readonly edited?: EditedFeedback | undefined;
  /** Unsent replies to threads. */
  readonly threads?: ThreadDraft | undefined;
}

/** A summary of the draft that was restored from an earlier visit. */
interface Restored {
  readonly count: number;
  /** The open comment whose editor was opened last. */
  readonly open: string | undefined;
}

interface DraftState {
  readonly status: DraftStatus;
  readonly restored: Restored | undefined;
}

export const useDraft = create<DraftState>(() => ({ status: { state: "idle" }, restored: undefined }));

let autosave: Autosave | undefined;

/** Restores the draft, then saves every change. */
export async function startDraft({ sessionId, reviewId }: DiffIndex): Promise<void> {
  const stored = await readDraft<DraftContent>(sessionId);
  const content = stored.ok ? stored.value.content : null;
  const { comments, viewed } = currentContent();
  const isTouched = comments.length > 0 || viewed.length > 0;
  if (content) restore(content);
  autosave = createAutosave<DraftContent>({
    content: currentContent,
    put: (draft, keepalive) => writeDraft(sessionId, { ...draft, reviewId }, keepalive),
    onStatus: (status) => useDraft.setState({ status }),
  });
  if (stored.ok) autosave.resume(stored.value.generation);
  watch(autosave);
  // Saves the draft if it has comments or marks that only this tab has.
  if (isTouched || (stored.ok && content && stored.value.savedAt === "")) autosave.touch();
  const written = nonEmptyComments(content?.comments ?? []);
  const open = content?.editing.findLast((id) => written.some((comment) => comment.id === id));
  useDraft.setState({ restored: { count: written.length, open } });
}

function watch(saving: Autosave): void {
  useComments.subscribe((state, before) => {
    if (state.comments !== before.comments || state.editing !== before.editing) saving.touch();
  });
  useView.subscribe((state, before) => {
    if (state.viewed !== before.viewed) saving.touch();
  });
  useEditedFeedback.subscribe(() => saving.touch());
  onThreadDraftChange(() => saving.touch());
  addEventListener("pagehide", () => saving.flush());
}

/** Stops saving after the decision. */
export function stopDraft(): void {
  autosave?.stop();
}

function currentContent(): DraftContent {
  const { comments, editing } = useComments.getState();
  const { edited } = useEditedFeedback.getState();
  const viewed = [...useView.getState().viewed];
  const threads = threadDraft();
  return { version: 1, comments, editing: [...editing], viewed, edited, ...(threads && { threads }) };
}

function restore(content: DraftContent): void {
  restoreThreadDraft(content.threads);
  const { comments, editing, viewed, edited } = mergeDraft(content, currentContent());
  useView.setState({ viewed: new Map(viewed) });
  useEditedFeedback.setState({ edited });
  useComments.setState({ comments, editing: new Set(editing) });
}

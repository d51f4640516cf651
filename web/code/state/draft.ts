import { create } from "zustand";
import type { DiffIndex } from "../../../src/review/api-types.ts";
import type { DraftStatus } from "../../shared/drafts/autosave.ts";
import { readDraft } from "../../shared/drafts/leaving-draft.ts";
import { createTabDraft, type TabDraft } from "../../shared/drafts/tab-draft.ts";
import { newId } from "../../shared/new-id.ts";
import {
  mergeThreadDraft,
  onThreadDraftChange,
  restoreThreadDraft,
  type ThreadDraft,
  threadDraft,
} from "../../shared/threads/thread-draft.ts";
import { mergeDraft, type ReviewComment } from "../core/comment.ts";
import { mergeTabs } from "../core/merge-tabs.ts";
import { nonEmptyComments, useComments } from "./comments.ts";
import { type EditedFeedback, useEditedFeedback } from "./edited-feedback.ts";
import { useView } from "./view.ts";

/** The draft of a review, as stored by the server. */
export interface DraftContent {
  readonly version: 1;
  readonly comments: readonly ReviewComment[];
  /** Ids of the comments whose editor was open. */
  readonly editing: readonly string[];
  /**
   * Paths with the fingerprint of the viewed change. They are a list, not an object, because a path may be
   * `__proto__`.
   */
  readonly viewed: readonly (readonly [path: string, fingerprint: string])[];
  /** The feedback, if the person edited it before sending. */
  readonly edited?: EditedFeedback | undefined;
  /** Unsent text in threads, and the state of the last batch. */
  readonly threads?: ThreadDraft | undefined;
  /** The `sessionId` of the review in which the draft was written. Its tabs share the comments and marks. */
  readonly session?: string | undefined;
}

/** A summary of the draft that was restored from an earlier visit. */
interface Restored {
  readonly count: number;
  /** Id of the open comment whose editor was opened last. */
  readonly open: string | undefined;
}

interface DraftState {
  readonly status: DraftStatus;
  readonly restored: Restored | undefined;
  /** Path of a draft that could not be read. */
  readonly damaged: string | undefined;
}

const NOTHING: DraftContent = { version: 1, comments: [], editing: [], viewed: [] };

export const useDraft = create<DraftState>(() => ({
  status: { state: "idle" },
  restored: undefined,
  damaged: undefined,
}));

let draft: TabDraft<DraftContent> | undefined;

/** Restores the draft, then saves every change. */
export async function startDraft({ sessionId, reviewId }: DiffIndex): Promise<void> {
  draft = createTabDraft<DraftContent>({
    session: sessionId,
    owner: () => ({ reviewId }),
    content: currentContent,
    merge: mergeOtherTab,
    onStatus: (status) => useDraft.setState({ status }),
  });
  const stored = await readDraft<DraftContent>(sessionId);
  if (stored.ok && stored.value.damaged !== undefined) useDraft.setState({ damaged: stored.value.damaged });
  const content = stored.ok ? stored.value.content : null;
  const { comments, viewed } = currentContent();
  const isTouched = comments.length > 0 || viewed.length > 0;
  if (content) restore(content);
  draft.begin({
    generation: stored.ok ? stored.value.generation : 0,
    content: content && { ...mergeDraft(content, NOTHING), threads: content.threads },
  });
  watch(draft);
  // Saves comments and marks that only this tab has, and a draft that the server may not have.
  if (isTouched || (stored.ok && content && stored.value.savedAt === "")) draft.touch();
  const written = nonEmptyComments(content?.comments ?? []);
  const open = content?.editing.findLast((id) => written.some((comment) => comment.id === id));
  useDraft.setState({ restored: { count: written.length, open } });
}

/**
 * Merges the draft that another tab has saved. `generation` is that of the save that the server has announced;
 * absent if this tab may have missed saves.
 */
export async function followDraft(generation?: number): Promise<void> {
  await draft?.follow(generation);
}

function watch({ touch, flush }: TabDraft<DraftContent>): void {
  useComments.subscribe((state, before) => {
    if (state.comments !== before.comments || state.editing !== before.editing) touch();
  });
  useView.subscribe((state, before) => {
    if (state.viewed !== before.viewed) touch();
  });
  useEditedFeedback.subscribe(touch);
  onThreadDraftChange(touch);
  addEventListener("pagehide", flush);
  addEventListener("beforeunload", (event) => {
    // Warns only if leaving would lose text that cannot be saved.
    if (useDraft.getState().status.state === "failing") event.preventDefault();
  });
}

/** Stops saving after the decision. */
export function stopDraft(): void {
  draft?.stop();
  useDraft.setState({ status: { state: "idle" } });
}

function currentContent(): DraftContent {
  const { comments, editing } = useComments.getState();
  const { edited } = useEditedFeedback.getState();
  const viewed = [...useView.getState().viewed];
  const threads = threadDraft();
  return { version: 1, comments, editing: [...editing], viewed, edited, ...(threads && { threads }) };
}

/** Applies the draft of another tab. Returns it as the next common ancestor. */
function mergeOtherTab(base: DraftContent | undefined, theirs: DraftContent): DraftContent {
  const mine = currentContent();
  const { comments, editing, viewed, edited } = mergeTabs(base, mine, theirs, newId);
  const moved = editing.find((id) => !mine.editing.includes(id));
  mergeThreadDraft(base?.threads, theirs.threads);
  useView.setState({ viewed: new Map(viewed) });
  useEditedFeedback.setState({ edited });
  useComments.setState({
    comments,
    editing: new Set(editing),
    ...(moved !== undefined && { focus: moved }),
  });
  return theirs;
}

function restore(content: DraftContent): void {
  restoreThreadDraft(content.threads);
  const { comments, editing, viewed, edited } = mergeDraft(content, currentContent());
  useView.setState({ viewed: new Map(viewed) });
  useEditedFeedback.setState({ edited });
  useComments.setState({ comments, editing: new Set(editing) });
}

import { create } from "zustand";
import type { DiffIndex } from "../../../src/review/api-types.ts";
import { type Autosave, createAutosave, type DraftStatus } from "../../shared/drafts/autosave.ts";
import { readDraft, writeDraft } from "../../shared/drafts/leaving-draft.ts";
import { mergeDraft, type ReviewComment } from "../core/comment.ts";
import { nonEmptyComments, useComments } from "./comments.ts";
import { type EditedFeedback, useEditedFeedback } from "./edited-feedback.ts";
import { useView } from "./view.ts";

/** What is kept on the server while the person reviews. */
export interface DraftContent {
  readonly version: 1;
  readonly comments: readonly ReviewComment[];
  /** Comments whose editor was open. */
  readonly editing: readonly string[];
  /** Paths, each with the fingerprint of the change that was looked at. A list: a path may be `__proto__`. */
  readonly viewed: readonly (readonly [path: string, fingerprint: string])[];
  /** The feedback where it was changed by hand before sending. */
  readonly edited?: EditedFeedback | undefined;
}

/** What came back of an earlier visit. */
interface Restored {
  readonly count: number;
  /** The comment whose editor was opened last of those still open. */
  readonly open: string | undefined;
}

interface DraftState {
  readonly status: DraftStatus;
  readonly restored: Restored | undefined;
}

export const useDraft = create<DraftState>(() => ({ status: { state: "idle" }, restored: undefined }));

let autosave: Autosave | undefined;

/** Takes over the draft, then saves every change to it. */
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
  // Saves what only this tab has.
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
  addEventListener("pagehide", () => saving.flush());
}

/** The decision is taken: nothing is saved any more. */
export function stopDraft(): void {
  autosave?.stop();
}

function currentContent(): DraftContent {
  const { comments, editing } = useComments.getState();
  const { edited } = useEditedFeedback.getState();
  const viewed = [...useView.getState().viewed];
  return { version: 1, comments, editing: [...editing], viewed, edited };
}

function restore(content: DraftContent): void {
  const { comments, editing, viewed, edited } = mergeDraft(content, currentContent());
  useView.setState({ viewed: new Map(viewed) });
  useEditedFeedback.setState({ edited });
  useComments.setState({ comments, editing: new Set(editing) });
}

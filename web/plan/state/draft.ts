import { parseMarkdown } from "../../../src/render/markdown/parse/parse-markdown.ts";
import type { Draft, PlanAnnotation, PlanState } from "../../../src/review/api-types.ts";
import { showToast } from "../../shared/components/toast.tsx";
import { type Autosave, createAutosave } from "../../shared/drafts/autosave.ts";
import { readDraft, writeDraft } from "../../shared/drafts/leaving-draft.ts";
import { mergeById } from "../../shared/drafts/merge-by-id.ts";
import { newId } from "../../shared/new-id.ts";
import {
  onThreadDraftChange,
  restoreThreadDraft,
  type ThreadDraft,
  threadDraft,
} from "../../shared/threads/thread-draft.ts";
import { isWorthKeeping } from "./actions.ts";
import { type Composer, editedPlan, type ReviewState, useReview } from "./review-store.ts";

/** Everything the person typed, as stored in the server's draft. */
interface DraftContent {
  readonly annotations: readonly PlanAnnotation[];
  readonly composer?: Composer;
  readonly note: string;
  readonly rewritten?: string;
  readonly edited?: string;
  /** Unsent text in threads. */
  readonly threads?: ThreadDraft;
  /** The id of the review in which the draft was written. The tabs of a review share its annotations. */
  readonly session?: string;
}

/** Loads the draft of this plan and saves every later change. */
export async function startDraft({ sessionId, ...first }: PlanState): Promise<void> {
  let base: DraftContent | undefined;
  const autosave = createAutosave<DraftContent>({
    content: () => ({ ...getContent(useReview.getState()), session: sessionId }),
    put: async (draft, keepalive) => {
      // In a live session, the plan and its id can change.
      const planId = useReview.getState().plan?.planId ?? first.planId;
      const result = await writeDraft(sessionId, { ...draft, planId }, keepalive);
      if (result.ok) base = draft.content;
      return result;
    },
    onStatus: (draft) => useReview.setState({ draft }),
    onConflict: (stored) => {
      if (stored.session !== sessionId || !Array.isArray(stored.annotations)) return false;
      importAnnotations(base, stored);
      base = stored;
      return true;
    },
  });
  const before = useReview.getState();
  const found = await readDraft<DraftContent>(sessionId);
  const isTypedMeanwhile = isChanged(useReview.getState(), before);
  if (found.ok) {
    autosave.resume(found.value.generation);
    base = found.value.content ?? undefined;
    restore(found.value);
  }
  if (!found.ok && found.reason === "absent") {
    useReview.setState({ draft: { state: "absent" } });
    return;
  }
  watch(autosave);
  // Saves the draft if it has content that only this tab has.
  if (isTypedMeanwhile || (found.ok && found.value.content && found.value.savedAt === "")) autosave.touch();
}

function restore({ content, savedAt, isEarlier, damaged }: Draft<DraftContent>): void {
  if (damaged !== undefined) useReview.setState({ damagedDraft: damaged });
  if (!content || !Array.isArray(content.annotations)) return;
  restoreThreadDraft(content.threads);
  const now = useReview.getState();
  const { annotations, composer, note = "", rewritten, edited } = content;
  useReview.setState({
    // Keeps text typed while the draft was loading.
    annotations: [...annotations, ...now.annotations],
    composer: now.composer ?? composer,
    note: now.note || note,
    rewritten,
    draft: savedAt === "" ? { state: "pending" } : { state: "saved", savedAt },
    ...(edited !== undefined && { document: parseMarkdown(edited) }),
  });
  const annotationIds = annotations.map(({ id }) => id);
  const hasText =
    annotationIds.length > 0 || composer !== undefined || note !== "" || rewritten !== undefined;
  if (isEarlier && (hasText || edited !== undefined))
    useReview.setState({ restored: { savedAt, annotationIds, hasEdit: edited !== undefined } });
}

/**
 * Discards the draft that was restored from an earlier review, and offers to undo this. Keeps annotations
 * that were added since.
 */
export function discardRestored(): void {
  const { restored, plan, annotations, composer, note, rewritten, document, typed } = useReview.getState();
  if (!restored || !plan) return;
  const before = { restored, annotations, composer, note, rewritten, document, typed };
  useReview.setState({
    restored: undefined,
    annotations: annotations.filter(({ id }) => !restored.annotationIds.includes(id)),
    composer: undefined,
    note: "",
    rewritten: undefined,
    typed: undefined,
    ...(restored.hasEdit && { document: parseMarkdown(plan.plan) }),
  });
  showToast("Draft discarded", { action: { label: "Undo", run: () => useReview.setState(before) } });
}

/** Merges the draft that another tab saved. */
function importAnnotations(base: DraftContent | undefined, theirs: DraftContent): void {
  const state = useReview.getState();
  const mine = getContent(state);
  const copyAnnotation = (annotation: PlanAnnotation) => ({ ...annotation, id: newId() });
  const annotations = mergeById(
    base?.annotations ?? [],
    mine.annotations,
    theirs.annotations,
    copyAnnotation,
  );
  // Takes over members that only the other tab changed.
  const pick = <Value>(from: (content: DraftContent) => Value) =>
    base && from(mine) !== from(base) ? from(mine) : from(theirs);
  const edited = pick((content) => content.edited);
  const isEdited = edited !== mine.edited;
  useReview.setState({
    annotations,
    note: pick((content) => content.note),
    rewritten: pick((content) => content.rewritten),
    ...(isEdited && { document: parseMarkdown(edited ?? state.plan?.plan ?? ""), typed: undefined }),
  });
}

function watch(autosave: Autosave<DraftContent>): void {
  const unsubscribe = useReview.subscribe((now, before) => {
    if (now.phase === "done") {
      autosave.stop();
      unsubscribe();
    } else if (isChanged(now, before)) {
      autosave.touch();
    }
  });
  onThreadDraftChange(() => autosave.touch());
  addEventListener("pagehide", () => autosave.flush());
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") autosave.flush();
  });
  addEventListener("beforeunload", (event) => {
    // Warns only if leaving would lose text that cannot be saved.
    if (useReview.getState().draft.state === "failing") event.preventDefault();
  });
}

function isChanged(now: ReviewState, before: ReviewState): boolean {
  return KEPT.some((member) => now[member] !== before[member]);
}

const KEPT = ["annotations", "composer", "note", "rewritten", "document", "typed"] as const;

function getContent(state: ReviewState): DraftContent {
  const { annotations, composer, note, rewritten } = state;
  const edited = editedPlan(state);
  const threads = threadDraft();
  return {
    annotations,
    note,
    ...(threads && { threads }),
    // An empty composer is left out: restored, it would capture keys that are meant for the page.
    ...(composer && isWorthKeeping(composer) && { composer }),
    rewritten,
    edited,
  };
}

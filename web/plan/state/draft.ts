import { parseMarkdown } from "../../../src/render/markdown/parse/parse-markdown.ts";
import type { Draft, PlanState } from "../../../src/review/api-types.ts";
import { showToast } from "../../shared/components/toast.tsx";
import { readDraft } from "../../shared/drafts/leaving-draft.ts";
import { createTabDraft, type TabDraft } from "../../shared/drafts/tab-draft.ts";
import {
  mergeThreadDraft,
  onThreadDraftChange,
  restoreThreadDraft,
  type ThreadDraft,
  threadDraft,
} from "../../shared/threads/thread-draft.ts";
import { relocateShifted } from "../model/annotations.ts";
import { isWorthKeeping } from "./actions.ts";
import { mergeOtherTab, type SharedContent } from "./merge-tab.ts";
import { type Composer, editedPlan, type ReviewState, useReview } from "./review-store.ts";

/** Everything the person typed, as stored in the server's draft. */
interface DraftContent extends SharedContent {
  readonly earlierEdit?: string | undefined;
  readonly composer?: Composer;
  /** Unsent text in threads, and the state of the last batch. */
  readonly threads?: ThreadDraft;
  /** The id of the review in which the draft was written. The tabs of a review share its annotations. */
  readonly session?: string;
}

let tabDraft: TabDraft<DraftContent> | undefined;

/** Loads the draft of this plan, then saves every change. */
export async function startDraft({ sessionId, ...first }: PlanState): Promise<void> {
  tabDraft = createTabDraft<DraftContent>({
    session: sessionId,
    // In a live review, the plan and its id can change.
    owner: () => ({ planId: useReview.getState().plan?.planId ?? first.planId }),
    content: () => getContent(useReview.getState()),
    merge: mergeStored,
    isMissing(theirs) {
      const state = useReview.getState();
      if (theirs.rewritten !== state.rewritten) return true;
      return theirs.composer === undefined && openComposer(state) !== undefined;
    },
    onStatus: (draft) => useReview.setState({ draft }),
  });
  const before = useReview.getState();
  const found = await readDraft<DraftContent>(sessionId);
  const isTypedMeanwhile = isChanged(useReview.getState(), before);
  const content = found.ok ? restore(found.value) : null;
  if (!found.ok && found.reason === "absent") {
    useReview.setState({ draft: { state: "absent" } });
    return;
  }
  tabDraft.begin({ generation: found.ok ? found.value.generation : 0, content });
  watch(tabDraft);
  // Saves the draft if it has content that only this tab has.
  if (isTypedMeanwhile || (found.ok && found.value.content && found.value.savedAt === "")) tabDraft.touch();
}

/**
 * Merges the draft that another tab has saved. `generation` is that of the save that the server has announced;
 * absent if this tab may have missed saves.
 */
export async function followDraft(generation?: number): Promise<void> {
  await tabDraft?.follow(generation);
}

function mergeStored(base: DraftContent | undefined, stored: DraftContent): DraftContent | undefined {
  if (!Array.isArray(stored.annotations)) return undefined;
  mergeThreadDraft(base?.threads, stored.threads);
  return mergeOtherTab(base, stored);
}

/** Restores a draft. Returns its content with the positions in the edited plan; null if there is none. */
function restore({ content, savedAt, isEarlier, damaged }: Draft<DraftContent>): DraftContent | null {
  if (damaged !== undefined) useReview.setState({ damagedDraft: damaged });
  if (!content || !Array.isArray(content.annotations)) return null;
  restoreThreadDraft(content.threads);
  const now = useReview.getState();
  const { note = "", rewritten, edited } = content;
  const document = edited === undefined ? now.document : parseMarkdown(edited);
  // If the editor was open, the positions refer to the plan before the edit. The file of a live plan may have been
  // saved while no page was open.
  const isMoved = document !== now.document || now.plan?.live !== undefined;
  const annotations = isMoved ? relocateShifted(document, content.annotations) : content.annotations;
  const open = content.composer;
  const composer = open && isMoved ? relocateShifted(document, [open])[0] : open;
  useReview.setState({
    document,
    // Keeps text typed while the draft was loading.
    annotations: [...annotations, ...now.annotations],
    composer: now.composer ?? composer,
    note: now.note || note,
    rewritten: now.rewritten ?? rewritten,
    earlierEdit: now.earlierEdit ?? content.earlierEdit,
    draft: savedAt === "" ? { state: "pending" } : { state: "saved", savedAt },
  });
  const annotationIds = annotations.map(({ id }) => id);
  const hasText =
    annotationIds.length > 0 || composer !== undefined || note !== "" || rewritten !== undefined;
  if (isEarlier && (hasText || edited !== undefined))
    useReview.setState({ restored: { savedAt, annotationIds, hasEdit: edited !== undefined } });
  return { ...content, annotations };
}

/**
 * Discards the draft that was restored from an earlier review, and offers to undo this. Keeps annotations
 * that were added since.
 */
export function discardRestored(): void {
  const { restored, plan, ...now } = useReview.getState();
  if (!restored || !plan) return;
  const { annotations, composer, note, rewritten, earlierEdit, document, typed } = now;
  const before = { restored, annotations, composer, note, rewritten, earlierEdit, document, typed };
  useReview.setState({
    restored: undefined,
    annotations: annotations.filter(({ id }) => !restored.annotationIds.includes(id)),
    composer: undefined,
    note: "",
    rewritten: undefined,
    earlierEdit: undefined,
    typed: undefined,
    ...(restored.hasEdit && { document: parseMarkdown(plan.plan) }),
  });
  showToast("Draft discarded", { action: { label: "Undo", run: () => useReview.setState(before) } });
}

function watch({ touch, flush, stop }: TabDraft<DraftContent>): void {
  const unsubscribe = useReview.subscribe((now, before) => {
    if (now.phase === "done") {
      stop();
      unsubscribe();
    } else if (isChanged(now, before)) {
      touch();
    }
  });
  onThreadDraftChange(touch);
  const leave = () => {
    // Another tab may have saved its own open composer since.
    if (openComposer(useReview.getState())) touch();
    flush();
  };
  addEventListener("pagehide", leave);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") leave();
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

/** Returns the comment that is being written. Tabs do not share it, but the draft has room for one. */
function openComposer({ composer }: ReviewState): Composer | undefined {
  // An empty composer is left out: restored, it would capture keys that are meant for the page.
  return composer && isWorthKeeping(composer) ? composer : undefined;
}

function getContent(state: ReviewState): DraftContent {
  const { annotations, note, rewritten, earlierEdit } = state;
  const composer = openComposer(state);
  const edited = editedPlan(state);
  const threads = threadDraft();
  return {
    annotations,
    note,
    ...(threads && { threads }),
    ...(composer && { composer }),
    rewritten,
    earlierEdit,
    edited,
  };
}

import { parseMarkdown } from "../../../src/render/markdown/parse/parse-markdown.ts";
import type { PlanAnnotation } from "../../../src/review/api-types.ts";
import { showToast } from "../../shared/components/toast.tsx";
import { isSameValue, mergeById } from "../../shared/drafts/merge-by-id.ts";
import { mergeText, mergeValue } from "../../shared/drafts/merge-entries.ts";
import { mergeLines } from "../../shared/drafts/merge-lines.ts";
import { newId } from "../../shared/new-id.ts";
import { relocateShifted } from "../model/annotations.ts";
import { composerFor, isUnchanged } from "./actions.ts";
import { mergeIntoVersions } from "./history.ts";
import { mergeFeedback } from "./merge-feedback.ts";
import { type Composer, editedPlan, useReview } from "./review-store.ts";

/** The members of a draft that the tabs of a review share. */
export interface SharedContent {
  readonly annotations: readonly PlanAnnotation[];
  readonly note: string;
  readonly rewritten?: string | undefined;
  readonly edited?: string | undefined;
}

/**
 * Merges the draft that another tab has saved. `base` is the common ancestor. If both tabs have changed a comment, the
 * note, or the same lines of the plan or of the edited feedback, both versions are kept. Returns the other tab's draft
 * as it was merged.
 */
export function mergeOtherTab<Content extends SharedContent>(
  base: Content | undefined,
  stored: Content,
): Content {
  const state = useReview.getState();
  const { annotations: mine, composer, note } = state;
  const ownEdit = editedPlan(state);
  const edited = mergeEdit(state.plan?.plan ?? "", base?.edited, ownEdit, stored.edited);
  const document =
    edited === ownEdit ? state.document : parseMarkdown(edited ?? state.plan?.plan ?? state.document.source);
  const isMoved = document !== state.document;
  // While the other tab edits the plan, the positions of its annotations refer to the text before the edit. In a live
  // review, the other tab may not show the latest round yet.
  const isTheirs = isMoved || document.source === stored.edited || state.plan?.live !== undefined;
  const theirs = isTheirs
    ? { ...stored, annotations: relocateShifted(document, stored.annotations) }
    : stored;
  const before = isMoved ? relocateShifted(document, mine) : mine;
  const known = base?.annotations ?? [];
  const annotations = mergeById(
    isMoved ? relocateShifted(document, known) : known,
    before,
    theirs.annotations,
    (annotation) => ({ ...annotation, id: newId() }),
  );
  const open = mergedComposer(composer, before, annotations);
  mergeIntoVersions(before, annotations);
  useReview.setState({
    annotations,
    composer: open && isMoved ? relocateShifted(document, [open])[0] : open,
    note: mergeText(base?.note ?? "", note, theirs.note),
    ...(isMoved && { document, typed: undefined, cursor: undefined, removedCursor: undefined }),
  });
  useReview.setState((after) => ({ rewritten: mergeFeedback(base, state, stored, after) }));
  return theirs;
}

/** Merges two tabs' edits of the plan; undefined is the plan without edits. Reports it if both tabs have edited it. */
function mergeEdit(
  plan: string,
  base: string | undefined,
  mine: string | undefined,
  theirs: string | undefined,
): string | undefined {
  if (mine === theirs || mine === base || theirs === base) return mergeValue(base, mine, theirs);
  showToast("Another tab has also edited the plan. The edits of both tabs are kept.");
  const merged = mergeLines(base ?? plan, mine ?? plan, theirs ?? plan);
  return merged === plan ? undefined : merged;
}

/**
 * Returns the composer after a merge; undefined if the other tab has saved the same comment. If the other tab has
 * changed or deleted the edited annotation, unsaved changes of this tab become a new annotation.
 */
function mergedComposer(
  composer: Composer | undefined,
  before: readonly PlanAnnotation[],
  after: readonly PlanAnnotation[],
): Composer | undefined {
  if (!composer) return undefined;
  const unchanged = new Set(before);
  const isSavedNow = (annotation: PlanAnnotation) =>
    !unchanged.has(annotation) && isSaved(composer, annotation);
  if (after.some(isSavedNow)) return undefined;
  if (composer.editing === undefined) return composer;
  const [known, merged] = [before, after].map((all) => all.find(({ id }) => id === composer.editing));
  if (known === merged) return composer;
  if (isUnchanged(composer)) return merged && composerFor(merged);
  if (known && merged && isSameValue({ ...known, anchor: merged.anchor }, merged))
    return { ...composer, anchor: merged.anchor };
  const { editing: _editing, ...written } = composer;
  return written;
}

/** Returns whether an annotation contains what is written in the composer. */
function isSaved(composer: Composer, annotation: PlanAnnotation): boolean {
  const { editing: _editing, isTyped: _isTyped, ...written } = composer;
  const { editing: _id, ...saved } = composerFor(annotation);
  return isSameValue({ ...written, text: written.text.trim() }, saved);
}

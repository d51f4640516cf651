import { parseMarkdown } from "../../../src/render/markdown/parse/parse-markdown.ts";
import { isSameValue } from "../../shared/drafts/merge-by-id.ts";
import { mergeLines } from "../../shared/drafts/merge-lines.ts";
import { relocateShifted } from "../model/annotations.ts";
import type { SharedContent } from "./merge-tab.ts";
import { composedFeedback } from "./plan-feedback.ts";
import { editedPlan, type ReviewState } from "./review-store.ts";

/**
 * Merges two tabs' versions of the edited feedback by lines; undefined is feedback without edits. `before` and `after`
 * are this tab's states before and after its other content was merged. The result has the edits of both tabs and the
 * comments of both, also those that one tab added while the other edited the feedback.
 */
export function mergeFeedback(
  base: SharedContent | undefined,
  before: ReviewState,
  theirs: SharedContent,
  after: ReviewState,
): string | undefined {
  if (before.rewritten === undefined && theirs.rewritten === undefined) return undefined;
  const mine: SharedContent = { ...before, edited: editedPlan(before) };
  const ancestor = base ?? { annotations: [], note: "" };
  const composedBase = composed(withContent(after, ancestor));
  const textOf = (content: SharedContent, composedText: string): string => {
    if (content.rewritten !== undefined) return content.rewritten;
    // A change of a comment, the note or the plan discards the edits in its own tab only.
    return ancestor.rewritten === undefined || isSameReview(content, ancestor)
      ? composedText
      : mergeLines(composedBase, ancestor.rewritten, composedText);
  };
  const merged = mergeLines(
    ancestor.rewritten ?? composedBase,
    textOf(mine, composed(before)),
    textOf(theirs, composed(withContent(after, theirs))),
  );
  return merged === composed(after) ? undefined : merged;
}

const composed = (state: ReviewState) => composedFeedback(state, "request-changes");

/** Returns the state of a tab that has this content. */
function withContent(state: ReviewState, { annotations, note, edited }: SharedContent): ReviewState {
  const document = parseMarkdown(edited ?? state.plan?.plan ?? state.document.source);
  return {
    ...state,
    document,
    typed: undefined,
    annotations: relocateShifted(document, annotations),
    note: note ?? "",
  };
}

function isSameReview(one: SharedContent, other: SharedContent): boolean {
  const isSame = one.note === other.note && one.edited === other.edited;
  return isSame && isSameValue(one.annotations, other.annotations);
}

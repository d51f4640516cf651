import { type ReviewState, useReview } from "./review-store.ts";

const { setState: set } = useReview;

/** Sets the message that is sent with the decision. */
export const setNote = (note: string) => set((before) => ({ note, ...composeAgain(before) }));
/** Sets the feedback as edited by the person. */
export const setRewritten = (rewritten: string) => set({ rewritten });
/** Shows the composed feedback instead of the person's edit. */
export const discardEdit = () => set(composeAgain);

/** Uses the earlier edit of the feedback. The edit that it replaces becomes the earlier one. */
export const restoreEdit = () =>
  set(({ rewritten, earlierEdit }) => ({ rewritten: earlierEdit, earlierEdit: rewritten ?? earlierEdit }));

/** Returns the state without the person's edit, which becomes the earlier one. */
export function composeAgain({
  rewritten,
  earlierEdit,
}: ReviewState): Pick<ReviewState, "rewritten" | "earlierEdit"> {
  return { rewritten: undefined, earlierEdit: rewritten ?? earlierEdit };
}

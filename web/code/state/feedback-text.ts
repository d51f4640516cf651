import { create } from "zustand";
import { mergeLines } from "../../shared/drafts/merge-lines.ts";
import type { ReviewComment } from "../core/comment.ts";
import { useComments } from "./comments.ts";
import { composeFeedback, type Feedback } from "./compose-feedback.ts";
import { type EditedFeedback, keepEditedFeedback, useEditedFeedback } from "./edited-feedback.ts";

/** The feedback in the dialog that sends it. */
interface FeedbackText {
  /** Undefined until the feedback is composed, and while the dialog is closed. */
  readonly feedback: Feedback | undefined;
  /** The comments from which `feedback` was composed. */
  readonly comments: readonly ReviewComment[];
  /** The person's edit of `feedback`. */
  readonly edit: EditedFeedback | undefined;
  /** The person's last edit that is not shown, because the comments have changed or another tab has replaced it. */
  readonly before: EditedFeedback | undefined;
}

export const useFeedbackText = create<FeedbackText>(() => ({
  feedback: undefined,
  comments: [],
  edit: undefined,
  before: undefined,
}));

const { getState: state, setState: set, getInitialState } = useFeedbackText;

/**
 * Returns the text to send: the person's edit if it was made from the same comments, and the composed text otherwise.
 */
export function textToSend({ feedback, edit }: FeedbackText): string {
  return edit?.text ?? feedback?.markdown ?? "";
}

/**
 * Composes the feedback, again whenever the comments change, and follows the edits of other tabs. Returns a function
 * that stops this.
 */
export function openFeedbackText(): () => void {
  let last = 0;
  const compose = async () => {
    last += 1;
    const mine = last;
    const { comments } = useComments.getState();
    const feedback = await composeFeedback();
    if (mine === last) show(feedback, comments);
  };
  const stops = [
    useComments.subscribe(({ comments }, before) => {
      if (comments !== before.comments) void compose();
    }),
    useEditedFeedback.subscribe(({ edited }) => {
      // An edit of another text arrives with other comments: `show` decides once these are composed.
      if (!edited || edited.composed === state().feedback?.markdown) set({ edit: edited });
    }),
  ];
  void compose();
  return () => {
    last += 1;
    for (const stop of stops) stop();
    set(getInitialState());
  };
}

/** Stores the person's edit, unless another tab's edit has arrived whose text is not composed yet. */
export function changeFeedbackText(text: string): void {
  const { feedback, comments } = state();
  const { edited } = useEditedFeedback.getState();
  const isComposing = comments !== useComments.getState().comments;
  if (!feedback || (isComposing && edited && edited.composed !== feedback.markdown)) return;
  keepEditedFeedback(feedback.markdown, text);
}

function show(feedback: Feedback, comments: readonly ReviewComment[]): void {
  const { feedback: shown, edit, before } = state();
  const { edited } = useEditedFeedback.getState();
  const [known, now] = [shown?.markdown, feedback.markdown];
  if (edited?.composed === now) {
    set({ feedback, comments, edit: edited, before: edit?.composed === now ? before : (edit ?? before) });
  } else if (edited && edited.composed === known) {
    set({ feedback, comments, edit: undefined });
    keepEditedFeedback(now, mergeLines(known, edited.text, now));
  } else {
    // An unchanged text must not be stored again: each save makes the other tab merge and save, which makes this tab
    // merge again.
    const other = known === now ? undefined : edited;
    set({ feedback, comments, edit: undefined, before: edit ?? before ?? other });
  }
}

import { create } from "zustand";

/**
 * The feedback as edited by the person, and the composed text from which it was made. Both are part of the
 * draft.
 */
export interface EditedFeedback {
  readonly composed: string;
  readonly text: string;
}

export const useEditedFeedback = create<{ readonly edited: EditedFeedback | undefined }>(() => ({
  edited: undefined,
}));

/** Stores the edited feedback; text equal to the composed text is not an edit. */
export function keepEditedFeedback(composed: string, text: string): void {
  useEditedFeedback.setState({ edited: text === composed ? undefined : { composed, text } });
}

import { create } from "zustand";

/** The feedback as the person changed it by hand, and the text it was made of. Part of the draft. */
export interface EditedFeedback {
  readonly composed: string;
  readonly text: string;
}

export const useEditedFeedback = create<{ readonly edited: EditedFeedback | undefined }>(() => ({
  edited: undefined,
}));

/** Keeps what was typed; text that is as it was composed is no edit. */
export function keepEditedFeedback(composed: string, text: string): void {
  useEditedFeedback.setState({ edited: text === composed ? undefined : { composed, text } });
}

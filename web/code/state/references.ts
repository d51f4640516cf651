import { create } from "zustand";

/** The name whose references are shown; undefined if the dialog is closed. */
export const useReferences = create<{ readonly name: string | undefined }>(() => ({ name: undefined }));

const NAME = /^[\p{L}_$@#][\p{L}\p{N}_$]*[?!]?$/u;

/** Returns the selected text if it is a name of at most 200 UTF-16 units; undefined otherwise. */
export function selectedName(): string | undefined {
  const text = getSelection()?.toString().trim() ?? "";
  return text.length <= 200 && NAME.test(text) ? text : undefined;
}

export function openReferences(name: string | undefined): void {
  useReferences.setState({ name });
}

import { create } from "zustand";
import type { AskBody, AskExchange } from "../../../src/review/api-types.ts";

/** What a question is about. */
export interface AskAbout extends Pick<AskBody, "thread" | "anchor"> {
  /** For example `lines 3–9 of src/a.ts`. */
  readonly title: string;
  /** Puts an answer where it becomes part of the feedback; absent if there is no such field. */
  readonly insert?: (text: string) => void;
}

interface AskState {
  /** Undefined: asking is off. */
  readonly model: string | undefined;
  /** The conversation that is open. */
  readonly about: AskAbout | undefined;
  /** Finished exchanges by what they are about. They stay in this page and are never part of the feedback. */
  readonly exchanges: ReadonlyMap<string, readonly AskExchange[]>;
  /** The question that is being answered, and the answer so far. */
  readonly pending: AskExchange | undefined;
  readonly error: string | undefined;
  /** The person has seen a prompt, and where it goes. */
  readonly isPromptSeen: boolean;
}

export const useAsk = create<AskState>(() => ({
  model: undefined,
  about: undefined,
  exchanges: new Map(),
  pending: undefined,
  error: undefined,
  isPromptSeen: false,
}));

const { getState: state, setState: set } = useAsk;

/** Takes the configured model over; undefined switches asking off. */
export function setAskModel(ask: { readonly model: string } | undefined): void {
  set({ model: ask?.model });
}

/** Returns the key of a conversation. */
export function askKey({ thread, anchor }: Pick<AskAbout, "thread" | "anchor">): string {
  return thread ?? JSON.stringify(anchor);
}

/** Opens the conversation about something. Returns false if asking is off. */
export function openAsk(about: AskAbout): boolean {
  if (state().model === undefined) return false;
  set({ about, error: undefined });
  return true;
}

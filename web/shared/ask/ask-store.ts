import { create } from "zustand";
import type { AskBody, AskExchange, AskPrompt } from "../../../src/review/api-types.ts";

/** The subject of a question. */
export interface AskAbout extends Pick<AskBody, "thread" | "anchor"> {
  /** For example `lines 3–9 of src/a.ts`. */
  readonly title: string;
  /**
   * Inserts an answer into a comment or a reply, which is part of the feedback; absent for a thread to which no reply
   * is possible.
   */
  readonly insert?: (text: string) => void;
}

interface AskState {
  /** Undefined if no model is configured. */
  readonly model: string | undefined;
  /** The subject of the open conversation. */
  readonly about: AskAbout | undefined;
  /** Finished questions and answers by their subject. They exist only in this page. */
  readonly exchanges: ReadonlyMap<string, readonly AskExchange[]>;
  /** Questions that are not sent yet, by their subject. */
  readonly questions: ReadonlyMap<string, string>;
  /**
   * The messages that are sent with a question, by their subject, as last shown. A conversation that is opened again
   * shows them at once, so that a question can be sent before they are received again.
   */
  readonly prompts: ReadonlyMap<string, AskPrompt>;
  /** The current question, and the received part of its answer. */
  readonly pending: AskExchange | undefined;
  readonly error: string | undefined;
  /** Whether the person has asked a question on this page. */
  readonly isPromptSeen: boolean;
}

export const useAsk = create<AskState>(() => ({
  model: undefined,
  about: undefined,
  exchanges: new Map(),
  questions: new Map(),
  prompts: new Map(),
  pending: undefined,
  error: undefined,
  isPromptSeen: false,
}));

const { getState: state, setState: set } = useAsk;

/** Sets the configured model; undefined if there is none. */
export function setAskModel(ask: { readonly model: string } | undefined): void {
  set({ model: ask?.model });
}

/** Returns the key of a conversation. */
export function askKey({ thread, anchor }: Pick<AskAbout, "thread" | "anchor">): string {
  return thread ?? JSON.stringify(anchor);
}

/** Stores the text of a question until it is sent, also while its conversation is closed. */
export function writeQuestion(about: AskAbout, text: string): void {
  set(({ questions }) => ({ questions: new Map(questions).set(askKey(about), text) }));
}

/** Opens the conversation about a subject. Returns false if no model is configured. */
export function openAsk(about: AskAbout): boolean {
  if (state().model === undefined) return false;
  set({ about, error: undefined });
  return true;
}

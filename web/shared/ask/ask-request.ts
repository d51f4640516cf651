import { pageTokenHeader } from "../api/page-token.ts";
import { askKey, useAsk, writeQuestion } from "./ask-store.ts";

const { getState: state, setState: set } = useAsk;

/** Closes the conversation, and drops the answer that is being received. */
export function closeAsk(): void {
  running?.abort();
  set({ about: undefined, pending: undefined, error: undefined });
}

/** Stops the answer. Keeps the part that was received. */
export function stopResponse(): void {
  running?.abort();
}

let running: AbortController | undefined;

/** Sends a question in the open conversation. Without an answer, the question can be edited and sent again. */
export async function ask(question: string): Promise<void> {
  const { about } = state();
  if (!about) return;
  running?.abort();
  const controller = new AbortController();
  running = controller;
  const key = askKey(about);
  const earlier = state().exchanges.get(key) ?? [];
  set({ pending: { question, response: "" }, error: undefined, isPromptSeen: true });
  writeQuestion(about, "");
  let text = "";
  let error: string | undefined;
  try {
    const { thread, anchor } = about;
    const body = { ...(thread === undefined ? { anchor } : { thread }), question, earlier };
    for await (const event of events(body, controller.signal)) {
      if (event.error !== undefined) error = event.error;
      text += event.text ?? "";
      if (running === controller) set({ pending: { question, response: text } });
    }
  } catch {
    if (!controller.signal.aborted) error = "Can't reach Sallyport. It may have been stopped.";
  }
  if (running !== controller || state().about !== about) return;
  running = undefined;
  const exchanges =
    text === ""
      ? state().exchanges
      : new Map(state().exchanges).set(key, [...earlier, { question, response: text }]);
  set({ exchanges, pending: undefined, error });
  if (text === "" && !state().questions.get(key)) writeQuestion(about, question);
}

interface ResponseEvent {
  readonly text?: string;
  readonly error?: string;
}

/** Yields the events of an answer. An error response is one event. */
async function* events(body: object, signal: AbortSignal): AsyncGenerator<ResponseEvent> {
  const headers = { "content-type": "application/json", ...pageTokenHeader() };
  const response = await fetch("/api/ask", { method: "POST", headers, body: JSON.stringify(body), signal });
  if (!response.ok || !response.body) {
    const { error } = (await response.json().catch(() => ({}))) as ResponseEvent;
    yield { error: error ?? `HTTP ${response.status}` };
    return;
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const data = /^data: (.*)$/m.exec(part)?.[1];
      if (data !== undefined) yield JSON.parse(data) as ResponseEvent;
    }
  }
}

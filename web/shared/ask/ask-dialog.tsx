import "../styles/ask.css";
import { type KeyboardEvent, useEffect, useState } from "react";
import type { AskExchange, AskPrompt } from "../../../src/review/api-types.ts";
import { explain, getJson } from "../api/client.ts";
import { copyAndReport } from "../clipboard.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { ErrorLine } from "../components/error-line.tsx";
import { KeyHint } from "../keyboard/key-hint.tsx";
import { MessageText } from "../threads/message-text.tsx";
import { ask, closeAsk, stopResponse } from "./ask-request.ts";
import { type AskAbout, askKey, useAsk, writeQuestion } from "./ask-store.ts";

const NO_EXCHANGES: readonly AskExchange[] = [];

/**
 * Renders a conversation with a model about the review or a part of it. Only inserted answers are part of the feedback.
 */
export function AskDialog({ about }: { readonly about: AskAbout }) {
  const exchanges = useAsk((state) => state.exchanges.get(askKey(about)) ?? NO_EXCHANGES);
  const pending = useAsk((state) => state.pending);
  const error = useAsk((state) => state.error);
  const question = useAsk((state) => state.questions.get(askKey(about)) ?? "");
  const { prompt, failure } = usePrompt(about);
  // Before the first question, the person sees the messages and the URL to which they are sent.
  const canAsk = question.trim() !== "" && pending === undefined && prompt !== undefined;
  const send = () => {
    if (canAsk) void ask(question.trim());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    send();
  };
  return (
    <Dialog
      title={`Ask about ${about.title}`}
      wide
      onClose={closeAsk}
      footer={
        <>
          {pending && <Button onClick={stopResponse}>Stop</Button>}
          <Button variant="primary" disabled={!canAsk} onClick={send}>
            Ask <KeyHint keys="Mod+Enter" />
          </Button>
        </>
      }
    >
      <ol className="ask-exchanges" aria-live="polite">
        {[...exchanges, ...(pending ? [pending] : [])].map((exchange, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: exchanges are only appended
          <li key={index}>
            <Exchange exchange={exchange} about={about} isComplete={exchange !== pending} />
          </li>
        ))}
      </ol>
      <ErrorLine error={error ?? failure} />
      <label className="field">
        <span>Question</span>
        <textarea
          className="input"
          data-initial-focus
          rows={3}
          value={question}
          onChange={({ target }) => writeQuestion(about, target.value)}
          onKeyDown={onKeyDown}
        />
      </label>
      <p className="hint">Only you see the answer. It is not part of the feedback until you insert it.</p>
      {prompt && <Prompt prompt={prompt} />}
    </Dialog>
  );
}

function Exchange({
  exchange: { question, response },
  about: { insert },
  isComplete,
}: {
  readonly exchange: AskExchange;
  readonly about: AskAbout;
  readonly isComplete: boolean;
}) {
  return (
    <article className="ask-exchange">
      <p className="ask-question">{question}</p>
      {response === "" ? <p className="hint">Waiting for the model …</p> : <MessageText text={response} />}
      {isComplete && (
        <p className="ask-tools">
          {insert && (
            <Button
              small
              onClick={() => {
                closeAsk();
                // Opens the comment field after the dialog has restored the focus.
                setTimeout(() => insert(response));
              }}
            >
              Insert into a comment
            </Button>
          )}
          <Button small variant="quiet" onClick={() => void copyAndReport(response, "Answer copied")}>
            Copy
          </Button>
        </p>
      )}
    </article>
  );
}

/**
 * Renders the messages that are sent with the question. The disclosure is initially open if the person has not asked a
 * question on this page yet.
 */
function Prompt({ prompt: { url, model, prompt } }: { readonly prompt: AskPrompt }) {
  const isSeen = useAsk((state) => state.isPromptSeen);
  const [isOpen, setIsOpen] = useState(!isSeen);
  return (
    <details
      className="ask-prompt"
      open={isOpen}
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
    >
      <summary>
        Sent to {model} at {url}
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <pre tabIndex={0}>{prompt}</pre>
    </details>
  );
}

function usePrompt(about: AskAbout) {
  const prompt = useAsk((state) => state.prompts.get(askKey(about)));
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    let isCurrent = true;
    const { thread, anchor } = about;
    const query = new URLSearchParams(thread === undefined ? { anchor: JSON.stringify(anchor) } : { thread });
    void getJson<AskPrompt>(`/api/ask/prompt?${query}`).then((found) => {
      if (found.ok)
        useAsk.setState(({ prompts }) => ({ prompts: new Map(prompts).set(askKey(about), found.value) }));
      if (isCurrent) setFailure(found.ok ? undefined : explain(found));
    });
    return () => {
      isCurrent = false;
    };
  }, [about]);
  return { prompt, failure };
}

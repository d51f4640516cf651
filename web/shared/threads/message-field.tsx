import { Pencil, Trash2 } from "lucide-react";
import { useEffect, useRef } from "react";
import { Button, IconButton } from "../components/button.tsx";
import { KeyHint } from "../keyboard/key-hint.tsx";
import { focusCard } from "./focus-card.ts";
import { MessageText } from "./message-text.tsx";
import { changeMessage, closeMessage, discardMessage, useThreads, writeMessage } from "./thread-store.ts";

/** Renders the person's reply to a thread: a field while it is written, then its text until the next batch. */
export function MessageField({ id }: { readonly id: string }) {
  const draft = useThreads(({ drafts }) => drafts.get(id));
  if (!draft) return null;
  if (draft.isOpen) return <OpenField id={id} text={draft.text} />;
  return (
    <div className="message message-person message-unsent" data-draft={id}>
      <p className="message-head">
        <strong className="message-author">You</strong>
        <span className="thread-chip thread-chip-unsent">Not sent</span>
        <span className="message-tools">
          <IconButton small label="Edit this reply" onClick={() => writeMessage(id)}>
            <Pencil size={14} aria-hidden />
          </IconButton>
          <IconButton small label="Discard this reply" onClick={() => discardAndFocusCard(id)}>
            <Trash2 size={14} aria-hidden />
          </IconButton>
        </span>
      </p>
      <div className="message-text">
        <MessageText text={draft.text} />
      </div>
    </div>
  );
}

function OpenField({ id, text }: { readonly id: string; readonly text: string }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const element = field.current;
    // A field that was reopened by a reload must not take the focus from another field.
    if (!element || document.activeElement?.matches("textarea, input, select")) return;
    element.focus({ preventScroll: true });
    element.setSelectionRange(element.value.length, element.value.length);
  }, []);
  return (
    <div className="message-field">
      <textarea
        ref={field}
        className="input"
        rows={3}
        aria-label="Reply in Markdown"
        placeholder="Reply"
        value={text}
        onChange={(event) => changeMessage(id, event.target.value)}
        onKeyDown={(event) => {
          const isSaved = event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.shiftKey;
          if (event.nativeEvent.isComposing || !(isSaved || event.key === "Escape")) return;
          event.preventDefault();
          closeAndFocusCard(id);
        }}
      />
      <p className="message-field-buttons">
        <Button small variant="primary" disabled={text.trim() === ""} onClick={() => closeAndFocusCard(id)}>
          Add reply <KeyHint keys="Mod+Enter" />
        </Button>
        <Button small variant="quiet" onClick={() => discardAndFocusCard(id)}>
          Discard
        </Button>
        <span className="hint">Sent with your comments.</span>
      </p>
    </div>
  );
}

function closeAndFocusCard(id: string): void {
  closeMessage(id);
  focusCard(id);
}

function discardAndFocusCard(id: string): void {
  discardMessage(id);
  focusCard(id);
}

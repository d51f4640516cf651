import { useEffect, useRef, useState } from "react";
import { Button } from "../../shared/components/button.tsx";
import { Dialog } from "../../shared/components/dialog.tsx";
import { Segmented } from "../../shared/components/segmented.tsx";
import { mergeLines } from "../../shared/drafts/merge-lines.ts";
import { IrreversibleButton } from "../../shared/irreversible/irreversible-button.tsx";
import { CommentText } from "../comments/comment-text.tsx";
import { useComments } from "../state/comments.ts";
import { composeFeedback, copyMarkdown, type Feedback } from "../state/compose-feedback.ts";
import { decide } from "../state/decide.ts";
import { type EditedFeedback, keepEditedFeedback, useEditedFeedback } from "../state/edited-feedback.ts";
import { useSession } from "../state/session.ts";
import { openDialog } from "../state/view.ts";
import { AgentChoice } from "./agent-choice.tsx";

/** Renders the dialog that shows the feedback, which the person can edit before sending it. */
export function SendDialog() {
  const caller = useSession(({ index }) => index?.caller.name ?? "the agent");
  const { feedback, text, setText, otherEdit } = useFeedbackText();
  const [agent, setAgent] = useState("");
  const [problem, setProblem] = useState<string>();
  const [sending, setSending] = useState(false);

  const send = async () => {
    if (sending || !feedback || text.trim() === "") return;
    setSending(true);
    const agentSwitch = agent === "" ? {} : { agentSwitch: agent };
    const { annotations } = feedback;
    setProblem(await decide({ feedback: text, complete: true, annotations, ...agentSwitch }, false));
    setSending(false);
  };

  return (
    <Dialog
      title={`Send feedback to ${caller}`}
      wide
      onClose={() => openDialog("none")}
      footer={<Buttons text={text} sending={sending} send={() => void send()} />}
    >
      {problem !== undefined && (
        <p className="dialog-problem" role="alert">
          Not sent: {problem} Your comments are still here.
        </p>
      )}
      {feedback?.count === 0 && <p>There are no comments yet. You can write the feedback here.</p>}
      {otherEdit !== undefined && (
        <p className="send-edited">
          You edited this text before the comments changed.
          <Button small onClick={() => setText(otherEdit)}>
            Use my edited text
          </Button>
        </p>
      )}
      {feedback && <FeedbackField text={text} composed={feedback.markdown} onChange={setText} />}
      <AgentChoice value={agent} onChange={setAgent} />
    </Dialog>
  );
}

interface ButtonsProps {
  readonly text: string;
  readonly sending: boolean;
  readonly send: () => void;
}

function Buttons({ text, sending, send }: ButtonsProps) {
  return (
    <>
      <Button className="push" onClick={() => void copyMarkdown(text)}>
        Copy
      </Button>
      <Button onClick={() => openDialog("none")}>Keep reviewing</Button>
      <IrreversibleButton variant="primary" takesKey disabled={sending || text.trim() === ""} onPress={send}>
        {sending ? "Sending …" : "Send feedback"}
      </IrreversibleButton>
    </>
  );
}

interface FeedbackFieldProps {
  readonly text: string;
  readonly composed: string;
  readonly onChange: (text: string) => void;
}

function FeedbackField({ text, composed, onChange }: FeedbackFieldProps) {
  const [view, setView] = useState<"text" | "preview">("text");
  const field = useRef<HTMLTextAreaElement>(null);
  // Focuses the field when the text has loaded, after the dialog has opened, unless a control has the focus.
  useEffect(() => {
    const element = field.current;
    if (!element || document.activeElement?.closest("button, select, input")) return;
    element.focus({ preventScroll: true });
    element.setSelectionRange(element.value.length, element.value.length);
  }, []);
  return (
    <>
      <div className="send-head">
        <Segmented
          label="Show as"
          value={view}
          onChange={setView}
          options={[
            { value: "text", label: "Exact text" },
            { value: "preview", label: "Preview" },
          ]}
        />
        {text !== composed && (
          <Button small onClick={() => onChange(composed)}>
            Undo my edits
          </Button>
        )}
      </div>
      {view === "text" ? (
        <textarea
          ref={field}
          className="input input-code send-text"
          aria-label="Feedback in Markdown, exactly as it will be sent"
          value={text}
          rows={18}
          onChange={(event) => onChange(event.target.value)}
        />
      ) : (
        <div className="send-preview">
          <CommentText text={text} />
        </div>
      )}
    </>
  );
}

/**
 * Returns the text to send: the person's edit if it was made from the same comments, or the composed text
 * otherwise. Comments and edits that another tab adds while the dialog is open are included.
 */
function useFeedbackText() {
  const comments = useComments((state) => state.comments);
  const edited = useEditedFeedback((state) => state.edited);
  const [feedback, setFeedback] = useState<Feedback>();
  const [editedBefore, setEditedBefore] = useState<EditedFeedback>();
  const shown = useRef<string>(undefined);
  const composed = feedback?.markdown ?? "";
  const text = edited?.composed === composed ? edited.text : composed;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the comments are what is composed
  useEffect(() => {
    let current = true;
    void composeFeedback().then((now) => {
      if (!current) return;
      const known = shown.current;
      const before = useEditedFeedback.getState().edited;
      shown.current = now.markdown;
      setFeedback(now);
      // An unchanged text must not be stored again: each save makes the other tab merge and save, which makes this tab
      // merge again.
      if (known === now.markdown) return;
      if (known !== undefined && before?.composed === known) {
        keepEditedFeedback(now.markdown, mergeLines(known, before.text, now.markdown));
        setEditedBefore((earlier) => (earlier?.composed === known ? undefined : earlier));
      } else if (before) setEditedBefore(before);
    });
    return () => {
      current = false;
    };
  }, [comments]);
  const setText = (next: string) => keepEditedFeedback(composed, next);
  const isOfOthers =
    feedback !== undefined && editedBefore !== undefined && editedBefore.composed !== composed;
  const otherEdit = isOfOthers && text !== editedBefore.text ? editedBefore.text : undefined;
  return { feedback, text, setText, otherEdit };
}

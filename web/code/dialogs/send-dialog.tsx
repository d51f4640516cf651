import { useEffect, useRef, useState } from "react";
import { Button } from "../../shared/components/button.tsx";
import { Dialog } from "../../shared/components/dialog.tsx";
import { EarlierEdit } from "../../shared/components/earlier-edit.tsx";
import { Segmented } from "../../shared/components/segmented.tsx";
import { IrreversibleButton } from "../../shared/irreversible/irreversible-button.tsx";
import { CommentText } from "../comments/comment-text.tsx";
import { copyMarkdown } from "../state/compose-feedback.ts";
import { decide } from "../state/decide.ts";
import { changeFeedbackText, openFeedbackText, textToSend, useFeedbackText } from "../state/feedback-text.ts";
import { useSession } from "../state/session.ts";
import { openDialog } from "../state/view.ts";
import { AgentChoice } from "./agent-choice.tsx";

/** Renders the dialog that shows the feedback, which the person can edit before sending it. */
export function SendDialog() {
  const caller = useSession(({ index }) => index?.caller.name ?? "the agent");
  const feedback = useFeedbackText((state) => state.feedback);
  const text = useFeedbackText(textToSend);
  useEffect(openFeedbackText, []);
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
      <OtherEdit />
      {feedback && <FeedbackField text={text} composed={feedback.markdown} onChange={changeFeedbackText} />}
      <AgentChoice value={agent} onChange={setAgent} />
    </Dialog>
  );
}

/** Offers the person's edit that is not shown. */
function OtherEdit() {
  const before = useFeedbackText((state) => state.before);
  const text = useFeedbackText(textToSend);
  if (!before || before.text === text) return null;
  return <EarlierEdit onUse={() => changeFeedbackText(before.text)} />;
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

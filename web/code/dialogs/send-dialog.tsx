import { useEffect, useState } from "react";
import { Button } from "../../shared/components/button.tsx";
import { Dialog } from "../../shared/components/dialog.tsx";
import { Segmented } from "../../shared/components/segmented.tsx";
import { CommentText } from "../comments/comment-text.tsx";
import { useSession } from "../state/session.ts";
import { openDialog } from "../state/view.ts";
import { AgentChoice } from "./agent-choice.tsx";
import { composeFeedback, copyFeedback, type Feedback } from "./compose.ts";
import { decide } from "./decide.ts";

/** Shows the exact text that will be sent, to be read and edited before. */
export function SendDialog() {
  const caller = useSession(({ index }) => index?.caller.name ?? "the agent");
  const [feedback, setFeedback] = useState<Feedback>();
  const [text, setText] = useState("");
  const [view, setView] = useState<"text" | "preview">("text");
  const [agent, setAgent] = useState("");
  const [problem, setProblem] = useState<string>();
  const [sending, setSending] = useState(false);

  useEffect(() => {
    void composeFeedback().then((composed) => {
      setFeedback(composed);
      setText(composed.markdown);
    });
  }, []);

  const send = async () => {
    if (sending || text.trim() === "") return;
    setSending(true);
    setProblem(
      await decide(
        {
          feedback: text,
          complete: true,
          annotations: feedback?.annotations ?? [],
          ...(agent !== "" && { agentSwitch: agent }),
        },
        false,
      ),
    );
    setSending(false);
  };

  return (
    <Dialog
      title={`Send feedback to ${caller}`}
      wide
      onClose={() => openDialog("none")}
      footer={
        <>
          <Button className="push" onClick={() => void copyFeedback()}>
            Copy
          </Button>
          <Button onClick={() => openDialog("none")}>Back to the review</Button>
          <Button
            variant="primary"
            data-initial-focus
            aria-disabled={sending || text.trim() === ""}
            onClick={() => void send()}
          >
            {sending ? "Sending …" : "Send feedback"}
          </Button>
        </>
      }
    >
      {problem !== undefined && (
        <p className="dialog-problem" role="alert">
          Not sent: {problem} Your comments are still here.
        </p>
      )}
      {feedback?.count === 0 && <p>There are no comments yet. You can write the feedback here.</p>}
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
        {feedback && text !== feedback.markdown && (
          <Button small onClick={() => setText(feedback.markdown)}>
            Undo my edits
          </Button>
        )}
      </div>
      {view === "text" ? (
        <textarea
          className="input input-code send-text"
          aria-label="Feedback in Markdown, exactly as it will be sent"
          value={text}
          rows={18}
          onChange={(event) => setText(event.target.value)}
        />
      ) : (
        <div className="send-preview">
          <CommentText text={text} />
        </div>
      )}
      <AgentChoice value={agent} onChange={setAgent} />
    </Dialog>
  );
}

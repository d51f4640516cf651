import { useState } from "react";
import { Button } from "../../shared/components/button.tsx";
import { Dialog } from "../../shared/components/dialog.tsx";
import { IrreversibleButton } from "../../shared/irreversible/irreversible-button.tsx";
import { sentenceStart } from "../../shared/sentence-start.ts";
import { NO_CHANGES_REQUESTED } from "../core/feedback.ts";
import { nonEmptyComments, useComments } from "../state/comments.ts";
import { decide } from "../state/decide.ts";
import { useSession } from "../state/session.ts";
import { openDialog } from "../state/view.ts";
import { AgentChoice } from "./agent-choice.tsx";

/** Renders the dialog that approves the changes. Warns if unsent comments exist. */
export function ApproveDialog() {
  const caller = useSession(({ index }) => index?.caller.name ?? "The agent");
  const count = useComments(({ comments }) => nonEmptyComments(comments).length);
  const [agent, setAgent] = useState("");
  const [problem, setProblem] = useState<string>();
  const [sending, setSending] = useState(false);

  const approve = async () => {
    setSending(true);
    const agentSwitch = agent === "" ? {} : { agentSwitch: agent };
    setProblem(
      await decide(
        { feedback: NO_CHANGES_REQUESTED, complete: true, approved: true, annotations: [], ...agentSwitch },
        true,
      ),
    );
    setSending(false);
  };

  return (
    <Dialog
      title="Approve these changes"
      onClose={() => openDialog("none")}
      footer={<Buttons hasComments={count > 0} sending={sending} approve={() => void approve()} />}
    >
      {problem !== undefined && (
        <p className="dialog-problem" role="alert">
          Not sent: {problem}
        </p>
      )}
      {count > 0 ? (
        <p>
          You wrote {count === 1 ? "a comment" : `${count} comments`}. If you approve, {caller} does not
          receive {count === 1 ? "the comment" : "the comments"}, only this text:
        </p>
      ) : (
        <p>{sentenceStart(caller)} will receive:</p>
      )}
      <blockquote className="approve-text">{NO_CHANGES_REQUESTED}</blockquote>
      <AgentChoice value={agent} onChange={setAgent} />
    </Dialog>
  );
}

interface ButtonsProps {
  readonly hasComments: boolean;
  readonly sending: boolean;
  readonly approve: () => void;
}

function Buttons({ hasComments, sending, approve }: ButtonsProps) {
  return (
    <>
      <Button onClick={() => openDialog("none")}>Keep reviewing</Button>
      {hasComments ? (
        <>
          <IrreversibleButton variant="danger" disabled={sending} onPress={approve}>
            Approve without comments
          </IrreversibleButton>
          <Button variant="primary" onClick={() => openDialog("send")}>
            Send comments as feedback
          </Button>
        </>
      ) : (
        <IrreversibleButton variant="primary" takesKey disabled={sending} onPress={approve}>
          {sending ? "Sending …" : "Approve"}
        </IrreversibleButton>
      )}
    </>
  );
}

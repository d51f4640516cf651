import "../styles/threads-layer.css";
import { useEffect, useState } from "react";
import type { CallerDoubt } from "../../../src/review/api-types.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { IrreversibleButton } from "../irreversible/irreversible-button.tsx";
import { sentenceStart } from "../sentence-start.ts";
import { type CollectComments, type CommentToSend, finishReview, sendBatch } from "./send-batch.ts";
import { closeMessage, countUnsentMessages, loadLive, type ShowRound, useThreads } from "./thread-store.ts";
import { isInNextBatch } from "./threads.ts";

interface BatchDialogProps {
  /** Name of the agent. */
  readonly caller: string;
  readonly collect: CollectComments;
  /** Loads a new round and returns a description of the changes. */
  readonly showRound: ShowRound;
  readonly onClose: () => void;
}

interface LiveDialogProps extends Omit<BatchDialogProps, "caller"> {
  readonly kind: "send" | "finish";
  /** The round that the page shows. */
  readonly round: number;
  readonly onSent: () => void;
  readonly onFinished: OnFinished;
}

/** Called when the live review has ended. `doubt` is the reason why the agent might not receive the decision. */
type OnFinished = (approved: boolean, text: string, doubt: CallerDoubt | undefined) => void;

/** Renders a dialog of a live review, in place of the decision dialog of a one-shot review. */
export function LiveDialog({ kind, round, onSent, onFinished, ...shared }: LiveDialogProps) {
  const agent = useThreads(({ live }) => live?.agent.name ?? "");
  const caller = agent || "the agent";
  if (kind === "send") return <BatchDialog {...shared} caller={caller} onSent={onSent} />;
  return <FinishDialog {...shared} caller={caller} round={round} onFinished={onFinished} />;
}

/** Renders the dialog that sends everything new as one batch. The review stays open. */
function BatchDialog({
  caller,
  collect,
  showRound,
  onClose,
  onSent,
}: BatchDialogProps & { readonly onSent: () => void }) {
  const comments = useCollected(collect);
  const count = useNewCount(comments);
  const text = useThreads((state) => state.batchText);
  const sending = useThreads((state) => state.sending);
  const [problem, setProblem] = useState<string>();
  const isEmpty = count === 0 && text.trim() === "";
  const send = async () => {
    closeOpenMessages();
    const result = await sendBatch(collect, text);
    if (!result) return;
    setProblem(result.error);
    if (result.error !== undefined) {
      void loadLive(showRound);
      return;
    }
    onSent();
    onClose();
  };
  return (
    <Dialog
      title={`Send to ${caller}`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Keep reviewing</Button>
          <IrreversibleButton
            variant="primary"
            takesKey
            disabled={sending || isEmpty}
            onPress={() => void send()}
          >
            {sending ? "Sending …" : "Send"}
          </IrreversibleButton>
        </>
      }
    >
      <Problem text={problem} />
      <Contents comments={comments} />
      <TextField label="General message (optional)" />
      <p className="hint">The review stays open. Replies appear under the lines.</p>
    </Dialog>
  );
}

interface FinishDialogProps extends BatchDialogProps {
  readonly round: number;
  readonly onFinished: OnFinished;
}

/**
 * Renders the dialog that ends the live review with or without approval. Unsent comments and replies are sent too. The
 * approval is for the round that the page showed when the dialog was opened.
 */
function FinishDialog({ caller, collect, round, showRound, onClose, onFinished }: FinishDialogProps) {
  const comments = useCollected(collect);
  const count = useNewCount(comments);
  const text = useThreads((state) => state.batchText);
  const sending = useThreads((state) => state.sending);
  const [problem, setProblem] = useState<string>();
  const [seen] = useState(round);
  const newest = useThreads(({ live }) => live?.round ?? seen);
  const finish = async (approved: boolean) => {
    closeOpenMessages();
    const result = await finishReview(collect, { approved, feedback: text, round: seen });
    if (!result) return;
    setProblem(result.error);
    if (result.error === undefined) onFinished(approved, text, result.doubt);
    else void loadLive(showRound);
  };
  return (
    <Dialog
      title="Finish the review"
      onClose={onClose}
      footer={
        <>
          <Button className="push" onClick={onClose}>
            Keep reviewing
          </Button>
          <IrreversibleButton disabled={sending} onPress={() => void finish(false)}>
            End without approval
          </IrreversibleButton>
          <IrreversibleButton
            variant="primary"
            takesKey
            disabled={sending || newest > seen}
            onPress={() => void finish(true)}
          >
            {sending ? "Sending …" : "Approve and finish"}
          </IrreversibleButton>
        </>
      }
    >
      <Problem text={problem} />
      {newest > seen && problem === undefined && (
        <p className="dialog-problem" role="alert">
          Round {newest} has arrived since you opened this dialog. Close the dialog and review the round
          before you approve. Your text is kept.
        </p>
      )}
      <p>
        {sentenceStart(caller)} receives your decision, and the review ends.
        {count > 0 && " Unsent comments are included:"}
      </p>
      {count > 0 && <Contents comments={comments} />}
      <TextField label="Last message (optional)" />
    </Dialog>
  );
}

function Problem({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p className="dialog-problem" role="alert">
      Not sent: {text} Your comments are still here.
    </p>
  );
}

function TextField({ label }: { readonly label: string }) {
  const text = useThreads((state) => state.batchText);
  return (
    <label className="field">
      <span>{label}</span>
      <textarea
        className="input"
        data-initial-focus
        rows={4}
        value={text}
        onChange={({ target }) => useThreads.setState({ batchText: target.value })}
      />
    </label>
  );
}

/** Renders the numbers of items in the batch, by kind. */
function Contents({ comments }: { readonly comments: readonly CommentToSend[] }) {
  const messages = useThreads(countUnsentMessages);
  const threads = useThreads((state) => state.threads);
  const accepted = threads.filter((thread) => thread.accepted === true && isInNextBatch(thread)).length;
  const stored = threads.filter((thread) => thread.accepted !== true && isInNextBatch(thread)).length;
  const parts = [
    counted(comments.length + stored, "comment"),
    messages === 0 ? "" : messages === 1 ? "1 reply" : `${messages} replies`,
    counted(accepted, "accepted finding"),
  ].filter(Boolean);
  return (
    <p className="batch-contents">
      {parts.length === 0 ? "There is nothing new yet. You can send a general message." : parts.join(", ")}
    </p>
  );
}

function counted(count: number, name: string): string {
  if (count === 0) return "";
  return count === 1 ? `1 ${name}` : `${count} ${name}s`;
}

function useCollected(collect: BatchDialogProps["collect"]): readonly CommentToSend[] {
  const [comments, setComments] = useState<readonly CommentToSend[]>([]);
  useEffect(() => {
    let isCurrent = true;
    void collect().then((found) => isCurrent && setComments(found));
    return () => {
      isCurrent = false;
    };
  }, [collect]);
  return comments;
}

function useNewCount(comments: readonly CommentToSend[]): number {
  const stored = useThreads(({ threads }) => threads.filter(isInNextBatch).length);
  const messages = useThreads(countUnsentMessages);
  return comments.length + stored + messages;
}

/** Closes the fields of replies that are being written. The batch contains their texts. */
function closeOpenMessages(): void {
  for (const [id, { isOpen }] of useThreads.getState().drafts) if (isOpen) closeMessage(id);
}

import type { Caller } from "../../../src/review/api-types.ts";
import { Button } from "../../shared/components/button.tsx";
import { sentenceStart } from "../../shared/sentence-start.ts";
import { openDialog } from "../state/actions.ts";

export type NotesChoice = "send" | "keep";

interface UnsentNotesProps {
  readonly caller: Caller;
  readonly count: number;
  readonly choice: NotesChoice;
  readonly onChoose: (choice: NotesChoice) => void;
}

/** Asks what becomes of notes the agent has not seen. None is ever dropped: all stay on record. */
export function UnsentNotes({ caller, count, choice, onChoose }: UnsentNotesProps) {
  const notes = count === 1 ? "1 note" : `${count} notes`;
  if (caller.approvalNote === "none") {
    return (
      <p className="callout">
        {sentenceStart(caller.name)} takes no notes along with an approval: your {notes} would stay on record
        here, but would not reach it. Request changes to send them.
      </p>
    );
  }
  return (
    <fieldset className="callout">
      <legend className="legend">
        You have {notes} that {caller.name} has not seen
      </legend>
      <label className="check">
        <input type="radio" name="notes" checked={choice === "send"} onChange={() => onChoose("send")} />
        <span>Send along with the approval</span>
      </label>
      <label className="check">
        <input type="radio" name="notes" checked={choice === "keep"} onChange={() => onChoose("keep")} />
        <span>Approve without sending the notes (they are kept)</span>
      </label>
      <Button small variant="quiet" onClick={() => openDialog("request-changes")}>
        Request changes instead
      </Button>
    </fieldset>
  );
}

import type { Caller } from "../../../src/review/api-types.ts";
import { Button } from "../../shared/components/button.tsx";
import { sentenceStart } from "../../shared/sentence-start.ts";
import { openDialog } from "../state/actions.ts";

export type AnnotationsChoice = "send" | "keep";

interface UnsentAnnotationsProps {
  readonly caller: Caller;
  readonly count: number;
  readonly choice: AnnotationsChoice;
  readonly onChoose: (choice: AnnotationsChoice) => void;
}

/**
 * Renders the choice whether the approval contains the comments, or a notice if it cannot contain them. All comments
 * stay in the history.
 */
export function UnsentAnnotations({ caller, count, choice, onChoose }: UnsentAnnotationsProps) {
  const comments = count === 1 ? "1 comment" : `${count} comments`;
  if (caller.approvalNote === "none") {
    return (
      <p className="callout">
        {sentenceStart(caller.name)} cannot receive comments with an approval. Your {comments} stay in the
        history. To send them, request changes.
      </p>
    );
  }
  return (
    <fieldset className="callout">
      <legend className="legend">
        You have {comments} that {caller.name} has not seen
      </legend>
      <label className="check">
        <input type="radio" name="unsent" checked={choice === "send"} onChange={() => onChoose("send")} />
        <span>Send with the approval</span>
      </label>
      <label className="check">
        <input type="radio" name="unsent" checked={choice === "keep"} onChange={() => onChoose("keep")} />
        <span>Approve without comments (they stay in the history)</span>
      </label>
      <Button small variant="quiet" onClick={() => openDialog("request-changes")}>
        Request changes instead
      </Button>
    </fieldset>
  );
}

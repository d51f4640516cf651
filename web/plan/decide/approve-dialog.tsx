import { useState } from "react";
import type { ApproveBody, PermissionMode } from "../../../src/review/api-types.ts";
import { Button } from "../../shared/components/button.tsx";
import { Dialog } from "../../shared/components/dialog.tsx";
import { ErrorLine } from "../../shared/components/error-line.tsx";
import { IrreversibleButton } from "../../shared/irreversible/irreversible-button.tsx";
import { sentenceStart } from "../../shared/sentence-start.ts";
import { openDialog } from "../state/actions.ts";
import { approve } from "../state/decide.ts";
import { setNote } from "../state/edited-feedback.ts";
import { getFeedback } from "../state/plan-feedback.ts";
import { revertEdits } from "../state/revert-edits.ts";
import { editedPlan, useReview } from "../state/review-store.ts";
import { describeSaves, toSaveTargets } from "../state/settings.ts";
import { AgentChoice, PermissionChoice } from "./agent-choices.tsx";
import { SaveOptions } from "./save-options.tsx";
import { type AnnotationsChoice, UnsentAnnotations } from "./unsent-annotations.tsx";
import { useDecision } from "./use-decision.ts";

/** Renders the dialog that approves the plan, with the options that this agent supports. */
export function ApproveDialog() {
  const plan = useReview((state) => state.plan);
  const note = useReview((state) => state.note);
  const count = useReview((state) => state.annotations.length);
  const isEdited = useReview((state) => editedPlan(state) !== undefined);
  const isEmptied = useReview((state) => editedPlan(state)?.trim() === "");
  const [mode, setMode] = useState<PermissionMode | "">("");
  const [agent, setAgent] = useState("");
  const [choice, setChoice] = useState<AnnotationsChoice>("send");
  const { busy, error, run } = useDecision();
  if (!plan) return null;
  const { caller } = plan;
  const canSendFeedback = caller.approvalNote !== "none";
  const send = () => run(() => approve(createBody(mode, agent, canSendFeedback && choice === "send")));

  return (
    <Dialog
      title="Approve this plan"
      onClose={close}
      footer={
        <>
          <ErrorLine error={isEmptied ? EMPTIED : error} />
          <Buttons
            label={approveLabel(count, canSendFeedback, choice)}
            losesAnnotations={count > 0 && !canSendFeedback}
            busy={busy}
            isEmptied={isEmptied}
            send={send}
          />
        </>
      }
    >
      <p>
        {sentenceStart(caller.name)} goes ahead{" "}
        {caller.project && (
          <>
            in <strong>{caller.project}</strong>
          </>
        )}
        {isEdited && " with the plan as you edited it"}.
      </p>
      {count > 0 && <UnsentAnnotations caller={caller} count={count} choice={choice} onChoose={setChoice} />}
      {canSendFeedback && (
        <label className="field">
          <span>Message to {caller.name} (optional)</span>
          <textarea
            className="input"
            rows={2}
            data-initial-focus
            value={note}
            onChange={({ target }) => setNote(target.value)}
          />
        </label>
      )}
      {caller.takesPermissionMode && <PermissionChoice plan={plan} value={mode} onChange={setMode} />}
      {caller.takesAgentSwitch && <AgentChoice value={agent} onChange={setAgent} />}
      <details className="saves">
        <summary>{describeSaves(plan.settings)}</summary>
        <SaveOptions />
      </details>
    </Dialog>
  );
}

const EMPTIED = "The plan as you edited it is empty. Revert your edits to approve the original plan.";

const close = () => openDialog(undefined);

interface ButtonsProps {
  readonly label: string;
  /** Whether comments would not reach the agent, because an approval for this agent cannot contain comments. */
  readonly losesAnnotations: boolean;
  readonly busy: boolean;
  /** Whether the edited plan is empty. The agent cannot carry out an empty plan. */
  readonly isEmptied: boolean;
  readonly send: () => void;
}

function Buttons({ label, losesAnnotations, busy, isEmptied, send }: ButtonsProps) {
  return (
    <>
      <Button onClick={close}>Keep reviewing</Button>
      {losesAnnotations && (
        <Button variant="primary" onClick={() => openDialog("request-changes")}>
          Request changes instead
        </Button>
      )}
      {isEmptied && <Button onClick={revertEdits}>Revert my edits</Button>}
      <IrreversibleButton
        variant={losesAnnotations ? "plain" : "primary"}
        takesKey={!losesAnnotations}
        disabled={busy || isEmptied}
        onPress={send}
      >
        {label}
      </IrreversibleButton>
    </>
  );
}

function approveLabel(count: number, canSendFeedback: boolean, choice: AnnotationsChoice): string {
  if (count === 0) return "Approve";
  return canSendFeedback && choice === "send" ? "Approve and send comments" : "Approve without comments";
}

/**
 * Returns the request body. The feedback omits comments that the person does not send; the history keeps all
 * comments.
 */
function createBody(mode: PermissionMode | "", agent: string, withAnnotations: boolean): ApproveBody {
  const state = useReview.getState();
  const { plan, annotations, document } = state;
  if (!plan) return {};
  const sentState = withAnnotations ? state : { ...state, annotations: [] };
  const feedback = plan.caller.approvalNote === "none" ? "" : getFeedback(sentState, "approve");
  const edited = plan.caller.takesEditedPlan ? editedPlan(state) : undefined;
  return {
    ...toSaveTargets(plan.settings, document.source),
    ...(feedback !== "" && { feedback }),
    ...(mode !== "" && { permissionMode: mode }),
    ...(agent !== "" && { agentSwitch: agent }),
    ...(edited !== undefined && { plan: edited }),
    annotations,
  };
}

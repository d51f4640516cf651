import { ErrorLine } from "../../shared/components/error-line.tsx";
import { PageState } from "../../shared/components/page-state.tsx";
import { IrreversibleButton } from "../../shared/irreversible/irreversible-button.tsx";
import { useDecision } from "../decide/use-decision.ts";
import { approve, requestChanges } from "../state/decide.ts";
import { useReview } from "../state/review-store.ts";

/** The agent asked for a review but sent nothing to review. It still waits for an answer. */
export function MissingPlan() {
  const plan = useReview((state) => state.plan);
  const { busy, error, run } = useDecision();
  const name = plan?.caller.name ?? "The agent";
  const feedback = "No plan reached the review. Write the plan down, then present it again.";
  const nothingToSave = { enabled: false };
  return (
    <PageState
      title="There is no plan to review"
      actions={
        <>
          <IrreversibleButton disabled={busy} onPress={() => run(() => approve({ planSave: nothingToSave }))}>
            Approve anyway
          </IrreversibleButton>
          <IrreversibleButton
            variant="primary"
            takesKey
            disabled={busy}
            onPress={() => run(() => requestChanges({ feedback, planSave: nothingToSave }))}
          >
            Ask for a plan
          </IrreversibleButton>
        </>
      }
    >
      <p>{plan?.missing || `${name} asked for a review, but sent an empty plan.`}</p>
      <ErrorLine error={error} />
    </PageState>
  );
}

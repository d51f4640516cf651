import { memo, useEffect, useLayoutEffect, useRef } from "react";
import { sourceLines } from "../../../src/render/markdown/parse/source-lines.ts";
import { Button } from "../../shared/components/button.tsx";
import { sentenceStart } from "../../shared/sentence-start.ts";
import { setView, showChangesSince, typeSource } from "../state/actions.ts";
import { revertEdits } from "../state/revert-edits.ts";
import { getSource, useReview } from "../state/review-store.ts";

/** Edits the plan's Markdown. Saves the draft on every change. */
export function EditView() {
  const original = useReview((state) => state.plan?.plan ?? "");
  const name = useReview((state) => state.plan?.caller.name ?? "the agent");
  const text = useReview(getSource);
  return (
    <div className="edit">
      <div className="edit-head">
        <p>
          {sentenceStart(name)} receives the plan as edited here
          {text === original ? "." : ". Approve to send it."}
        </p>
        {text !== original && (
          <>
            <Button small variant="quiet" onClick={() => showChangesSince("sent")}>
              Show my edits
            </Button>
            <Button small variant="quiet" onClick={revertEdits}>
              Revert my edits
            </Button>
          </>
        )}
        <Button small onClick={() => setView("plan")}>
          Done
        </Button>
      </div>
      <PlanField />
    </div>
  );
}

/** An uncontrolled field: React would write the whole plan to a controlled one on every key press. */
const PlanField = memo(function PlanField() {
  const ref = useRef<HTMLTextAreaElement>(null);
  // Runs before the page scrolls to the reading position, which needs the text.
  useLayoutEffect(() => {
    const field = ref.current;
    if (!field) return undefined;
    const show = (text: string) => {
      if (field.value !== text) field.value = text;
    };
    show(getSource(useReview.getState()));
    field.focus({ preventScroll: true });
    const { readingLine } = useReview.getState();
    const caret = sourceLines(field.value).start(readingLine - 1);
    field.setSelectionRange(caret, caret);
    return useReview.subscribe((state) => show(getSource(state)));
  }, []);
  // The cleanup of a layout effect runs while the field still has the focus.
  useEffect(
    () => () => {
      // After the editor closes, the focus continues in the plan.
      if (document.activeElement === document.body) document.querySelector<HTMLElement>("#plan")?.focus();
    },
    [],
  );

  return (
    <textarea
      ref={ref}
      className="input input-code edit-text"
      aria-label="The plan's Markdown"
      spellCheck={false}
      onInput={({ currentTarget }) => typeSource(currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        setView("plan");
      }}
    />
  );
});

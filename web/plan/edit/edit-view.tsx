import { memo, useEffect, useLayoutEffect, useRef } from "react";
import { sourceLines } from "../../../src/render/markdown/parse/source-lines.ts";
import { Button } from "../../shared/components/button.tsx";
import { sentenceStart } from "../../shared/sentence-start.ts";
import { revertEdits, setView, showChangesSince, typeSource } from "../state/actions.ts";
import { sourceOf, useReview } from "../state/review-store.ts";

/** Changes the plan's Markdown. What is typed is the plan at once, and so lies in the draft. */
export function EditView() {
  const original = useReview((state) => state.plan?.plan ?? "");
  const name = useReview((state) => state.plan?.caller.name ?? "the agent");
  const text = useReview(sourceOf);
  return (
    <div className="edit">
      <div className="edit-head">
        <p>
          {sentenceStart(name)} gets the plan back as you leave it here
          {text === original ? "." : ": approve to hand it over."}
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

/**
 * Holds its text itself and is told of changes from elsewhere alone. A field that React holds is given the whole of a
 * long plan again with every key.
 */
const PlanField = memo(function PlanField() {
  const ref = useRef<HTMLTextAreaElement>(null);
  // Before the page scrolls to the line that was being read, which needs the text.
  useLayoutEffect(() => {
    const field = ref.current;
    if (!field) return undefined;
    const show = (text: string) => {
      if (field.value !== text) field.value = text;
    };
    show(sourceOf(useReview.getState()));
    field.focus({ preventScroll: true });
    const { readingLine } = useReview.getState();
    const caret = sourceLines(field.value).start(readingLine - 1);
    field.setSelectionRange(caret, caret);
    return useReview.subscribe((state) => show(sourceOf(state)));
  }, []);
  // A layout effect would end while the field still has the focus.
  useEffect(
    () => () => {
      // Who leaves by key or button continues in the plan, not before the head of the page.
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

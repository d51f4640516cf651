import { useEffect, useRef } from "react";
import { Button } from "../../shared/components/button.tsx";
import { showToast } from "../../shared/components/toast.tsx";
import { sentenceStart } from "../layout/sentence-start.ts";
import { setSource, setView } from "../state/actions.ts";
import { useReview } from "../state/review-store.ts";

/** Changes the plan's Markdown. What is typed is the plan at once, and so lies in the draft. */
export function EditView() {
  const original = useReview((state) => state.plan?.plan ?? "");
  const name = useReview((state) => state.plan?.caller.name ?? "the agent");
  const text = useReview((state) => state.document.source);
  const field = useRef<HTMLTextAreaElement>(null);

  useEffect(() => {
    field.current?.focus({ preventScroll: true });
    field.current?.setSelectionRange(0, 0);
  }, []);

  return (
    <div className="edit">
      <div className="edit-head">
        <p>
          {sentenceStart(name)} gets the plan back as you leave it here
          {text === original ? "." : ": approve to hand it over."}
        </p>
        {text !== original && (
          <Button small variant="quiet" onClick={() => takeBack(text, original)}>
            Back to the agent's text
          </Button>
        )}
        <Button small onClick={() => setView("plan")}>
          Done
        </Button>
      </div>
      <textarea
        ref={field}
        className="input input-code edit-text"
        aria-label="The plan's Markdown"
        spellCheck={false}
        value={text}
        onChange={({ target }) => setSource(target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.preventDefault();
          setView("plan");
        }}
      />
    </div>
  );
}

/** What was typed for minutes shall not be gone by one click. */
function takeBack(edited: string, original: string): void {
  setSource(original);
  showToast("Your changes to the plan are gone", {
    action: { label: "Undo", run: () => setSource(edited) },
  });
}

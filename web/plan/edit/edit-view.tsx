import { useState, useSyncExternalStore } from "react";
import { flushSync } from "react-dom";
import { Button } from "../../shared/components/button.tsx";
import { sentenceStart } from "../../shared/sentence-start.ts";
import { goToLine } from "../dom/reading-position.ts";
import { setView, showChangesSince } from "../state/actions.ts";
import { revertEdits } from "../state/revert-edits.ts";
import { getSource, useReview } from "../state/review-store.ts";
import { EditPreview } from "./edit-preview.tsx";
import { isPlainText, PlanField } from "./plan-field.tsx";

/** Matches a window that has room for a preview beside the editor. */
const wide = typeof matchMedia === "undefined" ? undefined : matchMedia("(min-width: 69rem)");

/**
 * The person's last choice: true to show the preview, false to hide it; undefined before the first choice.
 */
let chosen: boolean | undefined;

/** Renders the editor of the plan's Markdown. */
export function EditView() {
  const original = useReview((state) => state.plan?.plan ?? "");
  const name = useReview((state) => state.plan?.caller.name ?? "the agent");
  const text = useReview(getSource);
  const canPreview = !useReview(isPlainText);
  const [line, setLine] = useState(() => useReview.getState().readingLine);
  const [choice, setChoice] = useState(chosen);
  const isWide = useSyncExternalStore(subscribe, () => wide?.matches ?? false);
  const hasPreview = canPreview && (choice ?? isWide);
  const toggle = () => {
    chosen = !hasPreview;
    flushSync(() => setChoice(chosen));
    if (!chosen && !isWide) goToLine("edit", line, useReview.getState().document);
  };
  // The editor handles Escape itself while its search is open.
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented || event.nativeEvent.isComposing) return;
    event.preventDefault();
    setView("plan");
  };
  const position = isWide ? "beside" : "instead";
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: takes the keys of the field and the buttons in it
    <div className="edit" data-preview={hasPreview ? position : undefined} onKeyDown={onKeyDown}>
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
        {canPreview && (
          <Button small aria-pressed={hasPreview} onClick={toggle}>
            Preview
          </Button>
        )}
        <Button small onClick={() => setView("plan")}>
          Done
        </Button>
      </div>
      <div className="edit-panes">
        <PlanField onCaretLine={setLine} />
        {hasPreview && <EditPreview line={line} />}
      </div>
    </div>
  );
}

function subscribe(onChange: () => void): () => void {
  wide?.addEventListener("change", onChange);
  return () => wide?.removeEventListener("change", onChange);
}

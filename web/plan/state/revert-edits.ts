import { showToast } from "../../shared/components/toast.tsx";
import { applyTypedText, setSource } from "./actions.ts";
import { useReview } from "./review-store.ts";

/** Reverts the person's edits to the plan, and offers to undo this. */
export function revertEdits(): void {
  applyTypedText();
  const edited = useReview.getState().document.source;
  setSource(useReview.getState().plan?.plan ?? edited);
  showToast("Your edits to the plan were reverted", {
    action: { label: "Undo", run: () => setSource(edited) },
  });
}

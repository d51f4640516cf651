import { useEffect } from "react";
import { showToast } from "../../shared/components/toast.tsx";
import type { DiffController } from "../diff/controller.ts";
import { useComments } from "../state/comments.ts";
import { useDraft } from "../state/draft.ts";
import { goToComment } from "./move.ts";

/** Says that comments came back, and leads to the one that was being written when the page went. */
export function useRestoredNotice(controller: DiffController): void {
  const restored = useDraft((draft) => draft.restored);
  useEffect(() => {
    if (!restored || restored.count === 0) return;
    const { count, open } = restored;
    showToast(
      count === 1 ? "Restored 1 unsent comment" : `Restored ${count} unsent comments`,
      open === undefined
        ? {}
        : { action: { label: "Keep writing", run: () => goOnWriting(controller, open) } },
    );
  }, [restored, controller]);
}

function goOnWriting(controller: DiffController, id: string): void {
  const comment = useComments.getState().comments.find((each) => each.id === id);
  if (!comment) return;
  // An editor that is out of sight takes the focus when it appears.
  useComments.setState({ focus: id });
  goToComment(controller, comment);
  const editor = document.querySelector(`.comment-open[data-comment="${CSS.escape(id)}"]`);
  editor?.querySelector<HTMLElement>(".suggestion-code, textarea")?.focus({ preventScroll: true });
}

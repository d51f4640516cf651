import { flushSync } from "react-dom";
import { showToast } from "../../shared/components/toast.tsx";
import { type ActionName, listShortcuts } from "../../shared/keyboard/shortcut-table.ts";
import type { Shortcut, TypingTarget } from "../../shared/keyboard/shortcuts.ts";
import { sentenceStart } from "../../shared/sentence-start.ts";
import { rememberThreads, threadKeys } from "../../shared/threads/thread-keys.ts";
import { isLive } from "../../shared/threads/thread-store.ts";
import { askAbout } from "../annotate/ask-about.ts";
import { currentAnchor, selectedAnchor } from "../article/current-anchor.ts";
import type { AnnotationType } from "../model/annotations.ts";
import { moveToChange } from "../rounds/move-to-change.ts";
import {
  activate,
  addAtOnce,
  editAnnotation,
  openDialog,
  openLabels,
  removeAnnotation,
  setCursor,
  setView,
  startAnnotation,
  toggleSidebar,
  undo,
} from "../state/actions.ts";
import { activateNext, moveCursor } from "../state/moving.ts";
import { editedPlan, useReview } from "../state/review-store.ts";

const withActive = (action: (id: string) => void) => () => {
  const { activeId } = useReview.getState();
  if (activeId) action(activeId);
};

const annotate = (type: Exclude<AnnotationType, "label" | "general">) => () => {
  const anchor = currentAnchor();
  if (!anchor) {
    showToast("Select text, or move to a block with j and k, then press the key again");
  } else if (type === "delete" && !anchor.removed) {
    addAtOnce("delete", anchor);
    getSelection()?.removeAllRanges();
  } else {
    // Removed text can be commented on but not deleted again.
    flushSync(() => startAnnotation(type === "delete" ? "comment" : type, anchor));
    focusComposer();
  }
};

/** Focuses the composer's field synchronously, so that the next key is typed into it. */
function focusComposer(): void {
  const field = document.querySelector<HTMLTextAreaElement>(".composer textarea");
  field?.focus({ preventScroll: true });
  field?.setSelectionRange(field.value.length, field.value.length);
}

const moving: Partial<Record<ActionName, () => void>> = {
  next: () => moveCursor(1),
  previous: () => moveCursor(-1),
  nextComment: () => activateNext(1),
  previousComment: () => activateNext(-1),
  clear: () => {
    setCursor(undefined);
    activate(undefined);
    getSelection()?.removeAllRanges();
  },
};

const annotating: Partial<Record<ActionName, () => void>> = {
  comment: annotate("comment"),
  replace: annotate("replace"),
  insert: annotate("insert"),
  delete: annotate("delete"),
  concern: annotate("concern"),
  label: () => {
    const anchor = currentAnchor();
    if (anchor) openLabels(anchor);
    else annotate("comment")();
  },
  general: () => {
    flushSync(() => startAnnotation("general"));
    focusComposer();
  },
  edit: withActive((id) => {
    flushSync(() => editAnnotation(id));
    focusComposer();
  }),
  remove: withActive(removeAnnotation),
  undo,
  save: () => undefined,
  kinds: () => undefined,
};

const reading: Partial<Record<ActionName, () => void>> = {
  plan: () => setView("plan"),
  source: () => toggleView("source"),
  sidebar: toggleSidebar,
  help: () => openDialog("shortcuts"),
};

const onPlan: Partial<Record<ActionName, () => void>> = {
  ...moving,
  ...annotating,
  ...reading,
  ask: () => askAbout(currentAnchor()),
  nextChange: () => moveToChange(1),
  previousChange: () => moveToChange(-1),
  changes: () => toggleView("changes"),
  editPlan: () => toggleView("edit"),
  palette: () => openDialog("palette"),
  approve: () => openDialog("approve"),
  send: () => openDialog("request-changes"),
};

export const planShortcuts: readonly Shortcut[] = listShortcuts(onPlan);

/** The shortcuts of a review that is live or has threads. */
export const threadShortcuts: readonly Shortcut[] = listShortcuts({ ...onPlan, ...threadKeys(isLive) });

/** Shortcuts of a saved page, where deciding and editing are not possible. */
export const readingShortcuts: readonly Shortcut[] = listShortcuts({ ...moving, ...annotating, ...reading });

/** Starts a comment from typed text: on the selection, the block under the cursor, or the whole plan. */
export const planTyping: TypingTarget = {
  hasSelection: () => selectedAnchor() !== undefined,
  startComment(typed) {
    const anchor = currentAnchor();
    flushSync(() => startAnnotation(anchor ? "comment" : "general", anchor, typed));
    focusComposer();
  },
  closeDialog: () => flushSync(() => openDialog(undefined)),
  remember() {
    const { annotations, composer, cursor, removedCursor, dialog, labelTarget, isSidebarOpen } =
      useReview.getState();
    const revertThreads = rememberThreads();
    return () =>
      flushSync(() => {
        revertThreads();
        useReview.setState((now) => ({
          cursor,
          removedCursor,
          dialog,
          labelTarget,
          isSidebarOpen,
          // An annotation that the commands have saved is not opened again.
          composer: now.annotations === annotations ? composer : undefined,
        }));
      });
  },
};

function toggleView(view: "source" | "changes" | "edit"): void {
  const state = useReview.getState();
  const { view: current, rounds, plan } = state;
  if (view === "changes" && rounds.length === 0 && editedPlan(state) === undefined) {
    showToast("This is the first round of this plan");
  } else if (view === "edit" && !plan?.caller.takesEditedPlan) {
    showToast(`${sentenceStart(plan?.caller.name ?? "This agent")} cannot receive an edited plan`);
  } else {
    setView(current === view ? "plan" : view);
  }
}

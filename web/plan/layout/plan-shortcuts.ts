import { showToast } from "../../shared/components/toast.tsx";
import type { Shortcut } from "../../shared/keyboard/shortcuts.ts";
import { typeNames } from "../annotate/annotations.ts";
import { noteKeys } from "../annotate/selection-toolbar.tsx";
import { currentAnchor } from "../article/current-anchor.ts";
import {
  activate,
  activateNext,
  addAtOnce,
  editAnnotation,
  moveCursor,
  openDialog,
  removeAnnotation,
  setCursor,
  setView,
  startNote,
  toggleRail,
  undo,
} from "../state/actions.ts";
import { useReview } from "../state/review-store.ts";
import { sentenceStart } from "./sentence-start.ts";

const withActive = (action: (id: string) => void) => () => {
  const { activeId } = useReview.getState();
  if (activeId) action(activeId);
};

function annotate(type: (typeof noteKeys)[number]["type"]): void {
  const anchor = currentAnchor();
  if (!anchor) {
    showToast("Select text, or move to a block with j and k, then press the key again");
  } else if (type === "delete") {
    addAtOnce("delete", anchor);
    getSelection()?.removeAllRanges();
  } else {
    startNote(type, anchor);
  }
}

/** Every key of the page, in the order of the sheet. */
export const planShortcuts: readonly Shortcut[] = [
  { group: "Move", keys: ["j"], label: "Next block", run: () => moveCursor(1) },
  { group: "Move", keys: ["k"], label: "Previous block", run: () => moveCursor(-1) },
  { group: "Move", keys: ["n"], label: "Next note", run: () => activateNext(1) },
  { group: "Move", keys: ["p", "N"], label: "Previous note", run: () => activateNext(-1) },
  {
    group: "Move",
    keys: ["Escape"],
    label: "Leave block or note",
    run: () => {
      setCursor(undefined);
      activate(undefined);
      getSelection()?.removeAllRanges();
    },
  },
  ...noteKeys.map(({ type, key }) => ({
    group: "Annotate the selection or block",
    keys: [key],
    label: typeNames[type],
    run: () => annotate(type),
  })),
  {
    group: "Annotate the selection or block",
    keys: ["l"],
    label: "Quick label",
    run: () => (currentAnchor() ? openDialog("label") : annotate("comment")),
  },
  {
    group: "Annotate the selection or block",
    keys: ["g"],
    label: "General comment",
    run: () => startNote("general"),
  },
  { group: "Notes", keys: ["e"], label: "Edit the note", run: withActive(editAnnotation) },
  {
    group: "Notes",
    keys: ["Backspace", "Delete"],
    label: "Delete the note",
    run: withActive(removeAnnotation),
  },
  { group: "Notes", keys: ["u", "Mod+z"], label: "Undo", run: undo },
  { group: "Notes", keys: ["Mod+Enter"], label: "Keep the note being written", run: () => undefined },
  { group: "Look", keys: ["1"], label: "Plan", run: () => setView("plan") },
  { group: "Look", keys: ["s"], label: "Source and back", run: () => toggleView("source") },
  { group: "Look", keys: ["v"], label: "Changes since the last round", run: () => toggleView("changes") },
  { group: "Look", keys: ["E"], label: "Edit the plan", run: () => toggleView("edit") },
  { group: "Look", keys: ["."], label: "Notes panel (narrow window)", run: toggleRail },
  { group: "Decide", keys: ["a"], label: "Approve …", run: () => openDialog("approve") },
  {
    group: "Decide",
    keys: ["x"],
    label: "Request changes or deny …",
    run: () => openDialog("request-changes"),
  },
  { group: "Decide", keys: ["?"], label: "This sheet", run: () => openDialog("shortcuts") },
];

function toggleView(view: "source" | "changes" | "edit"): void {
  const { view: current, rounds, plan } = useReview.getState();
  if (view === "changes" && rounds.length === 0) {
    showToast("This is the first round of this plan");
  } else if (view === "edit" && !plan?.caller.takesEditedPlan) {
    showToast(`${sentenceStart(plan?.caller.name ?? "This agent")} cannot take an edited plan back`);
  } else {
    setView(current === view ? "plan" : view);
  }
}

/** The keys of a saved page, which neither decides nor edits. */
export const readingShortcuts: readonly Shortcut[] = planShortcuts.filter(
  ({ keys }) => !["v", "E", "a", "x"].some((key) => keys.includes(key)),
);

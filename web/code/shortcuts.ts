import { flushSync } from "react-dom";
import { announce, showToast } from "../shared/components/toast.tsx";
import type { Shortcut } from "../shared/keyboard/shortcuts.ts";
import { commentOnAll, commentOnFile, commentOnLines } from "./comments/start.ts";
import type { CommentType } from "./core/comment.ts";
import type { DiffController } from "./diff/controller.ts";
import { EXPAND_STEP, ensureText, gapAt } from "./diff/expand.ts";
import { chooseDiff } from "./header/diff-select.tsx";
import { goToMatch } from "./header/find-bar.tsx";
import { setLayout, setWhitespace, setWrap } from "./header/view-actions.ts";
import {
  changeSide,
  extend,
  fileHere,
  goToFile,
  moveComment,
  moveFile,
  moveHunk,
  moveLine,
} from "./moving.ts";
import { editComment, useComments } from "./state/comments.ts";
import { selectedLines, useCursor } from "./state/cursor.ts";
import { placeNow } from "./state/places.ts";
import { openSearch } from "./state/search.ts";
import { useSession } from "./state/session.ts";
import {
  changeExpansions,
  isFolded,
  isViewed,
  openDialog,
  setFolded,
  setViewed,
  useView,
} from "./state/view.ts";

const MOVE = "Moving";
const COMMENT = "Commenting";
const SHOW = "Showing";
const REVIEW = "Review";

/** Every key of the page, in the order of the `?` sheet. */
export function shortcutsFor(controller: DiffController): readonly Shortcut[] {
  const line = (keys: string[], label: string, run: () => void, group = MOVE): Shortcut => ({
    keys,
    label,
    group,
    run,
  });
  return [
    line(["j", "ArrowDown"], "Next line", () => moveLine(controller, 1)),
    line(["k", "ArrowUp"], "Previous line", () => moveLine(controller, -1)),
    line(["h", "ArrowLeft"], "Old side", () => changeSide(controller, "old")),
    line(["l", "ArrowRight"], "New side", () => changeSide(controller, "new")),
    line(["J", "Shift+ArrowDown"], "Extend the selection down", () => extend(controller, 1)),
    line(["K", "Shift+ArrowUp"], "Extend the selection up", () => extend(controller, -1)),
    line(["n"], "Next change", () => void moveHunk(controller, 1)),
    line(["p"], "Previous change", () => void moveHunk(controller, -1)),
    line(["N"], "Next comment", () => moveComment(controller, 1)),
    line(["P"], "Previous comment", () => moveComment(controller, -1)),
    line(["]"], "Next file", () => moveFile(controller, 1)),
    line(["["], "Previous file", () => moveFile(controller, -1)),
    line(["g", "Home"], "Start of the diff", () => controller.scrollToEnd("start")),
    line(["G", "End"], "End of the diff", () => controller.scrollToEnd("end")),
    line(["PageDown", "Space"], "Page down", () => controller.scrollBy(0.9)),
    line(["PageUp", "Shift+Space"], "Page up", () => controller.scrollBy(-0.9)),
    line(["c"], "Comment on the line or selection", () => comment(controller, "comment"), COMMENT),
    line(["s"], "Suggest a change", () => comment(controller, "suggestion"), COMMENT),
    line(["!"], "Raise a concern", () => comment(controller, "concern"), COMMENT),
    line(["e"], "Edit the comment on the line", () => editHere(), COMMENT),
    line(["f"], "Comment on the file", () => withFile(controller, commentOnFile), COMMENT),
    line(["a"], "Comment on the whole change", openGeneralComment, COMMENT),
    line(["v"], "Mark the file as viewed, or not", () => toggleViewed(controller), REVIEW),
    line(["V"], "Viewed, and on to the next file that is not", () => viewedAndOn(controller), REVIEW),
    { ...line(["Mod+Shift+Enter"], "Send feedback", () => openDialog("send"), REVIEW), whileTyping: true },
    line(["A"], "Approve", () => openDialog("approve"), REVIEW),
    line(["o", "Enter"], "Fold or unfold the file", () => withFile(controller, toggleFolded), SHOW),
    line(["x"], "Show more lines around the cursor", () => void expandHere(controller), SHOW),
    line(["u"], "Side by side or unified", toggleLayout, SHOW),
    line(["w"], "Hide or show white space", () => void setWhitespace(!useView.getState().whitespace), SHOW),
    line(["z"], "Wrap long lines, or not", () => setWrap(!useView.getState().wrap), SHOW),
    line(["b"], "File tree", () => useView.setState(({ treeOpen }) => ({ treeOpen: !treeOpen })), SHOW),
    line(["."], "Comments", () => useView.setState(({ panelOpen }) => ({ panelOpen: !panelOpen })), SHOW),
    line(["t"], "Filter the files", focusFilter, SHOW),
    line(["r"], "Take the diff anew", () => void refresh(), SHOW),
    line(["/", "Mod+f"], "Find in all files", openSearch, SHOW),
    line(["F3"], "Next match", () => void goToMatch(controller, 1), SHOW),
    line(["Shift+F3"], "Previous match", () => void goToMatch(controller, -1), SHOW),
    { ...line(["Mod+k"], "Commands and files", () => openDialog("palette"), SHOW), whileTyping: true },
    line(["?"], "This list", () => openDialog("help"), SHOW),
  ];
}

function withFile(
  controller: DiffController,
  run: (file: NonNullable<ReturnType<DiffController["currentFile"]>>) => void,
): void {
  const file = fileHere(controller);
  if (file) run(file);
}

function comment(controller: DiffController, type: CommentType): void {
  const lines = selectedLines();
  if (lines) {
    commentOnLines(lines, type);
    return;
  }
  moveLine(controller, 1);
  showToast("Choose a line first: j and k move, J and K select more; then press the key again");
}

function editHere(): void {
  const { cursor } = useCursor.getState();
  const here = useComments.getState().comments.find((each) => {
    const place = placeNow(each);
    return (
      each.path === cursor?.path &&
      "end" in place &&
      each.place?.side === cursor?.side &&
      place.end === cursor?.number
    );
  });
  if (here) editComment(here.id);
}

function openGeneralComment(): void {
  useView.setState({ panelOpen: true });
  commentOnAll();
}

function toggleFolded(file: Parameters<typeof setFolded>[0]): void {
  setFolded(file, !isFolded(useView.getState(), file));
}

function toggleViewed(controller: DiffController): void {
  withFile(controller, (file) => setViewed(file, !isViewed(useView.getState(), file)));
}

function viewedAndOn(controller: DiffController): void {
  withFile(controller, (file) => {
    setViewed(file, true);
    const { files } = useSession.getState();
    const at = files.indexOf(file);
    const rest = [...files.slice(at + 1), ...files.slice(0, at)];
    const next = rest.find((each) => !isViewed(useView.getState(), each));
    if (next) goToFile(controller, next.path);
  });
}

function toggleLayout(): void {
  setLayout(useView.getState().layout === "split" ? "unified" : "split");
}

async function refresh(): Promise<void> {
  const diffType = useSession.getState().index?.diffType;
  if (diffType !== undefined && (await chooseDiff(diffType))) announce("The diff is up to date");
}

/** At once: the next key may be the first of what is looked for. */
function focusFilter(): void {
  flushSync(() => useView.setState({ treeOpen: true }));
  document.getElementById("file-filter")?.focus();
}

/** Shows lines above and below the hunk the cursor is in. */
async function expandHere(controller: DiffController): Promise<void> {
  const { cursor } = useCursor.getState();
  const body = controller.scene().geometry.bodies.find(({ file }) => file.path === cursor?.path);
  if (!cursor || !body?.patch || !(await ensureText(cursor.path))) return;
  const hunk = body.patch.hunks.findLastIndex(
    (each) => (cursor.side === "old" ? each.oldStart : each.newStart) <= cursor.number,
  );
  changeExpansions(cursor.path, (gaps) => {
    for (const [gap, end] of [
      [hunk, "below"],
      [hunk + 1, "above"],
    ] as const) {
      if (!gapAt(body, gap)) continue;
      const shown = gaps.get(gap) ?? { above: 0, below: 0 };
      gaps.set(gap, { ...shown, [end]: shown[end] + EXPAND_STEP });
    }
  });
}

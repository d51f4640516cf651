import { flushSync } from "react-dom";
import { filterFiles } from "../../src/render/diff/patch/file-tree.ts";
import { announce, showToast } from "../shared/components/toast.tsx";
import { type ActionName, listShortcuts } from "../shared/keyboard/shortcut-table.ts";
import type { Shortcut, TypingTarget } from "../shared/keyboard/shortcuts.ts";
import { rememberThreads, threadKeys } from "../shared/threads/thread-keys.ts";
import { askAbout } from "./comments/ask-about.ts";
import { getSelectedLines } from "./comments/selected-lines.ts";
import { commentOnAll, commentOnFile, commentOnLines, deleteComment, openComment } from "./comments/start.ts";
import type { CommentType, ReviewComment } from "./core/comment.ts";
import type { DiffController } from "./diff/controller.ts";
import { EXPAND_STEP, ensureText, gapAt } from "./diff/expand.ts";
import { goToOtherEndHere } from "./diff/move-link.tsx";
import { printDiff } from "./diff/whole-diff.ts";
import { chooseDiff } from "./header/diff-select.tsx";
import { goToMatch } from "./header/find-bar.tsx";
import { stepCommit } from "./header/step-commits.ts";
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
import { openPreview, previewKind } from "./preview/preview-store.ts";
import { undoLast, useComments, withdrawComment } from "./state/comments.ts";
import { selectedLines, useCursor } from "./state/cursor.ts";
import { toggleMechanical } from "./state/mechanical.ts";
import { currentPosition } from "./state/positions.ts";
import { closeSearch, openSearch, useSearch } from "./state/search.ts";
import { useSession } from "./state/session.ts";
import { toggleSince } from "./state/since.ts";
import { toggleSymbols } from "./state/symbols.ts";
import { canRespond } from "./state/threads.ts";
import {
  changeExpansions,
  isFolded,
  isViewed,
  openDialog,
  setFolded,
  setViewed,
  useView,
} from "./state/view.ts";

/**
 * Returns the shortcuts of the page. Leaves out the shortcuts of threads unless the review is live or has threads
 * (`hasThreads`), and the shortcut to ask if no model is configured.
 */
export function shortcutsFor(
  controller: DiffController,
  { hasThreads, canAsk }: { readonly hasThreads: boolean; readonly canAsk: boolean },
): readonly Shortcut[] {
  return listShortcuts({
    ...(hasThreads && threadKeys(canRespond)),
    ...(canAsk && { ask: () => askAbout(getSelectedLines() ?? selectedLines(), fileHere(controller)) }),
    ...readingActions(controller),
    otherEnd: () => goToOtherEndHere(controller),
    changes: () => void toggleSince(),
    mechanical: toggleMechanical,
    symbols: () => void toggleSymbols(),
    preview: () => withFile(controller, showPreview),
    nextCommit: () => void stepCommit(1),
    previousCommit: () => void stepCommit(-1),
    whitespace: () => void setWhitespace(!useView.getState().whitespace),
    refresh: () => void refresh(),
    palette: () => openDialog("palette"),
    approve: () => openDialog("approve"),
    send: () => openDialog("send"),
  });
}

/** Returns the shortcuts of a saved page, which has no decision and no other diffs. */
export function readingShortcutsFor(controller: DiffController): readonly Shortcut[] {
  return listShortcuts(readingActions(controller));
}

function readingActions(controller: DiffController): Partial<Record<ActionName, () => void>> {
  return {
    next: () => moveLine(controller, 1),
    previous: () => moveLine(controller, -1),
    nextLine: () => moveLine(controller, 1),
    previousLine: () => moveLine(controller, -1),
    nextChange: () => void moveHunk(controller, 1),
    previousChange: () => void moveHunk(controller, -1),
    nextComment: () => moveComment(controller, 1),
    previousComment: () => moveComment(controller, -1),
    nextFile: () => moveFile(controller, 1),
    previousFile: () => moveFile(controller, -1),
    oldSide: () => changeSide(controller, "old"),
    newSide: () => changeSide(controller, "new"),
    extendDown: () => extend(controller, 1),
    extendUp: () => extend(controller, -1),
    start: () => controller.scrollToEnd("start"),
    end: () => controller.scrollToEnd("end"),
    pageDown: () => controller.scrollBy(0.9),
    pageUp: () => controller.scrollBy(-0.9),
    clear: clearSelection,
    comment: () => comment(controller, "comment"),
    replace: () => comment(controller, "suggestion"),
    concern: () => comment(controller, "concern"),
    file: () => withFile(controller, commentOnFile),
    general: () => commentOnAll(),
    edit: editHere,
    remove: deleteHere,
    undo: () => {
      if (!undoLast()) announce("Nothing to undo");
    },
    save: () => undefined,
    kinds: () => undefined,
    fold: () => withFile(controller, toggleFolded),
    expand: () => void expandHere(controller),
    layout: toggleLayout,
    wrap: () => setWrap(!useView.getState().wrap),
    tree: () => useView.setState(({ treeOpen }) => ({ treeOpen: !treeOpen })),
    sidebar: () => useView.setState(({ commentsOpen }) => ({ commentsOpen: !commentsOpen })),
    filter: focusFilter,
    find: focusSearch,
    nextMatch: () => void goToMatch(controller, 1),
    previousMatch: () => void goToMatch(controller, -1),
    print: () => void printDiff(),
    viewed: () => inWholeDiff(() => toggleViewed(controller)),
    viewedNext: () => inWholeDiff(() => viewedAndOn(controller)),
    help: () => openDialog("help"),
  };
}

/**
 * Turns typed text into a comment on the selection or the line of the cursor, or otherwise on the whole
 * change.
 */
export const codeTyping: TypingTarget = {
  hasSelection: () => getSelectedLines() !== undefined,
  startComment(typed) {
    const lines = getSelectedLines() ?? selectedLines();
    if (!lines || !commentOnLines(lines, "comment", typed)) commentOnAll(typed);
  },
  closeDialog: () => flushSync(() => openDialog("none")),
  finds: (search) => filterFiles(useSession.getState().files, search).length > 0,
  remember() {
    const { cursor, range } = useCursor.getState();
    const { dialog, commentsOpen, treeOpen, filter, folded } = useView.getState();
    const known = new Set(useComments.getState().comments.map(({ id }) => id));
    const isFinding = useSearch.getState().open;
    const revertThreads = rememberThreads();
    return () =>
      flushSync(() => {
        revertThreads();
        for (const { id, text } of useComments.getState().comments) {
          if (!known.has(id) && text === "") withdrawComment(id);
        }
        useCursor.setState({ cursor, range });
        useView.setState({ dialog, commentsOpen, treeOpen, filter, folded });
        if (!isFinding) closeSearch();
      });
  },
};

function clearSelection(): void {
  getSelection()?.removeAllRanges();
  useCursor.setState({ range: undefined });
}

function withFile(
  controller: DiffController,
  run: (file: NonNullable<ReturnType<DiffController["currentFile"]>>) => void,
): void {
  const file = fileHere(controller);
  if (file) run(file);
}

function comment(controller: DiffController, type: CommentType): void {
  const lines = getSelectedLines() ?? selectedLines();
  if (lines) {
    commentOnLines(lines, type);
    return;
  }
  moveLine(controller, 1);
  showToast("Choose a line first: j and k move, J and K select more; then press the key again");
}

function editHere(): void {
  const here = commentHere();
  if (here) openComment(here.id);
}

function deleteHere(): void {
  const here = commentHere();
  if (here) deleteComment(here);
}

/** Returns the comment below the line of the cursor. */
function commentHere(): ReviewComment | undefined {
  const { cursor } = useCursor.getState();
  return useComments.getState().comments.find((each) => {
    const position = currentPosition(each);
    return (
      each.path === cursor?.path &&
      "end" in position &&
      each.place?.side === cursor?.side &&
      position.end === cursor?.number
    );
  });
}

function toggleFolded(file: Parameters<typeof setFolded>[0]): void {
  setFolded(file, !isFolded(useView.getState(), file));
}

function showPreview(file: NonNullable<ReturnType<DiffController["currentFile"]>>): void {
  if (previewKind(file)) openPreview(file);
  else showToast("Only Markdown and SVG files with complete text have a preview");
}

/** Runs `mark` only while the whole diff is shown, because a viewed mark applies to the whole change of a file. */
function inWholeDiff(mark: () => void): void {
  if (useSession.getState().since === undefined) mark();
  else showToast("Show the whole diff to mark a file as viewed");
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

/** Renders synchronously, so that the next key is typed into the filter. */
function focusFilter(): void {
  flushSync(() => useView.setState({ treeOpen: true }));
  document.getElementById("file-filter")?.focus();
}

/** Renders synchronously, so that the next key is typed into the search. */
function focusSearch(): void {
  flushSync(openSearch);
  const field = document.querySelector<HTMLInputElement>(".find-bar input");
  field?.focus();
  field?.select();
}

/** Shows lines above and below the hunk of the cursor. */
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

import { announce } from "../../shared/components/toast.tsx";
import type { PaletteEntry } from "../../shared/palette/palette-entries.ts";
import { themeEntries } from "../../shared/palette/theme-entries.ts";
import { chooseDiff } from "../header/diff-select.tsx";
import { setTabWidth, TAB_WIDTHS } from "../header/view-actions.ts";
import { nonEmptyComments, useComments } from "../state/comments.ts";
import { copyFeedback } from "../state/compose-feedback.ts";
import { useRounds } from "../state/rounds.ts";
import type { useSession } from "../state/session.ts";
import { openDialog, useView } from "../state/view.ts";

type Session = ReturnType<typeof useSession.getState>;
type View = ReturnType<typeof useView.getState>;

/** Returns the commands without a key, except commands that would have no effect. */
export function keylessCommands(
  { index, files }: Session,
  { folded, tabWidth }: View,
): readonly PaletteEntry[] {
  const { diffOptions = [], moreDiffOptions = [] } = index?.gitContext ?? {};
  const canFold = files.some(({ path }) => folded.get(path) !== true);
  const canUnfold = files.some(({ path }) => folded.get(path) !== false);
  const hasComments = nonEmptyComments(useComments.getState().comments).length > 0;
  return [
    ...(canFold ? [{ label: "Fold all files", run: () => foldAll(files, true) }] : []),
    ...(canUnfold ? [{ label: "Unfold all files", run: () => foldAll(files, false) }] : []),
    ...(hasComments ? [{ label: "Copy the feedback", run: () => void copyFeedback() }] : []),
    ...(useRounds.getState().rounds.length > 0
      ? [{ label: "Earlier feedback", run: () => openDialog("rounds") }]
      : []),
    ...(index?.source === "git"
      ? [{ label: "Compare with another commit or base …", run: () => openDialog("compare") }]
      : []),
    ...[...diffOptions, ...moreDiffOptions]
      .filter(({ id }) => id !== index?.diffType)
      .map(({ id, label }) => ({ label: `Show: ${label}`, run: () => void chooseDiff(id) })),
    ...TAB_WIDTHS.filter((width) => width !== tabWidth).map((width) => ({
      label: `Tabs of ${width} columns`,
      run: () => setTabWidth(width),
    })),
    ...themeEntries(),
  ];
}

function foldAll(files: Session["files"], isFolded: boolean): void {
  useView.setState({ folded: new Map(files.map(({ path }) => [path, isFolded])) });
  announce(isFolded ? "All files folded" : "All files unfolded");
}

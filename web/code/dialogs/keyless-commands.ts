import { sendJson } from "../../shared/api/client.ts";
import { announce } from "../../shared/components/toast.tsx";
import { applyTheme, type Theme, useTheme } from "../../shared/theme/theme.ts";
import { chooseDiff } from "../header/diff-select.tsx";
import { setTabWidth, TAB_WIDTHS } from "../header/view-actions.ts";
import { nonEmptyComments, useComments } from "../state/comments.ts";
import { copyFeedback } from "../state/compose-feedback.ts";
import { useRounds } from "../state/rounds.ts";
import type { useSession } from "../state/session.ts";
import { openDialog, useView } from "../state/view.ts";
import type { Command } from "./palette-entries.ts";

type Session = ReturnType<typeof useSession.getState>;
type View = ReturnType<typeof useView.getState>;

const THEMES: readonly { readonly theme: Theme; readonly label: string }[] = [
  { theme: "light", label: "Light theme" },
  { theme: "dark", label: "Dark theme" },
  { theme: "system", label: "System theme" },
];

/** Returns the commands without a key, except commands that would have no effect. */
export function keylessCommands({ index, files }: Session, { folded, tabWidth }: View): readonly Command[] {
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
    { label: "Compare with another commit or base …", run: () => openDialog("compare") },
    ...[...diffOptions, ...moreDiffOptions]
      .filter(({ id }) => id !== index?.diffType)
      .map(({ id, label }) => ({ label: `Show: ${label}`, run: () => void chooseDiff(id) })),
    ...TAB_WIDTHS.filter((width) => width !== tabWidth).map((width) => ({
      label: `Tabs of ${width} columns`,
      run: () => setTabWidth(width),
    })),
    ...THEMES.filter(({ theme }) => theme !== useTheme.getState().theme).map(({ theme, label }) => ({
      label,
      run: () => {
        applyTheme(theme);
        void sendJson("PUT", "/api/settings", { theme });
      },
    })),
  ];
}

function foldAll(files: Session["files"], isFolded: boolean): void {
  useView.setState({ folded: new Map(files.map(({ path }) => [path, isFolded])) });
  announce(isFolded ? "All files folded" : "All files unfolded");
}

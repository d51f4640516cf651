import { showToast } from "../../shared/components/toast.tsx";
import { commitsLoaded, useCommits } from "../state/commits.ts";
import { useSession } from "../state/session.ts";
import { chooseDiff } from "./diff-select.tsx";

/**
 * Returns the commits before and after the shown one, and its position (from 0). For a commit that is not under review,
 * returns its parent as the previous commit, and position -1.
 */
export function neighbors(): { previous: string | undefined; next: string | undefined; position: number } {
  const { commits } = useCommits.getState();
  const shown = useSession.getState().index?.commit;
  const position = commits.findIndex(({ sha }) => sha === shown?.sha);
  const isListed = position >= 0;
  return {
    position,
    previous: isListed ? commits[position - 1]?.sha : (shown?.parent ?? undefined),
    next: isListed ? commits[position + 1]?.sha : undefined,
  };
}

/**
 * Number of steps that were requested while the commits or a diff are loading; positive toward later commits.
 */
let waiting = 0;
let isStepping = false;

/**
 * Shows the next or previous commit, or the first or last commit if a whole diff is shown. Waits until the
 * commits are known. Steps that are requested in the meantime are added and taken at once.
 */
export async function stepCommit(step: 1 | -1): Promise<void> {
  waiting += step;
  if (isStepping) return;
  isStepping = true;
  try {
    const problem = await commitsLoaded();
    if (problem === undefined) while (waiting !== 0) await takeSteps();
    else showToast(`Cannot load the commits: ${problem}`, { tone: "danger" });
  } finally {
    waiting = 0;
    isStepping = false;
  }
}

async function takeSteps(): Promise<void> {
  const { commits } = useCommits.getState();
  const target = commitAfter(waiting);
  waiting = 0;
  if (target !== undefined) await chooseDiff(`commit:${target}`);
  else showToast(commits.length === 0 ? "This diff has no commits" : "No more commits in this direction");
}

/**
 * Returns the commit `steps` after the shown one, or the last commit in that direction if there are fewer; undefined if
 * there is none.
 */
function commitAfter(steps: number): string | undefined {
  const { commits } = useCommits.getState();
  const shown = useSession.getState().index?.commit;
  const { previous, next, position } = neighbors();
  if (shown && position < 0) return steps > 0 ? next : previous;
  // A whole diff counts as before the first commit and after the last commit.
  const from = shown ? position : steps > 0 ? -1 : commits.length;
  const to = Math.min(Math.max(from + steps, 0), commits.length - 1);
  return to === from ? undefined : commits[to]?.sha;
}

/** Switches from a single commit to the whole diff that was shown before, or to the first diff type. */
export async function showWhole(): Promise<void> {
  const { index } = useSession.getState();
  const type = useCommits.getState().whole ?? index?.gitContext.diffOptions[0]?.id;
  if (type !== undefined) await chooseDiff(type);
}

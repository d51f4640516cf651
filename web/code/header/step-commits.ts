import { showToast } from "../../shared/components/toast.tsx";
import { useCommits } from "../state/commits.ts";
import { useSession } from "../state/session.ts";
import { chooseDiff } from "./diff-select.tsx";

/** Returns the commits before and after the shown one. For a commit that is not under review, returns its parent. */
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

/** Shows the next or previous commit; the first or last one if a whole diff is shown. */
export async function stepCommit(step: 1 | -1): Promise<void> {
  const { commits } = useCommits.getState();
  const shown = useSession.getState().index?.commit;
  const { previous, next } = neighbors();
  const target = shown ? (step > 0 ? next : previous) : commits.at(step > 0 ? 0 : -1)?.sha;
  if (target !== undefined) await chooseDiff(`commit:${target}`);
  else showToast(commits.length === 0 ? "This diff has no commits" : "No more commits in this direction");
}

/** Returns from a single commit to the diff before it. */
export async function showWhole(): Promise<void> {
  const { index } = useSession.getState();
  const type = useCommits.getState().whole ?? index?.gitContext.diffOptions[0]?.id;
  if (type !== undefined) await chooseDiff(type);
}

import type { DiffView } from "./diff-arguments.ts";
import type { DiffPlan } from "./diff-types.ts";
import { type ListedFile, listFiles } from "./listed-files.ts";
import type { Repository } from "./repository.ts";
import type { GitHandle } from "./run-git.ts";
import { type GitSnapshot, snapshotIn } from "./snapshot.ts";
import { withTree } from "./work-tree.ts";

export interface PartOptions {
  readonly view: DiffView;
  readonly choose: (files: readonly ListedFile[]) => readonly ListedFile[];
}

/**
 * Creates a separate diff of some files of a diff, chosen by name. Returns undefined if none is chosen, or if git
 * reports other files when limited to these, for example because a name is not UTF-8 or a file became a folder.
 */
export function takePart(
  repository: Repository,
  git: GitHandle,
  plan: DiffPlan,
  { view, choose }: PartOptions,
): Promise<GitSnapshot | undefined> {
  return withTree(repository, git, plan, view, async (tree) => {
    const chosen = choose(await listFiles(tree, git, plan, view));
    // An empty list of paths would select every path.
    if (chosen.length === 0) return undefined;
    const paths = chosen.flatMap(({ path, oldPath }) => (oldPath === undefined ? [path] : [oldPath, path]));
    const snapshot = await snapshotIn(tree, { repository, git, plan, view: { ...view, paths } });
    if (toComparable(snapshot.files) === toComparable(chosen)) return snapshot;
    await snapshot.spool.close();
    return undefined;
  });
}

/**
 * Returns a comparable form of a list of files, independent of order and duplicates; a file that became a link
 * appears twice in a patch.
 */
function toComparable(files: readonly Pick<ListedFile, "path" | "oldPath">[]): string {
  return JSON.stringify([...new Set(files.map(({ path, oldPath }) => `${oldPath ?? ""}\0${path}`))].sort());
}

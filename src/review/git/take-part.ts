import type { DiffView } from "./diff-arguments.ts";
import type { DiffPlan } from "./diff-types.ts";
import { type ListedFile, listFiles } from "./listed-files.ts";
import type { Repository } from "./repository.ts";
import type { GitPlace } from "./run-git.ts";
import { type Snapshot, snapshotIn } from "./snapshot.ts";
import { withTreeOf } from "./work-tree.ts";

export interface PartOptions {
  readonly view: DiffView;
  readonly choose: (files: readonly ListedFile[]) => readonly ListedFile[];
}

/**
 * Takes some files of a diff as a diff of their own, chosen by name. Undefined where none is chosen, or git, asked for
 * these alone, tells of other files: a name that is not UTF-8, or one that is a file before and a folder after.
 */
export function takePart(
  repository: Repository,
  git: GitPlace,
  plan: DiffPlan,
  { view, choose }: PartOptions,
): Promise<Snapshot | undefined> {
  return withTreeOf(repository, git, plan, view, async (tree) => {
    const chosen = choose(await listFiles(tree, git, plan, view));
    // No paths at all would mean every path.
    if (chosen.length === 0) return undefined;
    const paths = chosen.flatMap(({ path, oldPath }) => (oldPath === undefined ? [path] : [oldPath, path]));
    const snapshot = await snapshotIn(tree, repository, git, plan, { ...view, paths });
    if (namesOf(snapshot.files) === namesOf(chosen)) return snapshot;
    await snapshot.spool.close();
    return undefined;
  });
}

/** What two lists of files have alike, whatever their order; a file that became a link is in a patch twice. */
function namesOf(files: readonly Pick<ListedFile, "path" | "oldPath">[]): string {
  return JSON.stringify([...new Set(files.map(({ path, oldPath }) => `${oldPath ?? ""}\0${path}`))].sort());
}

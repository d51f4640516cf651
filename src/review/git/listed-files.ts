import { type DiffView, namesArguments } from "./diff-arguments.ts";
import type { DiffPlan } from "./diff-types.ts";
import { type GitHandle, runGit } from "./run-git.ts";
import type { WorkTree } from "./work-tree.ts";

/** A file of a diff whose lines have not been compared yet. */
export interface ListedFile {
  /** Position in the list. */
  readonly index: number;
  /** The new path, or the old path of a deleted file. */
  readonly path: string;
  /** The old path of a renamed file. */
  readonly oldPath?: string;
}

/**
 * Returns the names of all files of a diff, untracked files last. This is faster than the patch, because git reads
 * contents only for rename detection.
 */
export async function listFiles(
  tree: WorkTree | undefined,
  git: GitHandle,
  plan: DiffPlan,
  view: DiffView,
): Promise<ListedFile[]> {
  const output = await runGit(tree?.git ?? git, namesArguments(plan, view));
  const files = changedFiles(output.toString());
  if (!tree) return numbered(files);
  const { paths, large } = tree.apart;
  const apart = [...paths, ...large].map((path) => ({ path: path.toString() }));
  const isLast = ({ path, oldPath }: Omit<ListedFile, "index">) =>
    oldPath === undefined && tree.untracked.has(path);
  return numbered([...files.filter((file) => !isLast(file)), ...files.filter(isLast), ...apart]);
}

function numbered(files: readonly Omit<ListedFile, "index">[]): ListedFile[] {
  return files.map((file, index) => ({ ...file, index }));
}

/**
 * Parses `--raw -z`: `:modes objects status` NUL path NUL and, for a renamed file, new path NUL. Returns each path
 * once.
 */
function changedFiles(raw: string): Omit<ListedFile, "index">[] {
  const files = new Map<string, Omit<ListedFile, "index">>();
  const fields = raw.split("\0");
  for (let at = 0; at + 1 < fields.length; ) {
    const isPair = / [RC]\d*$/.test(fields[at] ?? "");
    const [first = "", second = ""] = [fields[at + 1], fields[at + 2]];
    const path = isPair ? second : first;
    files.set(path, isPair ? { path, oldPath: first } : { path });
    at += isPair ? 3 : 2;
  }
  return [...files.values()];
}

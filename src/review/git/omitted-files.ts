import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { OmittedFiles, OmittedPaths } from "../api-types.ts";
import type { DiffView } from "./diff-arguments.ts";
import { type DiffPlan, showsUntracked } from "./diff-types.ts";
import { listFiles } from "./listed-files.ts";
import { splitAtNul } from "./nul-list.ts";
import { EMPTY_TREE, resolveCommit } from "./refs.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";
import { createNestedHandle } from "./untracked.ts";
import { type WorkTree, withTree } from "./work-tree.ts";

const MAX_PATHS = 20;
/** Milliseconds in which the omitted files are searched for. */
const BUDGET_MS = 10_000;
const MAX_DEPTH = 8;

type Kind = keyof OmittedFiles;

/** The number of paths of one kind, and the first `MAX_PATHS` of them. */
class PathCount {
  count = 0;
  readonly paths: string[] = [];

  add(path: string, count = 1): void {
    this.count += count;
    if (this.paths.length < MAX_PATHS) this.paths.push(path);
  }
}

type Found = Readonly<Record<Kind, PathCount>>;

/**
 * Returns the files of the working tree or the index that the diff does not show, by reason; undefined if there are
 * none or the diff does not show the working tree. In a comparison with the index, ignored files and staged contents
 * are not searched for.
 */
export async function findOmitted(
  repository: Repository,
  tree: WorkTree,
  plan: DiffPlan,
  view: DiffView,
): Promise<OmittedFiles | undefined> {
  if (plan.to.kind !== "worktree") return undefined;
  const found: Found = {
    ignored: new PathCount(),
    notCheckedOut: new PathCount(),
    onlyStaged: new PathCount(),
    nested: new PathCount(),
    unknown: new PathCount(),
    elsewhere: new PathCount(),
  };
  if (repository.startedIn !== undefined) found.elsewhere.add(repository.startedIn);
  const signal = AbortSignal.any([
    AbortSignal.timeout(BUDGET_MS),
    ...(tree.git.signal ? [tree.git.signal] : []),
  ]);
  await collect(found, { repository, tree, plan, view, prefix: "", depth: 0, signal });
  tree.git.signal?.throwIfAborted();
  const members = Object.entries(found).filter(([, { count }]) => count > 0);
  if (members.length === 0) return undefined;
  return Object.fromEntries(
    members.map(([kind, { count, paths }]): [string, OmittedPaths] => [kind, { count, paths }]),
  );
}

interface NestedRepository {
  readonly repository: Repository;
  readonly tree: WorkTree;
  readonly plan: DiffPlan;
  readonly view: DiffView;
  /** Path of the repository within the outermost one, with a trailing slash; empty for the outermost one. */
  readonly prefix: string;
  readonly depth: number;
  readonly signal: AbortSignal;
}

async function collect(found: Found, inspected: NestedRepository): Promise<void> {
  const { tree, plan, prefix, signal } = inspected;
  for (const path of tree.notCheckedOut) found.notCheckedOut.add(prefix + path);
  if (showsUntracked(plan)) {
    for (const path of tree.onlyStaged) found.onlyStaged.add(prefix + path);
    await countIgnored(found, inspected).catch(() => found.unknown.add(prefix || "."));
  }
  for (const path of tree.nested) {
    const name = `${prefix}${path}`;
    await compareNested(found, inspected, path).catch(() => found.unknown.add(name));
    if (signal.aborted && tree.git.signal?.aborted) return;
  }
}

/** Counts ignored files as `git status --ignored` does: a folder with only ignored files counts as one. */
async function countIgnored(found: Found, { tree, view, prefix, signal }: NestedRepository): Promise<void> {
  const folders: readonly Buffer[] = [Buffer.alloc(0), ...tree.opened];
  for (const folder of folders) {
    const git = folder.length === 0 ? tree.git : createNestedHandle(tree.git, folder);
    const paths = folder.length === 0 ? view.paths : [];
    let rest = Buffer.alloc(0);
    let last = "";
    await runGit(
      { ...git, signal },
      ["ls-files", "--others", "--ignored", ...IGNORED, "-z", "--", ...paths],
      {
        take(chunk) {
          const text = Buffer.concat([rest, chunk]);
          const end = text.lastIndexOf(0) + 1;
          rest = Buffer.from(text.subarray(end));
          for (const path of splitAtNul(text.subarray(0, end))) {
            const name = path.toString();
            // Git lists the contents of an ignored folder after the folder.
            if (last.endsWith("/") && name.startsWith(last)) continue;
            last = name;
            found.ignored.add(`${prefix}${folder}${name}`);
          }
        },
      },
    );
  }
}

const IGNORED = ["--exclude-standard", "--directory"] as const;

/** Compares the files of a nested repository with its HEAD commit. */
async function compareNested(found: Found, outer: NestedRepository, path: Buffer): Promise<void> {
  const { repository, signal, prefix, depth } = outer;
  const folder = join(repository.root, path.toString());
  const isFolder = await lstat(folder).then((status) => status.isDirectory());
  // The diff shows a submodule that is not checked out, or a link that replaced it.
  if (!isFolder || !(await lstat(join(folder, ".git")).catch(() => undefined))) return;
  if (depth >= MAX_DEPTH || signal.aborted) throw new Error("not compared");
  const inner = await repository.openNested(folder, signal);
  const git = await inner.git(signal);
  const commit = (await resolveCommit(git, "HEAD")) ?? EMPTY_TREE[inner.objectFormat];
  const plan: DiffPlan = {
    diffType: "uncommitted",
    gitRef: "HEAD",
    from: { kind: "tree", object: commit },
    to: { kind: "worktree" },
  };
  const view: DiffView = { ignoreSpace: false, paths: [] };
  await withTree(inner, git, plan, view, async (tree) => {
    if (!tree) return;
    const inside = `${prefix}${path}/`;
    for (const file of await listFiles(tree, tree.git, plan, view)) found.nested.add(inside + file.path);
    await collect(found, { repository: inner, tree, plan, view, prefix: inside, depth: depth + 1, signal });
  });
}

import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Attributes, readAttributes } from "./attributes.ts";
import { AS_ON_DISK, type ComparedFile, findConversions } from "./conversions.ts";
import { type DiffView, NAMES_FORM } from "./diff-arguments.ts";
import type { DiffPlan, Side } from "./diff-types.ts";
import { withTimeFor } from "./fill-index.ts";
import type { ObjectFormat } from "./intent-index.ts";
import { joinWithNul } from "./nul-list.ts";
import { makeFolder, makeGitDirectory } from "./private-git.ts";
import { objectsIn } from "./raw-entries.ts";
import type { Repository } from "./repository.ts";
import { type GitHandle, runGit } from "./run-git.ts";
import { EMPTY_BLOB, indexInfo, readStagedEntries } from "./staged-entries.ts";
import { verifyObjects, verifyTree } from "./verify-objects.ts";
import { createPathFilter, findStatus, type WorkTreeStatus } from "./work-tree-status.ts";

/**
 * A working tree that is ready to be compared with a tree of the repository or with its index, or an index that is
 * ready to be compared with a tree.
 */
export interface WorkTree extends Omit<WorkTreeStatus, "fresh"> {
  /** Git with a private index. */
  readonly git: GitHandle;
  /** Attributes of changed and new files, by path. */
  readonly attributes: Promise<ReadonlyMap<string, Attributes>>;
}

/**
 * Calls `use` with a prepared working tree or index if the plan compares one, and with undefined if it compares two
 * trees.
 */
export function withTree<Result>(
  repository: Repository,
  git: GitHandle,
  plan: DiffPlan,
  view: DiffView,
  use: (tree: WorkTree | undefined) => Promise<Result>,
): Promise<Result> {
  if (plan.to.kind === "worktree") return withWorkTree(repository, git, plan, view, use);
  if (plan.to.kind === "index") return withStagedIndex(repository, git, plan.from, use);
  return use(undefined);
}

interface SharedTree {
  readonly paths: string;
  readonly opening: Promise<WorkTree>;
  users: number;
  /** Removes the tree's folder. */
  readonly finish: () => Promise<void>;
}

/**
 * Open trees by plan object. The diff of a review's first files and the whole diff are created concurrently
 * and share one tree.
 */
const shared = new WeakMap<DiffPlan, SharedTree>();

/** Calls `use` with a prepared working tree, which concurrent calls for the same plan and paths share. */
async function withWorkTree<Result>(
  repository: Repository,
  git: GitHandle,
  plan: DiffPlan,
  view: DiffView,
  use: (tree: WorkTree) => Promise<Result>,
): Promise<Result> {
  const paths = JSON.stringify(view.paths);
  const current = shared.get(plan);
  const tree = current?.paths === paths ? current : openTree(repository, git, plan, view);
  shared.set(plan, tree);
  tree.users += 1;
  try {
    return await use(await tree.opening);
  } finally {
    tree.users -= 1;
    if (tree.users === 0) {
      if (shared.get(plan) === tree) shared.delete(plan);
      await tree.finish();
    }
  }
}

function openTree(repository: Repository, git: GitHandle, { from }: DiffPlan, view: DiffView): SharedTree {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let closing: Promise<void> = Promise.resolve();
  const opening = new Promise<WorkTree>((resolve, reject) => {
    closing = withPrivateGit(repository, git, async (privateGit) => {
      resolve(await prepareTree(repository, git, privateGit, from, view));
      await ended;
    }).catch(reject);
  });
  const finish = () => {
    end();
    return closing;
  };
  return { paths: JSON.stringify(view.paths), opening, users: 0, finish };
}

async function prepareTree(
  repository: Repository,
  git: GitHandle,
  privateGit: GitHandle,
  from: Side,
  view: DiffView,
): Promise<WorkTree> {
  const { fresh, ...status } = await findStatus(repository, git, privateGit, from, view);
  const all = [...status.changed, ...fresh.map((path) => ({ path }))];
  const shown = [...all.map(({ path }) => path), ...status.apart.paths, ...status.apart.large];
  const attributes = readAttributesByPath(
    git,
    shown.map((path) => path.toString()),
  );
  attributes.catch(() => {});
  const filteredBytes = await convertWhatHidesNothing(privateGit, all);
  await addFresh(repository, privateGit, fresh);
  return { ...status, attributes, git: withTimeFor(privateGit, filteredBytes) };
}

async function readAttributesByPath(
  git: GitHandle,
  paths: readonly string[],
): Promise<Map<string, Attributes>> {
  const attributes = await readAttributes(git, paths);
  return new Map(attributes.map((each, index) => [paths[index] ?? "", each]));
}

/**
 * Verifies the old contents of the files that the view selects. Staged changes are verified when their index is
 * prepared. Throws `git_failed` as `verifyObjects` does.
 */
export function verifyChanged(
  { git, changed, sizes }: WorkTree,
  { paths }: Pick<DiffView, "paths">,
  format: ObjectFormat,
): Promise<void> {
  const isSelected = createPathFilter(paths);
  const selected = changed.filter(({ path }) => isSelected(path));
  return verifyObjects(
    git,
    selected.flatMap(({ object }) => object ?? []),
    format,
    sizes,
  );
}

/** Returns the differences of a working tree from a tree of its repository or from its index. */
export function readStatus(
  repository: Repository,
  git: GitHandle,
  from: Side,
  view: DiffView,
): Promise<WorkTreeStatus> {
  return withPrivateGit(repository, git, (privateGit) => findStatus(repository, git, privateGit, from, view));
}

/** Calls `use` with a private index that has the entries of the repository's index. */
function withStagedIndex<Result>(
  repository: Repository,
  git: GitHandle,
  from: Side,
  use: (tree: WorkTree) => Promise<Result>,
): Promise<Result> {
  const { objectFormat } = repository;
  return withPrivateGit(repository, git, async (privateGit) => {
    if (from.kind === "tree") await verifyTree(privateGit, from.object, objectFormat);
    const { entries } = await readStagedEntries(git, objectFormat);
    const input = indexInfo(new Map(), entries, objectFormat);
    if (input.length > 0)
      await runGit(privateGit, ["update-index", "--add", "-z", "--index-info"], { input });
    await verifyStaged(privateGit, from, repository);
    return use({
      git: privateGit,
      attributes: Promise.resolve(new Map()),
      changed: [],
      sizes: new Map(),
      untracked: new Set(),
      apart: { paths: [], large: [] },
      notCheckedOut: [],
      onlyStaged: [],
      opened: [],
      nested: [],
    });
  });
}

async function withPrivateGit<Result>(
  repository: Repository,
  git: GitHandle,
  use: (privateGit: GitHandle) => Promise<Result>,
): Promise<Result> {
  const folder = await makeFolder(repository);
  try {
    return await use(await makeGitDirectory(repository, git, folder));
  } finally {
    // When one git command fails, other commands may still be writing to the folder.
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

async function verifyStaged(privateGit: GitHandle, from: Side, { objectFormat }: Repository): Promise<void> {
  if (from.kind !== "tree") return;
  const args = ["diff-index", "--cached", "--no-renames", ...NAMES_FORM, from.object, "--"];
  await verifyObjects(privateGit, objectsIn(await runGit(privateGit, args)), objectFormat);
}

/** Enables conversions that cannot hide a change. Returns the number of bytes that the user's filters will read. */
async function convertWhatHidesNothing(
  privateGit: GitHandle,
  files: readonly ComparedFile[],
): Promise<number> {
  const attributes = join(privateGit.environment["GIT_DIR"] ?? "", "info", "attributes");
  await rm(attributes);
  const { lines, pristine, filteredBytes } = await findConversions(privateGit, files);
  await writeFile(attributes, AS_ON_DISK + lines);
  if (pristine.length > 0) {
    await runGit(privateGit, ["update-index", "--assume-unchanged", "-z", "--stdin"], {
      input: joinWithNul(pristine),
    });
  }
  return filteredBytes;
}

/**
 * Adds each new file to the index as an empty object. A comparison with a tree still reads the content from disk.
 */
async function addFresh(
  repository: Repository,
  privateGit: GitHandle,
  fresh: readonly Buffer[],
): Promise<void> {
  if (fresh.length === 0) return;
  const start = Buffer.from(`100644 ${EMPTY_BLOB[repository.objectFormat]} 0\t`);
  const input = joinWithNul(fresh.map((path) => Buffer.concat([start, path])));
  await runGit(privateGit, ["update-index", "--add", "--replace", "-z", "--index-info"], { input });
}

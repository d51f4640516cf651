import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AS_ON_DISK, type ComparedFile, findConversions } from "./conversions.ts";
import { type DiffView, NAMES_FORM } from "./diff-arguments.ts";
import type { DiffPlan, Side } from "./diff-types.ts";
import { withTimeFor } from "./fill-index.ts";
import { joinWithNul } from "./nul-list.ts";
import { makeFolder, makeGitDirectory } from "./private-git.ts";
import { objectsIn } from "./raw-entries.ts";
import type { Repository } from "./repository.ts";
import { type GitPlace, runGit } from "./run-git.ts";
import { EMPTY_BLOB, indexInfo, readStagedEntries } from "./staged-entries.ts";
import { verifyObjects, verifyTree } from "./verify-objects.ts";
import { findStatus, type WorkTreeStatus } from "./work-tree-status.ts";

/** A working tree, ready to be compared with a tree of the repository or with its index. */
export interface WorkTree extends Omit<WorkTreeStatus, "changed" | "fresh"> {
  /** Git with an index of our own: `git diff` compares every byte, new files included. */
  readonly git: GitPlace;
}

/** Calls `use` with the working tree, or the index, where a plan compares one, and without one where it compares trees. */
export function withTreeOf<Result>(
  repository: Repository,
  git: GitPlace,
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
  /** Removes its folder. */
  readonly finish: () => Promise<void>;
}

/** Trees in use by the plan object they were opened for: the first files of a review and all of them are taken at the same time. */
const shared = new WeakMap<DiffPlan, SharedTree>();

/** Calls `use` with a working tree that is ready to be compared with one of its repository's trees, or with its index. */
async function withWorkTree<Result>(
  repository: Repository,
  git: GitPlace,
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

function openTree(repository: Repository, git: GitPlace, { from }: DiffPlan, view: DiffView): SharedTree {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let closing: Promise<void> = Promise.resolve();
  const opening = new Promise<WorkTree>((resolve, reject) => {
    closing = withPrivateGit(repository, git, async (room) => {
      resolve(await prepareTree(repository, git, room, from, view));
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
  git: GitPlace,
  room: GitPlace,
  from: Side,
  view: DiffView,
): Promise<WorkTree> {
  const { changed, fresh, ...status } = await findStatus(repository, git, room, from, view);
  const objects = changed.flatMap(({ object }) => object ?? []);
  await verifyObjects(room, objects, repository.objectFormat);
  const all = [...changed, ...fresh.map((path) => ({ path }))];
  const filteredBytes = await convertWhatHidesNothing(room, all);
  await addFresh(repository, room, fresh);
  return { ...status, git: withTimeFor(room, filteredBytes) };
}

/** Returns what in a working tree differs from a tree of its repository, or from its index, as far as a diff may show it. */
export function readStatus(
  repository: Repository,
  git: GitPlace,
  from: Side,
  view: DiffView,
): Promise<WorkTreeStatus> {
  return withPrivateGit(repository, git, (room) => findStatus(repository, git, room, from, view));
}

/** Calls `use` with git and an index of our own that has the entries of the repository's index. */
function withStagedIndex<Result>(
  repository: Repository,
  git: GitPlace,
  from: Side,
  use: (tree: WorkTree) => Promise<Result>,
): Promise<Result> {
  const { objectFormat } = repository;
  return withPrivateGit(repository, git, async (room) => {
    if (from.kind === "tree") await verifyTree(room, from.object, objectFormat);
    const { entries } = await readStagedEntries(git, objectFormat);
    const input = indexInfo(new Map(), entries, objectFormat);
    if (input.length > 0) await runGit(room, ["update-index", "--add", "-z", "--index-info"], { input });
    await verifyStaged(room, from, repository);
    return use({
      git: room,
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
  git: GitPlace,
  use: (room: GitPlace) => Promise<Result>,
): Promise<Result> {
  const folder = await makeFolder(repository);
  try {
    return await use(await makeGitDirectory(repository, git, folder));
  } finally {
    // Where one of several git commands fails, the others may still be writing here.
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

async function verifyStaged(room: GitPlace, from: Side, { objectFormat }: Repository): Promise<void> {
  if (from.kind !== "tree") return;
  const args = ["diff-index", "--cached", "--no-renames", ...NAMES_FORM, from.object, "--"];
  await verifyObjects(room, objectsIn(await runGit(room, args)), objectFormat);
}

/** Returns how many bytes the user's filters will read. */
async function convertWhatHidesNothing(room: GitPlace, files: readonly ComparedFile[]): Promise<number> {
  const attributes = join(room.environment["GIT_DIR"] ?? "", "info", "attributes");
  await rm(attributes);
  const { lines, pristine, filteredBytes } = await findConversions(room, files);
  await writeFile(attributes, AS_ON_DISK + lines);
  if (pristine.length > 0) {
    await runGit(room, ["update-index", "--assume-unchanged", "-z", "--stdin"], {
      input: joinWithNul(pristine),
    });
  }
  return filteredBytes;
}

/** An empty object stands for each new file: compared with a tree, it is read from the disk all the same. */
async function addFresh(repository: Repository, room: GitPlace, fresh: readonly Buffer[]): Promise<void> {
  if (fresh.length === 0) return;
  const start = Buffer.from(`100644 ${EMPTY_BLOB[repository.objectFormat]} 0\t`);
  const input = joinWithNul(fresh.map((path) => Buffer.concat([start, path])));
  await runGit(room, ["update-index", "--add", "--replace", "-z", "--index-info"], { input });
}

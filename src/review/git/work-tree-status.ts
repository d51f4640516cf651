import { createHash } from "node:crypto";
import { lstat, readdir } from "node:fs/promises";
import { createQueue, type InTurn } from "../../files/in-turn.ts";
import type { ComparedFile } from "./conversions.ts";
import { type DiffView, NAMES_FORM } from "./diff-arguments.ts";
import type { Side } from "./diff-types.ts";
import { fillIndex, type IndexBase } from "./fill-index.ts";
import { joinWithNul, splitAtNul } from "./nul-list.ts";
import type { ObjectSizes } from "./object-sizes.ts";
import { rawEntries } from "./raw-entries.ts";
import type { Repository } from "./repository.ts";
import { type GitHandle, runGit, tryGit } from "./run-git.ts";
import { compareEntries, GITLINK_MODE, readStagedEntries, type StagedEntries } from "./staged-entries.ts";
import {
  hasCommit,
  listUntracked,
  separateLarge,
  type Untracked,
  type UntrackedListing,
} from "./untracked.ts";
import { verifyTree } from "./verify-objects.ts";

/** The state of a working tree before a diff is created. */
export interface WorkTreeStatus {
  /** Paths of new files that are not in the repository's index; empty with the index as the base. */
  readonly untracked: ReadonlySet<string>;
  /**
   * Files that need a separate patch: large new files, files removed from the index and, with the index as the base,
   * all new files.
   */
  readonly apart: Untracked;
  /** Tracked files that a sparse checkout leaves out. */
  readonly notCheckedOut: readonly Buffer[];
  /** Staged files whose content is on neither side of the diff. */
  readonly onlyStaged: readonly Buffer[];
  /** Folders with a `.git` but no commit, whose files are listed. */
  readonly opened: readonly Buffer[];
  /** Folders of nested repositories, including submodules. */
  readonly nested: readonly Buffer[];
  /** Files of the base that differ on disk, with their old objects. */
  readonly changed: readonly ComparedFile[];
  /** Sizes of some of the base's objects. */
  readonly sizes: ObjectSizes;
  /** New files, and new nested repositories, to add to the index; empty with the index as the base. */
  readonly fresh: readonly Buffer[];
}

/** One queue per working tree, because concurrent calls would read the same files. */
const queues = new Map<string, InTurn>();

/**
 * Returns the differences between the base and the working tree. Writes the base to the index of `privateGit`, without
 * the files that were removed from the repository's index and without hollow submodules (see `findHollow`).
 */
export async function findStatus(
  repository: Repository,
  git: GitHandle,
  privateGit: GitHandle,
  from: Side,
  view: DiffView,
): Promise<WorkTreeStatus> {
  const { root, objectFormat } = repository;
  const queue = queues.get(root) ?? createQueue();
  queues.set(root, queue);
  const reading = readStagedEntries(git, objectFormat);
  const base = await resolveBase(from, reading);
  const verifying = from.kind === "tree" ? verifyTree(privateGit, from.object, objectFormat) : undefined;
  const filling = queue(() => fillIndex(repository, privateGit, base));
  // If one of these calls fails, another one may still be writing to the folder of `privateGit`.
  await Promise.allSettled([filling, reading, verifying]);
  await verifying;
  const [{ entries: tracked, sizes }, staged] = [await filling, await reading];
  const links = [...tracked.values()].filter(({ mode }) => mode === GITLINK_MODE).map(({ path }) => path);
  const hollow = await findHollow(privateGit, links);
  const changes = compareEntries(tracked, staged.entries);
  const removed = changes.removed;
  await leaveOut(privateGit, [...removed, ...hollow]);
  const notCheckedOut = await skipWhatIsNotCheckedOut(git, privateGit);
  const [raw, { paths: others, opened }] = await Promise.all([
    runGit(privateGit, ["diff-files", "--no-renames", ...NAMES_FORM]),
    from.kind === "tree" ? listUntracked(privateGit, view) : listInHollow(privateGit, hollow, view),
  ]);
  const changed = rawEntries(raw)
    .filter(({ status }) => status === "M" || status === "T" || status === "D")
    .map(({ path, objects: [object = ""] }) => ({ path, object }));
  const { folders, ...found } = await findNew(
    privateGit,
    others,
    { ...changes, unstored: staged.unstored },
    from,
  );
  const shown = new Set(
    [...changed.map(({ path }) => path), ...found.fresh, ...found.apart.paths, ...found.apart.large].map(key),
  );
  const isHollow = new Set(hollow.map(key));
  return {
    changed,
    sizes,
    ...found,
    notCheckedOut,
    opened,
    onlyStaged: [...changes.added, ...changes.modified].filter((path) => !shown.has(key(path))),
    nested: [...links.filter((path) => !isHollow.has(key(path))), ...folders].filter(
      createPathFilter(view.paths),
    ),
  };
}

async function resolveBase(from: Side, reading: Promise<StagedEntries>): Promise<IndexBase> {
  if (from.kind === "tree") return { name: from.object };
  const { entries } = await reading;
  const hash = createHash("sha256");
  for (const { path, mode, object } of entries.values())
    hash.update(`${mode} ${object} `).update(path).update("\0");
  return { name: `index ${hash.digest("hex")}`, entries };
}

function key(path: Buffer): string {
  return path.toString("latin1");
}

/**
 * Returns a function that reports whether a path is one of these files or in one of these folders; always true if
 * `paths` is empty or contains `.`.
 */
export function createPathFilter(paths: readonly string[]): (path: Buffer) => boolean {
  const chosen = new Set(paths);
  if (chosen.size === 0 || chosen.has(".")) return () => true;
  return (path) => {
    let part = path.toString();
    while (!chosen.has(part)) {
      const slash = part.lastIndexOf("/");
      if (slash === -1) return false;
      part = part.slice(0, slash);
    }
    return true;
  };
}

/** Returns the paths that the view selects. */
export function filterUntracked({ paths, large }: Untracked, view: Pick<DiffView, "paths">): Untracked {
  const isSelected = createPathFilter(view.paths);
  return { paths: paths.filter(isSelected), large: large.filter(isSelected) };
}

async function leaveOut(privateGit: GitHandle, paths: readonly Buffer[]): Promise<void> {
  if (paths.length === 0) return;
  await runGit(privateGit, ["update-index", "--force-remove", "-z", "--stdin"], {
    input: joinWithNul(paths),
  });
}

/**
 * Returns submodules whose folder has files but no repository with a commit: git treats these as unchanged and reads no
 * file.
 */
async function findHollow(privateGit: GitHandle, links: readonly Buffer[]): Promise<Buffer[]> {
  const isHollow = await Promise.all(
    links.map(async (path) => {
      const names = await readdir(fileIn(privateGit, path)).catch(() => []);
      return names.length > 0 && !(await hasCommit(privateGit, path));
    }),
  );
  return links.filter((_path, index) => isHollow[index]);
}

/** Returns the untracked files of hollow submodules only: a comparison with the index shows no others. */
async function listInHollow(
  privateGit: GitHandle,
  hollow: readonly Buffer[],
  view: DiffView,
): Promise<UntrackedListing> {
  const paths = hollow.filter(createPathFilter(view.paths)).map((path) => path.toString());
  return paths.length === 0 ? { paths: [], opened: [] } : listUntracked(privateGit, { paths });
}

/** Marks files that a sparse checkout leaves out, so that git does not report them as deleted. Returns them. */
async function skipWhatIsNotCheckedOut(git: GitHandle, privateGit: GitHandle): Promise<readonly Buffer[]> {
  const wanted = git.settings?.repository.get("core.sparsecheckout")?.toLowerCase() ?? "false";
  if (["false", "no", "off", "0"].includes(wanted)) return [];
  const listed = splitAtNul(await runGit(git, ["ls-files", "-v", "-z"]));
  const skipped = listed
    .filter((entry) => entry[0] === 0x53 || entry[0] === 0x73)
    .map((entry) => entry.subarray(2));
  const absent: Buffer[] = [];
  for (const path of skipped) {
    const found = await lstat(fileIn(privateGit, path)).catch(() => undefined);
    if (!found) absent.push(path);
  }
  if (absent.length === 0) return [];
  await tryGit(privateGit, ["update-index", "--skip-worktree", "-z", "--stdin"], {
    input: joinWithNul(absent),
  });
  return absent;
}

interface IndexChanges {
  readonly added: readonly Buffer[];
  readonly removed: readonly Buffer[];
  readonly unstored: readonly Buffer[];
}

/**
 * Returns the files that the base or the repository's index does not have: those to add to the private index, and those
 * with a separate patch.
 */
async function findNew(
  privateGit: GitHandle,
  others: readonly Buffer[],
  { added, removed, unstored }: IndexChanges,
  from: Side,
): Promise<Pick<WorkTreeStatus, "fresh" | "apart" | "untracked"> & { readonly folders: readonly Buffer[] }> {
  const listed = new Set(others.map(key));
  // Files that are staged or intended to be added, but not listed, for example because they are ignored.
  const forced = [...added, ...unstored].filter((path) => !listed.has(key(path)));
  const isRemoved = new Set(removed.map(key));
  const { paths, large, folders } = await separateLarge(
    privateGit,
    others.filter((path) => !isRemoved.has(key(path))),
  );
  const fresh = [...paths, ...(await present(privateGit, forced))];
  // With an index as the base, the empty object that represents a new file would become its old side.
  if (from.kind === "index")
    return { fresh: [], apart: { paths: fresh, large }, untracked: new Set(), folders };
  const isStaged = new Set(added.map(key));
  return {
    fresh,
    folders,
    apart: { paths: others.filter((path) => isRemoved.has(key(path))), large },
    untracked: new Set(others.filter((path) => !isStaged.has(key(path))).map((path) => path.toString())),
  };
}

async function present(privateGit: GitHandle, paths: readonly Buffer[]): Promise<Buffer[]> {
  const found = await Promise.all(
    paths.map((path) => lstat(fileIn(privateGit, path)).catch(() => undefined)),
  );
  return paths.filter((_path, index) => found[index]?.isFile() || found[index]?.isSymbolicLink());
}

function fileIn({ directory }: GitHandle, path: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${directory}/`), path]);
}

import type { Stats } from "node:fs";
import { lstat, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { additionArguments, type DiffView } from "./diff-arguments.ts";
import { MAX_COMPARED_BYTES } from "./hardening.ts";
import { intentToAddIndex } from "./intent-index.ts";
import { splitAtNul } from "./nul-list.ts";
import { quoteName } from "./quoted-name.ts";
import { resolveCommit } from "./refs.ts";
import type { Repository } from "./repository.ts";
import { type GitHandle, runGit } from "./run-git.ts";

const SLASH = 0x2f;

/** Paths as bytes, without a trailing slash. */
export interface Untracked {
  readonly paths: readonly Buffer[];
  /** Files too large to compare: git would read them to the end, which can take minutes. */
  readonly large: readonly Buffer[];
}

/** Separates the paths of large files from the others, and returns the paths that are folders. */
export async function separateLarge(
  git: GitHandle,
  all: readonly Buffer[],
): Promise<Untracked & { readonly folders: readonly Buffer[] }> {
  const found = await Promise.all(all.map((path) => readStatus(git, path)));
  const isLarge = (index: number) =>
    Boolean(found[index]?.isFile() && found[index].size > MAX_COMPARED_BYTES);
  return {
    paths: all.filter((_path, index) => !isLarge(index)),
    large: all.filter((_path, index) => isLarge(index)),
    folders: all.filter((_path, index) => found[index]?.isDirectory()),
  };
}

/**
 * Returns the patch of a large file as git writes it for binaries, but without the object name, which would require
 * reading the file.
 */
export function additionWithoutContent(path: Buffer): Buffer {
  const [from, to] = ["a/", "b/"].map((prefix) => quoteName(Buffer.concat([Buffer.from(prefix), path])));
  return Buffer.from(
    `diff --git ${from} ${to}\nnew file mode 100644\nBinary files /dev/null and ${to} differ\n`,
  );
}

function readStatus(git: GitHandle, path: Buffer): Promise<Stats | undefined> {
  return lstat(Buffer.concat([Buffer.from(`${git.directory}/`), path])).catch(() => undefined);
}

export interface UntrackedListing {
  readonly paths: readonly Buffer[];
  /** Folders with a `.git` but no commit, whose files are listed. */
  readonly opened: readonly Buffer[];
}

/**
 * Returns the paths, as bytes, that git neither tracks nor ignores. A nested repository with a commit counts as one
 * path, as for `git add`; the files of one without a commit are listed.
 */
export async function listUntracked(
  git: GitHandle,
  { paths: wanted }: Pick<DiffView, "paths">,
): Promise<UntrackedListing> {
  const output = await runGit(git, ["ls-files", "--others", "--exclude-standard", "-z", "--", ...wanted]);
  const paths: Buffer[] = [];
  const opened: Buffer[] = [];
  for (const path of splitAtNul(output)) {
    if (path.at(-1) !== SLASH) paths.push(path);
    else if (await hasCommit(git, path)) paths.push(path.subarray(0, -1));
    else {
      const inside = await listUntracked(createNestedHandle(git, path), { paths: [] });
      const prefixed = (name: Buffer) => Buffer.concat([path, name]);
      // A folder can have more files than a call accepts arguments.
      for (const name of inside.paths) paths.push(prefixed(name));
      opened.push(path);
      for (const name of inside.opened) opened.push(prefixed(name));
    }
  }
  return { paths, opened };
}

/**
 * Returns git for a nested repository without a commit: the folder is the working tree, and the index is empty. The
 * outer repository's git lists such a folder as one path and does not add its files. `git` must use a private git
 * directory.
 */
export function createNestedHandle(git: GitHandle, folder: Buffer): GitHandle {
  const directory = join(git.directory, folder.toString());
  const index = join(git.environment["GIT_DIR"] ?? "", "no-index");
  return {
    ...git,
    directory,
    environment: { ...git.environment, GIT_WORK_TREE: directory, GIT_INDEX_FILE: index },
  };
}

/** Streams to `take` the patch that adds these paths. */
export async function streamAdditions(
  repository: Repository,
  git: GitHandle,
  paths: readonly Buffer[],
  view: DiffView,
  take: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  if (paths.length === 0) return;
  const index = intentToAddIndex(paths, repository.objectFormat);
  await withTemporaryIndex(
    (path) => writeFile(path, index, { mode: 0o600 }),
    (environment) => runGit(git, additionArguments(view), { take, environment }),
  );
}

/** Reports whether a folder is a repository with a commit. */
export async function hasCommit(git: GitHandle, folder: Buffer): Promise<boolean> {
  const directory = join(git.directory, folder.toString());
  const {
    GIT_DIR: _outer,
    GIT_WORK_TREE: _top,
    GIT_OBJECT_DIRECTORY: _objects,
    GIT_INDEX_FILE: _index,
    ...environment
  } = git.environment;
  const inside = {
    ...git,
    directory,
    environment: { ...environment, GIT_CEILING_DIRECTORIES: git.directory },
  };
  return (await resolveCommit(inside, "HEAD").catch(() => undefined)) !== undefined;
}

/**
 * Calls `use` with the environment under which git works on the index that `write` creates in a temporary folder. The
 * repository's own index is neither read nor written.
 */
async function withTemporaryIndex<Result>(
  write: (path: string) => Promise<void>,
  use: (environment: Record<string, string>) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "sallyport-index-"));
  try {
    const index = join(folder, "index");
    await write(index);
    return await use({ GIT_INDEX_FILE: index });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../errors.ts";
import type { Repository } from "../../review/git/repository.ts";
import { type GitHandle, runGit, tryGit } from "../../review/git/run-git.ts";

/** A path as the person gave it, and relative to the repository's root. */
export interface GivenPath {
  readonly given: string;
  readonly inner: string;
}

/**
 * Throws `usage` for the first path that is not in the working tree, the index or HEAD: its review would be
 * empty. `toInner` makes a path relative to the repository's root, and throws if the path is outside.
 */
export async function expectPaths(
  repository: Repository,
  paths: readonly GivenPath[],
  toInner: (given: string) => string,
  signal: AbortSignal,
): Promise<void> {
  const onDisk = await Promise.all(paths.map(({ inner }) => isOnDisk(repository, inner)));
  const absent = paths.filter((_path, index) => !onDisk[index]);
  if (absent.length === 0) return;
  const git = await repository.git(signal);
  const exists = async (inner: string) => (await isOnDisk(repository, inner)) || (await isKnown(git, inner));
  for (const { given, inner } of absent) {
    if (await isKnown(git, inner)) continue;
    const pieces = given.split(/\s+/).filter((piece) => piece !== "");
    const allExist =
      pieces.length > 1 &&
      (await Promise.all(pieces.map((piece) => isThere(piece, toInner, exists)))).every(Boolean);
    throw noSuchPath(given, allExist ? pieces : []);
  }
}

async function isThere(
  piece: string,
  toInner: (given: string) => string,
  exists: (inner: string) => Promise<boolean>,
): Promise<boolean> {
  try {
    return await exists(toInner(piece));
  } catch (error) {
    if (error instanceof AppError && error.code === "usage") return false;
    throw error;
  }
}

async function isOnDisk({ root }: Repository, inner: string): Promise<boolean> {
  return lstat(join(root, inner)).then(
    () => true,
    () => false,
  );
}

/** Returns whether the index or HEAD has the path, as a file or a folder. */
async function isKnown(git: GitHandle, inner: string): Promise<boolean> {
  const inIndex = await runGit(git, ["ls-files", "-z", "--", inner]);
  if (inIndex.length > 0) return true;
  // Before the first commit there is no HEAD.
  const inHead = await tryGit(git, ["ls-tree", "-z", "HEAD", "--", inner]);
  return inHead.exitCode === 0 && inHead.stdout.length > 0;
}

function noSuchPath(given: string, pieces: readonly string[]): AppError {
  const message = `No such path: ${JSON.stringify(given)} is not in the working tree, the index or HEAD`;
  const hint =
    pieces.length > 0
      ? `The argument contains ${pieces.length} paths. Pass each as a separate argument: sallyport review code ${pieces.join(" ")}`
      : "Check the spelling. Paths are relative to the working directory, or to the folder named with --repo.";
  return new AppError("usage", message, { hint });
}

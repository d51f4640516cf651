import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The entries that mark the root of a repository of git, jj or Sapling. In a git worktree, `.git` is a file. */
const MARKERS = [".git", ".jj", ".sl"];

/** Returns the root of the repository that contains a folder, or the folder itself if there is none. */
export function projectFolder(folder: string): string {
  return findRepository(folder) ?? folder;
}

/**
 * Returns the root of the repository that contains a folder, or undefined. Checks only that `.git`, `.jj` or `.sl`
 * exists: it reads no file and runs no program.
 */
export function findRepository(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (MARKERS.some((marker) => existsSync(join(at, marker)))) return at;
    if (dirname(at) === at) return undefined;
  }
}

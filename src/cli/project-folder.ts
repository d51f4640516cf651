import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The folders at the root of a repository of git, jj and Sapling. */
const MARKERS = [".git", ".jj", ".sl"];

/** Returns the repository that contains a folder, or else the folder. */
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

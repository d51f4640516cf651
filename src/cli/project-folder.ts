import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Returns the repository that contains a folder, or else the folder. Checks only that `.git` exists: it reads no file
 * and does not run git.
 */
export function projectFolder(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return folder;
  }
}

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The repository a folder lies in, else the folder itself. Looks for `.git` only: nothing is read, git is not run. */
export function projectFolder(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return folder;
  }
}

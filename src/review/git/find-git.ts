import { accessSync, constants } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import type { Environment } from "../../config/paths.ts";
import { AppError, systemErrorCode } from "../../errors.ts";
import { isWithin } from "../is-within.ts";

/** A program, and the PATH that it receives. */
export interface GitProgram {
  readonly binary: string;
  readonly path: string;
}

/** Finds git on the PATH as `findProgram` does. Throws `git_missing`. */
export function findGit(
  directory: string,
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): GitProgram {
  const found = findProgram("git", directory, environment, platform);
  if (found) return found;
  throw new AppError("git_missing", "git was not found on the PATH", {
    hint: "Install git (https://git-scm.com/downloads), then run the command again.",
  });
}

/**
 * Finds a program on the PATH, or returns undefined. Skips relative entries and those inside the reviewed repository,
 * such as `node_modules/.bin`. It is synchronous because git starts before the rest of the command is loaded.
 */
export function findProgram(
  name: string,
  directory: string,
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): GitProgram | undefined {
  const inside = outermostRepository(directory);
  const folders = (environment["PATH"] ?? environment["Path"] ?? "")
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !(inside && isWithin(inside, folder)));
  for (const folder of folders) {
    const binary = join(folder, platform === "win32" ? `${name}.exe` : name);
    if (isProgram(binary)) return { binary, path: folders.join(delimiter) };
  }
  return undefined;
}

/** Names of the file or folder at the root of a repository of git, jj and Sapling. */
const MARKERS = [".git", ".jj", ".sl"];

/** Returns the topmost repository among `directory` and its parents. */
function outermostRepository(directory: string): string | undefined {
  let outermost: string | undefined;
  for (let folder = directory; ; folder = dirname(folder)) {
    if (MARKERS.some((marker) => exists(join(folder, marker)))) outermost = folder;
    if (folder === dirname(folder)) return outermost;
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function exists(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch (error) {
    return systemErrorCode(error) !== "ENOENT" && systemErrorCode(error) !== "ENOTDIR";
  }
}

import { accessSync, constants } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import type { Environment } from "../../config/paths.ts";
import { AppError, systemErrorCode } from "../../errors.ts";
import { isWithin } from "../is-within.ts";

/** The git to run, and the PATH it may look for its own helpers on. */
export interface GitProgram {
  readonly binary: string;
  readonly path: string;
}

/**
 * Looks git up by hand, because a search by name would also look where the reviewed repository lies: in a relative
 * PATH entry, in `node_modules/.bin` as package runners put it first, or on Windows in the working directory.
 * Throws `git_missing`. Looks without awaiting anything, as git is to be started before the rest of the command is loaded.
 */
export function findGit(
  directory: string,
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): GitProgram {
  const inside = outermostRepository(directory);
  const folders = (environment["PATH"] ?? environment["Path"] ?? "")
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !(inside && isWithin(inside, folder)));
  for (const folder of folders) {
    const binary = join(folder, platform === "win32" ? "git.exe" : "git");
    if (isProgram(binary)) return { binary, path: folders.join(delimiter) };
  }
  throw new AppError("git_missing", "git was not found on the PATH", {
    hint: "Install git (https://git-scm.com/downloads), then run the command again.",
  });
}

/** The highest folder above `directory`, itself included, that has a `.git`. */
function outermostRepository(directory: string): string | undefined {
  let outermost: string | undefined;
  for (let folder = directory; ; folder = dirname(folder)) {
    if (exists(join(folder, ".git"))) outermost = folder;
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

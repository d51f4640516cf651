import { access, constants } from "node:fs/promises";
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
 * Throws `git_missing`.
 */
export async function findGit(
  directory: string,
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): Promise<GitProgram> {
  const inside = await outermostRepository(directory);
  const folders = (environment["PATH"] ?? environment["Path"] ?? "")
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !(inside && isWithin(inside, folder)));
  for (const folder of folders) {
    const binary = join(folder, platform === "win32" ? "git.exe" : "git");
    if (await isProgram(binary)) return { binary, path: folders.join(delimiter) };
  }
  throw new AppError("git_missing", "git was not found on the PATH", {
    hint: "Install git (https://git-scm.com/downloads), then run the command again.",
  });
}

/** The highest folder above `directory`, itself included, that has a `.git`. */
async function outermostRepository(directory: string): Promise<string | undefined> {
  let outermost: string | undefined;
  for (let folder = directory; ; folder = dirname(folder)) {
    if (await exists(join(folder, ".git"))) outermost = folder;
    if (folder === dirname(folder)) return outermost;
  }
}

async function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    (error: unknown) => systemErrorCode(error) !== "ENOENT" && systemErrorCode(error) !== "ENOTDIR",
  );
}

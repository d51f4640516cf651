import { copyFile, stat, utimes } from "node:fs/promises";
import { resolve } from "node:path";
import { type GitPlace, runGit } from "./run-git.ts";
import { withTemporaryIndex } from "./temporary-index.ts";

/**
 * Calls `use` with the environment under which git compares every tracked file. A file marked "assume unchanged" is
 * not compared otherwise, which is one command for whoever wants to keep a change from being seen; the marks are
 * taken off a copy of the index. (The other such mark, "skip worktree", git ignores by itself under our settings.)
 */
export async function withEverythingCompared<Result>(
  git: GitPlace,
  use: (environment: Record<string, string>) => Promise<Result>,
): Promise<Result> {
  const hidden = await assumedUnchanged(git);
  if (hidden.length === 0) return use({});
  const real = (await runGit(git, ["rev-parse", "--git-path", "index"])).toString().replace(/\n$/, "");
  return withTemporaryIndex(
    (path) => copyWithTimes(resolve(git.directory, real), path),
    async (environment) => {
      const input = Buffer.concat(hidden.flatMap((path) => [path, Buffer.of(0)]));
      await runGit(git, ["update-index", "--no-assume-unchanged", "-z", "--stdin"], { input, environment });
      return use(environment);
    },
  );
}

/** Git looks into files that changed as late as the index did; a copy that is younger would keep it from doing so. */
async function copyWithTimes(from: string, to: string): Promise<void> {
  const { atime, mtime } = await stat(from);
  await copyFile(from, to);
  await utimes(to, atime, mtime);
}

/** Paths whose tag in `ls-files -v` is a small letter. */
async function assumedUnchanged(git: GitPlace): Promise<Buffer[]> {
  const output = await runGit(git, ["ls-files", "-v", "-z"]);
  const paths: Buffer[] = [];
  for (let start = 0; start < output.length; ) {
    const end = output.indexOf(0, start);
    const tag = output[start] ?? 0;
    if (tag >= 0x61 && tag <= 0x7a) paths.push(output.subarray(start + 2, end));
    start = end + 1;
  }
  return paths;
}

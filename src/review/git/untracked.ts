import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { additionArguments, type DiffView } from "./diff-arguments.ts";
import { intentToAddIndex } from "./intent-index.ts";
import { commitOf } from "./refs.ts";
import type { Repository } from "./repository.ts";
import { type GitPlace, runGit } from "./run-git.ts";

const SLASH = 0x2f;

/**
 * Paths, as bytes, that git neither tracks nor ignores. A repository within this one counts as one path, as it
 * would for `git add`, and only once it has a commit.
 */
export async function listUntracked(git: GitPlace, view: DiffView): Promise<Buffer[]> {
  const output = await runGit(git, ["ls-files", "--others", "--exclude-standard", "-z", "--", ...view.paths]);
  const paths: Buffer[] = [];
  for (let start = 0; start < output.length; ) {
    const end = output.indexOf(0, start);
    const path = output.subarray(start, end);
    start = end + 1;
    if (path.at(-1) !== SLASH) paths.push(path);
    else if (await hasCommit(git, path)) paths.push(path.subarray(0, -1));
  }
  return paths;
}

/** Streams the patch that adds these paths into `take`. The repository's own index is neither read nor written. */
export async function streamAdditions(
  repository: Repository,
  git: GitPlace,
  paths: readonly Buffer[],
  view: DiffView,
  take: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  if (paths.length === 0) return;
  const folder = await mkdtemp(join(tmpdir(), "sallyport-index-"));
  try {
    const index = join(folder, "index");
    await writeFile(index, intentToAddIndex(paths, repository.objectFormat), { mode: 0o600 });
    await runGit(git, additionArguments(view), { take, environment: { GIT_INDEX_FILE: index } });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function hasCommit(git: GitPlace, folder: Buffer): Promise<boolean> {
  const directory = join(git.directory, folder.toString());
  const inside = {
    ...git,
    directory,
    environment: { ...git.environment, GIT_CEILING_DIRECTORIES: git.directory },
  };
  return (await commitOf(inside, "HEAD").catch(() => undefined)) !== undefined;
}

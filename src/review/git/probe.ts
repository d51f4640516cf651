import { createHash } from "node:crypto";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { DiffView } from "./diff-arguments.ts";
import type { DiffPlan } from "./diff-types.ts";
import type { Repository } from "./repository.ts";
import type { GitHandle } from "./run-git.ts";
import { readStagedEntries } from "./staged-entries.ts";
import { readStatus } from "./work-tree.ts";

/**
 * Returns a hash that changes whenever the diff may have changed. It covers the compared objects, the entries of a
 * compared index and, for a working tree, the names and metadata of the files that differ. It can change although the
 * diff has not: it covers metadata, not contents.
 */
export async function probeDiff(
  repository: Repository,
  git: GitHandle,
  plan: DiffPlan,
  view: DiffView,
): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify([plan.from, plan.to]));
  if (plan.to.kind === "index") {
    const { entries } = await readStagedEntries(git, repository.objectFormat);
    for (const { path, mode, object } of entries.values()) hash.update(`${mode} ${object} `).update(path);
  }
  if (plan.to.kind === "worktree") {
    const { changed, fresh, apart } = await readStatus(repository, git, plan.from, view);
    for (const { path, object = "" } of changed)
      hash
        .update(object)
        .update(path)
        .update(await stamp(git, path));
    for (const path of [...fresh, ...apart.paths, ...apart.large])
      hash
        .update("new")
        .update(path)
        .update(await stamp(git, path));
  }
  return hash.digest("hex");
}

async function stamp(git: GitHandle, path: Buffer): Promise<string> {
  const found = await lstat(join(git.directory, path.toString()), { bigint: true }).catch(() => undefined);
  return found ? `${found.mtimeNs} ${found.ctimeNs} ${found.size} ${found.ino} ${found.mode}` : "gone";
}

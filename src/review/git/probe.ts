import { createHash } from "node:crypto";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { type DiffView, rawArguments } from "./diff-arguments.ts";
import { type DiffPlan, showsUntracked } from "./diff-types.ts";
import { type GitPlace, runGit } from "./run-git.ts";
import { listUntracked } from "./untracked.ts";

/**
 * A hash that changes whenever the diff may have: of the objects compared, and for a working tree of the names,
 * sizes and times of the files that differ. Reads no file's content, so it can change without the diff changing.
 */
export async function probeDiff(git: GitPlace, plan: DiffPlan, view: DiffView): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify([plan.from, plan.to]));
  if (plan.from.kind === "tree" && plan.to.kind === "tree") return hash.digest("hex");
  const [raw, untracked] = await Promise.all([
    runGit(git, rawArguments(plan, view)),
    showsUntracked(plan) ? listUntracked(git, view) : [],
  ]);
  hash.update(raw);
  if (plan.to.kind === "index") return hash.digest("hex");
  for (const path of [...changedPaths(raw), ...untracked]) hash.update(path).update(await stamp(git, path));
  return hash.digest("hex");
}

/** The paths in `--raw -z` output without renames: `:modes objects status` NUL path NUL … */
function changedPaths(raw: Buffer): Buffer[] {
  const paths: Buffer[] = [];
  for (let start = raw.indexOf(0) + 1; start > 0; ) {
    const end = raw.indexOf(0, start);
    if (end === -1) break;
    paths.push(raw.subarray(start, end));
    start = raw.indexOf(0, end + 1) + 1;
  }
  return paths;
}

async function stamp(git: GitPlace, path: Buffer): Promise<string> {
  const found = await lstat(join(git.directory, path.toString()), { bigint: true }).catch(() => undefined);
  return found ? `${found.mtimeNs} ${found.ctimeNs} ${found.size} ${found.ino} ${found.mode}` : "gone";
}

import { lstat, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { FileSizes } from "../api-types.ts";
import { isWithin } from "../is-within.ts";
import { formatName, hasSide } from "./file-text.ts";
import { type GitHandle, runGit } from "./run-git.ts";
import type { GitSnapshot, SnapshotFile } from "./snapshot.ts";

/**
 * Returns the sizes of the binary files of a diff, from one call of git. If git has no object for the new side, reads
 * the size from the working tree. A size that cannot be determined is absent.
 */
export async function readSizes(git: GitHandle, snapshot: GitSnapshot): Promise<FileSizes[]> {
  const files = snapshot.files.filter(({ binary }) => binary);
  if (files.length === 0) return [];
  const { from, to } = snapshot.plan;
  const objects = await readObjectSizes(
    git,
    files.flatMap((file) => [
      isPresent(file, "old") ? (file.oldBlob ?? formatName(from, file.oldPath ?? file.path)) : undefined,
      isPresent(file, "new") ? file.newBlob : undefined,
    ]),
  );
  return Promise.all(
    files.map(async (file, at) => {
      const isOnDisk = to.kind === "worktree" && isPresent(file, "new");
      const size = objects[at * 2 + 1] ?? (isOnDisk ? await sizeOnDisk(git.directory, file.path) : undefined);
      return { index: file.index, old: objects[at * 2], new: size };
    }),
  );
}

function isPresent(file: SnapshotFile, side: "old" | "new"): boolean {
  return hasSide(file, side) && file.status !== (side === "old" ? "added" : "deleted");
}

/**
 * Returns the sizes of objects in the given order; undefined for an object without a name, with a newline or NUL in
 * its name, or that git does not have.
 */
async function readObjectSizes(
  git: GitHandle,
  names: readonly (string | undefined)[],
): Promise<(number | undefined)[]> {
  // Git reads one name per line.
  const isAsked = (name: string | undefined) => name !== undefined && !/[\0\n]/.test(name);
  const asked = names.filter(isAsked);
  const input = asked.map((name) => `${name}\n`).join("");
  const args = ["cat-file", "--batch-check=%(objectname) %(objectsize)", "--buffer"];
  const lines = asked.length === 0 ? [] : (await runGit(git, args, { input })).toString().split("\n");
  let next = 0;
  return names.map((name) => {
    if (!isAsked(name)) return undefined;
    const [, size] = /^[0-9a-f]{40,64} (\d+)$/.exec(lines[next++] ?? "") ?? [];
    return size === undefined ? undefined : Number(size);
  });
}

async function sizeOnDisk(root: string, path: string): Promise<number | undefined> {
  const file = join(root, path);
  const found = await realpath(file).catch(() => undefined);
  if (found === undefined || !isWithin(root, found)) return undefined;
  const stats = await lstat(file).catch(() => undefined);
  return stats?.isFile() ? stats.size : undefined;
}

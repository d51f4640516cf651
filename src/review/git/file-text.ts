import { AppError } from "../../errors.ts";
import { applyPatch } from "./apply-patch.ts";
import type { Side } from "./diff-types.ts";
import { type GitHandle, tryGit } from "./run-git.ts";
import { isNullObject } from "./section-header.ts";
import type { GitSnapshot, Snapshot, SnapshotFile } from "./snapshot.ts";

/** Maximum bytes of a file that is shown as text. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;
/** Maximum bytes of the patches of several files that are read together. */
const READ_TOGETHER = 1024 * 1024;
const SUBMODULE = "160000";

/**
 * Returns one side of a file as the snapshot has it. The new side is the old side with the snapshot's patch applied, so
 * that it fits the displayed diff even if the file has changed since. Throws `not_found` if the side does not exist,
 * `validation` for a binary file, and `too_large`.
 */
export async function readSide(
  git: GitHandle,
  snapshot: GitSnapshot,
  path: string,
  side: "old" | "new",
): Promise<Buffer> {
  const file = findFile(snapshot, path, side);
  if (file?.binary) throw new AppError("validation", `${path} is binary`);
  if ((side === "old" ? file?.oldMode : file?.newMode) === SUBMODULE) throw noSuchSide(path, side);
  const from = snapshot.plan.from;
  if (!file) return readObject(git, formatName(from, path), path, side);
  if (!hasSide(file, side)) throw noSuchSide(path, side);
  const oldName = file.oldBlob ?? formatName(from, file.oldPath ?? file.path);
  const old = hasSide(file, "old") ? await readObject(git, oldName, path, side) : Buffer.alloc(0);
  return side === "old" ? old : applyPatch(old, await readPatch(snapshot, file));
}

/**
 * Returns the file of a diff that has this path on a side. On the old side, a renamed file matches either of its
 * names.
 */
export function findFile(snapshot: Snapshot, path: string, side: "old" | "new"): SnapshotFile | undefined {
  const named = snapshot.files.filter((file) => file.path === path);
  // A change between file and link appears as two entries, one for each side.
  const found = named.find((file) => hasSide(file, side)) ?? named[0];
  return found ?? (side === "old" ? snapshot.files.find((file) => file.oldPath === path) : undefined);
}

/** Reports whether a file exists on a side of the diff. */
export function hasSide({ oldBlob, newBlob }: SnapshotFile, side: "old" | "new"): boolean {
  const blob = side === "old" ? oldBlob : newBlob;
  return blob === undefined || !isNullObject(blob);
}

/** Returns the content of an object. Throws `not_found` if git does not have it, and `too_large`. */
export function readBlob(git: GitHandle, blob: string, path: string): Promise<Buffer> {
  return readObject(git, blob, path, "old");
}

/** Returns the complete patch of one file. Throws `too_large`. */
export async function readPatch({ spool }: Snapshot, { section, path }: SnapshotFile): Promise<Buffer> {
  if (section.length > MAX_TEXT_BYTES) throw tooLarge(path);
  return spool.readWhole(section.offset, section.length);
}

/**
 * Yields files with their complete patches, in sequence. Reads the patches of neighbors together, because a separate
 * read for each file is slow. With `reuse`, a patch is valid only until the next one is requested.
 */
export async function* readPatches(
  { spool }: Snapshot,
  files: readonly SnapshotFile[],
  { reuse = false }: { readonly reuse?: boolean } = {},
): AsyncGenerator<readonly [file: SnapshotFile, patch: Buffer]> {
  const buffer = reuse ? Buffer.allocUnsafe(READ_TOGETHER) : undefined;
  for (let next = 0; next < files.length; ) {
    const start = files[next]?.section.offset ?? 0;
    const together: SnapshotFile[] = [];
    let end = start;
    for (let file = files[next]; file?.section.offset === end; file = files[next]) {
      if (together.length > 0 && end + file.section.length - start > READ_TOGETHER) break;
      together.push(file);
      end += file.section.length;
      next += 1;
    }
    const bytes = await spool.readWhole(start, end - start, end - start > READ_TOGETHER ? undefined : buffer);
    for (const file of together) {
      const from = file.section.offset - start;
      yield [file, bytes.subarray(from, from + file.section.length)];
    }
  }
}

/** Yields the patches of files in sequence, in pieces. */
export async function* readFiles(
  { spool }: Snapshot,
  files: readonly SnapshotFile[],
): AsyncGenerator<Buffer> {
  for (const { section } of files) yield* spool.read(section.offset, section.length);
}

/** Returns an object expression that git cannot read as an option: it begins with an object name or a colon. */
export function formatName(side: Side, path: string): string {
  return side.kind === "tree" ? `${side.object}:${path}` : `:0:${path}`;
}

async function readObject(git: GitHandle, name: string, path: string, side: string): Promise<Buffer> {
  if (name.includes("\0")) throw noSuchSide(path, side);
  const pieces: Buffer[] = [];
  let size = 0;
  const result = await tryGit(git, ["cat-file", "blob", name], {
    take(chunk) {
      size += chunk.length;
      if (size > MAX_TEXT_BYTES) throw tooLarge(path);
      pieces.push(chunk);
    },
  });
  if (result.exitCode !== 0) throw noSuchSide(path, side);
  return Buffer.concat(pieces);
}

function noSuchSide(path: string, side: string): AppError {
  return new AppError("not_found", `There is no text of ${path} on the ${side} side of this diff`);
}

function tooLarge(path: string): AppError {
  return new AppError("too_large", `${path} is too large to show`);
}

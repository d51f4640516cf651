import { createHash } from "node:crypto";
import { copyFile, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { AppError } from "../../errors.ts";
import { makePrivateFolder } from "../../files/private-folder.ts";
import {
  formatIndex,
  isUnread,
  parseIndex,
  readObjectId,
  readPath,
  readTracked,
  withoutTimes,
  withSize,
} from "./index-entries.ts";
import type { ObjectFormat } from "./intent-index.ts";
import { splitAtNul } from "./nul-list.ts";
import { type ObjectSizes, readSizes } from "./object-sizes.ts";
import type { Repository } from "./repository.ts";
import { CALL_LIMIT_MS, type GitHandle, runGit, tryGit } from "./run-git.ts";
import { indexInfo, listEntries, parseListing, type TrackedEntries } from "./staged-entries.ts";

/** Files per slice. Starting git for a slice takes as long as comparing a few hundred files. */
const MIN_SLICE_FILES = 1_000;
const MAX_SLICE_FILES = 10_000;
/** Intended number of slices per concurrent worker, so that all workers end at about the same time. */
const SLICES_PER_PROCESS = 6;
const MAX_SLICE_BYTES = 64 * 1024 * 1024;
/** Number of files below which one call is faster than several processes. */
const MIN_SLICED_FILES = 1_000;
const MAX_PROCESSES = 4;
/** Minimum disk throughput, in bytes per millisecond, that time limits allow for. */
const MIN_BYTES_PER_MS = 1_024;
/** Minimum milliseconds between two saves of progress. */
const SAVE_EVERY_MS = 3_000;

/**
 * The base of a working-tree diff: a tree, whose object name is `name`, or the entries of an index, whose hash is
 * `name`.
 */
export type IndexBase = { readonly name: string; readonly entries?: TrackedEntries };

/**
 * Writes the base to a private index, and marks the files of the working tree that are equal to it. Caches the results
 * in the data directory with the files' times. The repository's own index is not trusted, because any process that
 * writes it can mark a file as unchanged. Returns the entries of the base, and the known sizes of their objects.
 */
export async function fillIndex(
  repository: Repository,
  privateGit: GitHandle,
  base: IndexBase,
): Promise<{ readonly entries: TrackedEntries; readonly sizes: ObjectSizes }> {
  const index = privateGit.environment["GIT_INDEX_FILE"] ?? "";
  const cache = keptIndex(repository);
  const known = kept.get(cache);
  const writtenAt = await copyWithTime(cache, index).catch(() => undefined);
  const isSame = known?.name === base.name && known.writtenAt === writtenAt;
  let sizes: ObjectSizes = new Map();
  if (!isSame) {
    await resetToBase(repository, privateGit, base).catch(async () => {
      await rm(index, { force: true });
      await resetToBase(repository, privateGit, base);
    });
    sizes = await compareUnread(repository, privateGit, index);
  }
  await refresh(repository, privateGit, index);
  const entries =
    base.entries ?? (isSame ? known.entries : await readEntries(privateGit, index, repository.objectFormat));
  const keptAt = await saveToCache(index, cache).catch(() => undefined);
  if (keptAt !== undefined) kept.set(cache, { name: base.name, writtenAt: keptAt, entries });
  return { entries, sizes };
}

async function readEntries(git: GitHandle, index: string, format: ObjectFormat): Promise<TrackedEntries> {
  // If the index cannot be read or parsed, git lists its entries.
  const content = await readFile(index).catch(() => Buffer.alloc(0));
  return readTracked(content, format) ?? parseListing(await listEntries(git)).entries;
}

/** Replaces the entries of the index with those of the base. Unchanged entries keep their file times. */
async function resetToBase(
  repository: Repository,
  privateGit: GitHandle,
  { name, entries }: IndexBase,
): Promise<void> {
  if (!entries) {
    await runGit(privateGit, ["read-tree", "-m", name]);
    return;
  }
  const before = parseListing(await listEntries(privateGit)).entries;
  const input = indexInfo(before, entries, repository.objectFormat);
  if (input.length > 0)
    await runGit(privateGit, ["update-index", "--add", "--replace", "-z", "--index-info"], { input });
}

/** Returns the path of a working tree's index cache, which is kept between reviews. */
export function keptIndex({ indexesDirectory, root }: Pick<Repository, "indexesDirectory" | "root">): string {
  const name = createHash("sha256").update(root).digest("hex").slice(0, 32);
  return join(indexesDirectory, `${name}.index`);
}

/**
 * Compares every file whose times have changed. If one call does not finish in time, compares in slices and saves
 * their results.
 */
async function refresh(repository: Repository, privateGit: GitHandle, index: string): Promise<void> {
  // A failure is ignored, because the diff itself reads the files that are not marked as unchanged.
  const once = () => tryGit(privateGit, ["update-index", "-q", "--ignore-submodules", "--refresh"]);
  try {
    await once();
  } catch (error) {
    if (!(error instanceof AppError && error.code === "git_timeout")) throw error;
    await rm(`${index}.lock`, { force: true });
    await forgetChanged(repository, privateGit, index);
    await compareUnread(repository, privateGit, index);
    await once();
  }
}

/** Marks the files whose times differ from the index as unread. */
async function forgetChanged(
  { objectFormat }: Repository,
  privateGit: GitHandle,
  index: string,
): Promise<void> {
  const listing = splitAtNul(await runGit(privateGit, ["diff-files", "--name-only", "--no-renames", "-z"]));
  const changed = new Set(listing.map((path) => path.toString("latin1")));
  const entries = parseIndex(await readFile(index), objectFormat) ?? [];
  const forgotten = entries.map((entry) =>
    changed.has(readPath(entry, objectFormat)) ? withoutTimes(entry) : entry,
  );
  await writeIndex(index, forgotten, objectFormat, Date.now());
}

/** Bases of the index caches that this process wrote, by path. */
const kept = new Map<
  string,
  { readonly name: string; readonly writtenAt: number; readonly entries: TrackedEntries }
>();

/**
 * Copies an index and its modification time, rounded down to a second. Git rereads files that are not older than the
 * index ("racy git"); if the copy had a later time, git would miss their changes. Returns the time of the original in
 * milliseconds.
 */
async function copyWithTime(from: string, to: string): Promise<number> {
  const { mtimeMs } = await stat(from);
  await copyFile(from, to);
  const second = Math.floor(mtimeMs / 1_000);
  await utimes(to, second, second);
  return mtimeMs;
}

/** Saves an index to the cache. Returns the modification time of the saved file, in milliseconds. */
async function saveToCache(index: string, cache: string): Promise<number> {
  await makePrivateFolder(dirname(cache));
  const temporary = `${cache}.${process.pid}.tmp`;
  await copyWithTime(index, temporary);
  const { mtimeMs } = await stat(temporary);
  await rename(temporary, cache);
  return mtimeMs;
}

interface Slice {
  /** Positions in the list of all entries. */
  readonly positions: readonly number[];
  readonly entries: readonly Buffer[];
  /** Maximum bytes that git reads for the slice. */
  readonly bytes: number;
}

/**
 * Compares the files that no earlier call has read, in slices and with several processes. Progress is saved: a call
 * that is ended or times out leaves less work for the next one. Leaves a small number of files to a later call of git.
 */
async function compareUnread(
  repository: Repository,
  privateGit: GitHandle,
  index: string,
): Promise<ObjectSizes> {
  const { objectFormat } = repository;
  const startedAt = Date.now();
  // The file does not exist if the base has no entries and no index was cached.
  const entries = parseIndex(await readFile(index).catch(() => Buffer.alloc(0)), objectFormat);
  if (!entries) return new Map();
  const unread = entries.flatMap((entry, position) => (isUnread(entry, objectFormat) ? [position] : []));
  if (unread.length === 0) return new Map();
  const objects = unread.map((position) => readObjectId(entries[position] ?? Buffer.alloc(0), objectFormat));
  // A wrong size hides no change: the diff itself reads the files.
  const sizes = await readSizes(privateGit, objects);
  const slices = cut(
    entries,
    unread,
    objects.map((object) => sizes.get(object) ?? 0),
  );
  if (unread.length < MIN_SLICED_FILES && slices.length === 1) {
    // With the sizes set, git skips the content of files whose size differs.
    for (const slice of slices) replaceAll(entries, slice.positions, slice.entries);
    await writeIndex(index, entries, objectFormat, startedAt);
    return sizes;
  }
  let savedAt = Date.now();
  const save = async () => {
    savedAt = Date.now();
    await writeIndex(index, entries, objectFormat, startedAt);
    await saveToCache(index, keptIndex(repository)).catch(() => {});
  };
  let saving = Promise.resolve();
  const waiting = [...slices.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [number, slice] = next;
      const compared = await compareSlice(privateGit, `${index}.${number}`, slice, objectFormat);
      replaceAll(entries, slice.positions, compared);
      if (Date.now() - savedAt > SAVE_EVERY_MS) saving = saving.then(save);
    }
  };
  const workers = Array.from({ length: processCount() }, work);
  const results = await Promise.allSettled(workers);
  await saving;
  await save();
  for (const result of results) if (result.status === "rejected") throw result.reason;
  return sizes;
}

function processCount(): number {
  return Math.min(MAX_PROCESSES, availableParallelism());
}

function replaceAll(entries: Buffer[], positions: readonly number[], by: readonly Buffer[]): void {
  for (const [at, position] of positions.entries()) entries[position] = by[at] ?? Buffer.alloc(0);
}

/**
 * Writes an index with the time at which comparing began, so that git reads files again that were written since then.
 */
async function writeIndex(
  path: string,
  entries: readonly Buffer[],
  format: ObjectFormat,
  startedAt: number,
): Promise<void> {
  await writeFile(path, formatIndex(entries, format), { mode: 0o600 });
  const second = Math.floor(startedAt / 1_000);
  await utimes(path, second, second);
}

/** Returns the slice's entries; unchanged files have their times set. */
async function compareSlice(
  privateGit: GitHandle,
  path: string,
  { entries, bytes }: Slice,
  format: ObjectFormat,
): Promise<readonly Buffer[]> {
  await writeFile(path, formatIndex(entries, format), { mode: 0o600 });
  const environment = { GIT_INDEX_FILE: path };
  await tryGit(withTimeFor(privateGit, bytes), ["update-index", "-q", "--refresh"], { environment });
  const compared = parseIndex(await readFile(path), format) ?? [];
  await rm(path, { force: true });
  return compared.length === entries.length ? compared : entries;
}

/** Returns git with a time limit extended by the time it takes to read that many bytes. */
export function withTimeFor(git: GitHandle, bytes: number): GitHandle {
  return { ...git, limit: Math.ceil((git.limit ?? CALL_LIMIT_MS) + bytes / MIN_BYTES_PER_MS) };
}

function cut(entries: readonly Buffer[], positions: readonly number[], sizes: readonly number[]): Slice[] {
  const slices: Slice[] = [];
  const share = Math.ceil(positions.length / (processCount() * SLICES_PER_PROCESS));
  const maxFiles = Math.min(MAX_SLICE_FILES, Math.max(MIN_SLICE_FILES, share));
  let current = { positions: [] as number[], entries: [] as Buffer[], bytes: 0 };
  positions.forEach((position, at) => {
    const entry = entries[position];
    const size = sizes[at] ?? 0;
    if (!entry) return;
    const isFull = current.positions.length >= maxFiles || current.bytes + size > MAX_SLICE_BYTES;
    if (isFull && current.positions.length > 0) {
      slices.push(current);
      current = { positions: [], entries: [], bytes: 0 };
    }
    current.positions.push(position);
    current.entries.push(withSize(entry, size));
    current.bytes += size;
  });
  return current.positions.length > 0 ? [...slices, current] : slices;
}

import type { ObjectFormat } from "./intent-index.ts";
import { splitAtNul } from "./nul-list.ts";
import { EMPTY_TREE } from "./refs.ts";
import { type GitHandle, runGit } from "./run-git.ts";

/** Object name of the empty file. */
export const EMPTY_BLOB = {
  sha1: "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
  sha256: "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
} as const;

/** The mode of a submodule. */
export const GITLINK_MODE = "160000";

const OUR_STAGE = "2";

/** One path of a tree or an index. */
export interface TrackedEntry {
  readonly path: Buffer;
  readonly mode: string;
  readonly object: string;
}

/** Entries by path as latin1, one character per byte. */
export type TrackedEntries = ReadonlyMap<string, TrackedEntry>;

export interface StagedEntries {
  readonly entries: TrackedEntries;
  /** Paths without content in the index: intent-to-add entries, and conflicts in which our side has no file. */
  readonly unstored: readonly Buffer[];
}

/**
 * Reads the entries of the repository's index. Times, flags and cached trees in it are not used, because any process
 * that writes the index can mark a file as unchanged.
 */
export async function readStagedEntries(git: GitHandle, format: ObjectFormat): Promise<StagedEntries> {
  const { entries, unstored } = parseListing(await listEntries(git));
  const empty = [...entries].filter(([, { object }]) => object === EMPTY_BLOB[format]);
  if (empty.length === 0) return { entries, unstored };
  // Git lists an intent-to-add entry as an empty file.
  const output = await runGit(git, [
    "diff-index",
    "--cached",
    "--name-only",
    "--no-renames",
    "--ita-invisible-in-index",
    "-z",
    EMPTY_TREE[format],
    "--",
  ]);
  const stored = new Set(splitAtNul(output).map((path) => path.toString("latin1")));
  const intended = empty.filter(([key]) => !stored.has(key));
  const kept = new Map(entries);
  for (const [key] of intended) kept.delete(key);
  return { entries: kept, unstored: [...unstored, ...intended.map(([, { path }]) => path)] };
}

/** Lists an index as `MODE OBJECT STAGE TAB path NUL …`. */
export function listEntries(git: GitHandle): Promise<Buffer> {
  return runGit(git, ["ls-files", "--stage", "-z"]);
}

/** The listings parsed last: those of the index, the tree and an earlier index are often equal. */
const parsed: { readonly listing: Buffer; readonly result: StagedEntries }[] = [];
const MAX_PARSED = 2;

/**
 * Parses the output of `listEntries`. For a path in conflict, returns the entry of our side. A listing that equals one
 * of the last `MAX_PARSED` shares its result object.
 */
export function parseListing(listing: Buffer): StagedEntries {
  const known = parsed.find((each) => each.listing.equals(listing));
  if (known) return known.result;
  const result = readListing(listing);
  parsed.unshift({ listing, result });
  parsed.length = Math.min(parsed.length, MAX_PARSED);
  return result;
}

function readListing(listing: Buffer): StagedEntries {
  const entries = new Map<string, TrackedEntry>();
  const conflicts = new Map<string, Buffer>();
  for (const line of splitAtNul(listing)) {
    const tab = line.indexOf(0x09);
    const [mode = "", object = "", stage = ""] = line.toString("latin1", 0, tab).split(" ");
    const path = line.subarray(tab + 1);
    const key = path.toString("latin1");
    if (stage === "0" || stage === OUR_STAGE) entries.set(key, { path, mode, object });
    else conflicts.set(key, path);
  }
  for (const key of entries.keys()) conflicts.delete(key);
  return { entries, unstored: [...conflicts.values()] };
}

export interface StagedChanges {
  readonly added: readonly Buffer[];
  readonly modified: readonly Buffer[];
  readonly removed: readonly Buffer[];
}

/** Returns the changes from one list of entries, for example of a tree, to another, for example of the index. */
export function compareEntries(tree: TrackedEntries, staged: TrackedEntries): StagedChanges {
  if (tree === staged) return { added: [], modified: [], removed: [] };
  const added: Buffer[] = [];
  const modified: Buffer[] = [];
  for (const [key, { path, mode, object }] of staged) {
    const before = tree.get(key);
    if (!before) added.push(path);
    else if (before.mode !== mode || before.object !== object) modified.push(path);
  }
  const removed = [...tree.values()].filter(({ path }) => !staged.has(path.toString("latin1")));
  return { added, modified, removed: removed.map(({ path }) => path) };
}

/** Returns the input of `git update-index --index-info -z` that changes an index from `before` to `after`. */
export function indexInfo(before: TrackedEntries, after: TrackedEntries, format: ObjectFormat): Buffer {
  const { added, modified, removed } = compareEntries(before, after);
  const none = "0".repeat(EMPTY_BLOB[format].length);
  const line = (mode: string, object: string, path: Buffer) => [
    Buffer.from(mode === "0" ? `0 ${object}\t` : `${mode} ${object} 0\t`),
    path,
    Buffer.of(0),
  ];
  return Buffer.concat([
    ...removed.flatMap((path) => line("0", none, path)),
    ...[...added, ...modified].flatMap((path) => {
      const entry = after.get(path.toString("latin1"));
      return entry ? line(entry.mode, entry.object, path) : [];
    }),
  ]);
}

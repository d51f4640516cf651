import type { Dirent } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Entries of one folder of the data directory that may be removed once they are old and not among the newest. */
interface Rule {
  readonly folder: string;
  readonly mayGo: (entry: Dirent) => boolean;
  readonly days: number;
  /** Number of newest entries to keep, regardless of their age. */
  readonly newest: number;
  /** Number of entries above which the oldest are removed, regardless of their age. */
  readonly max?: number;
}

const isJson = (entry: Dirent) => entry.isFile() && entry.name.endsWith(".json");

const isLog = (entry: Dirent) => entry.isFile() && entry.name.endsWith(".jsonl");

const isPlan = (entry: Dirent) => entry.isFile() && entry.name.endsWith(".md");

const isSentDiff = (entry: Dirent) => entry.isFile() && entry.name.endsWith(".diff.gz");

const isIndex = (entry: Dirent) => entry.isFile() && entry.name.endsWith(".index");

const RULES: readonly Rule[] = [
  // A decision that no agent has read is kept forever.
  { folder: "decisions", mayGo: ({ name }) => name.endsWith(".read.json"), days: 90, newest: 200 },
  { folder: "history", mayGo: (entry) => entry.isDirectory(), days: 180, newest: 200 },
  { folder: "rounds", mayGo: isJson, days: 180, newest: 200 },
  // The diffs of these rounds take more space than the rounds.
  { folder: "rounds", mayGo: isSentDiff, days: 30, newest: 50 },
  { folder: "sessions", mayGo: isJson, days: 30, newest: 50 },
  { folder: "tabs", mayGo: isJson, days: 2, newest: 0 },
  // Missing indexes are created again from the working tree.
  { folder: "indexes", mayGo: isIndex, days: 30, newest: 10 },
  // Threads and batches of reviews, and the plans that agents submitted to live reviews.
  { folder: "threads", mayGo: isLog, days: 180, newest: 200, max: 2_000 },
  { folder: "live-plans", mayGo: isPlan, days: 180, newest: 200, max: 2_000 },
  // Text that the person never sent.
  { folder: "drafts", mayGo: isJson, days: 365, newest: 200 },
];

/** Temporary files and locks of processes that were killed. */
const LEFTOVER = /^\.[0-9a-f]{16}\.tmp$|\.index\.\d+\.tmp$|\.lock(\.[0-9a-f]{8})?$|^git-\w{6}$/;
const LEFTOVER_DAYS = 1;
const DAY_MS = 24 * 60 * 60 * 1000;

export interface Pruning {
  readonly dataDirectory: string;
  /** Names of files in use, which are kept. */
  readonly inUse: ReadonlySet<string>;
  /**
   * Returns the names of files that open reviews use, which are kept. Called for each rule before its first entry would
   * be removed.
   */
  readonly readOpen?: () => Promise<ReadonlySet<string>>;
  /** Checked before each step; false ends the pruning. */
  readonly shouldContinue: () => boolean;
  readonly now?: number;
}

/**
 * Removes old entries from the data directory according to `RULES`, and temporary files of processes that were
 * killed. Saved plans are kept. Never rejects; a file that cannot be removed is skipped.
 */
export async function prune(pruning: Pruning): Promise<void> {
  for (const rule of RULES) {
    const entries = (await listEntries(join(pruning.dataDirectory, rule.folder), pruning)).filter(
      ({ entry }) => rule.mayGo(entry) && !pruning.inUse.has(entry.name),
    );
    const { max = Number.POSITIVE_INFINITY } = rule;
    const old = entries.filter(
      ({ age }, index) => index >= max || (index >= rule.newest && age > rule.days * DAY_MS),
    );
    const open = old.length > 0 ? await pruning.readOpen?.() : undefined;
    await removeAll(
      old.filter(({ entry }) => !open?.has(entry.name)),
      pruning,
    );
  }
  for (const folder of ["", "plans", ...RULES.map(({ folder }) => folder)]) {
    const entries = await listEntries(join(pruning.dataDirectory, folder), pruning);
    const left = entries.filter(({ entry }) => LEFTOVER.test(entry.name));
    await removeAll(
      left.filter(({ age }) => age > LEFTOVER_DAYS * DAY_MS),
      pruning,
    );
  }
}

interface Aged {
  readonly path: string;
  readonly entry: Dirent;
  /** Milliseconds since the last change; adding a file to a folder changes the folder. */
  readonly age: number;
}

/** Returns the entries of a folder, newest first. */
async function listEntries(folder: string, { shouldContinue, now = Date.now() }: Pruning): Promise<Aged[]> {
  const aged: Aged[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (!shouldContinue()) return [];
    const path = join(folder, entry.name);
    const state = await stat(path).catch(() => undefined);
    if (state) aged.push({ path, entry, age: now - state.mtimeMs });
  }
  return aged.sort((one, two) => one.age - two.age);
}

async function removeAll(entries: readonly Aged[], { shouldContinue }: Pruning): Promise<void> {
  for (const { path } of entries) {
    if (!shouldContinue()) return;
    await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

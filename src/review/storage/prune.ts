import type { Dirent } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** What of a folder of the data directory may go, once it is both old and not among the newest. */
interface Rule {
  readonly folder: string;
  readonly mayGo: (entry: Dirent) => boolean;
  readonly days: number;
  /** So many stay, however old. */
  readonly newest: number;
}

const isJson = (entry: Dirent) => entry.isFile() && entry.name.endsWith(".json");

const isIndex = (entry: Dirent) => entry.isFile() && entry.name.endsWith(".index");

const RULES: readonly Rule[] = [
  // A decision that no agent has read stays for ever.
  { folder: "decisions", mayGo: ({ name }) => name.endsWith(".read.json"), days: 90, newest: 200 },
  { folder: "history", mayGo: (entry) => entry.isDirectory(), days: 180, newest: 200 },
  { folder: "rounds", mayGo: isJson, days: 180, newest: 200 },
  { folder: "sessions", mayGo: isJson, days: 30, newest: 50 },
  { folder: "tabs", mayGo: isJson, days: 2, newest: 0 },
  // Made again from the working tree when they are missing.
  { folder: "indexes", mayGo: isIndex, days: 30, newest: 10 },
  // The person's own words, never sent.
  { folder: "drafts", mayGo: isJson, days: 365, newest: 200 },
];

/** What a process leaves that is killed while it writes, or while it holds a lock. */
const LEFTOVER = /^\.[0-9a-f]{16}\.tmp$|\.index\.\d+\.tmp$|\.lock(\.[0-9a-f]{8})?$|^git-\w{6}$/;
const LEFTOVER_DAYS = 1;
const DAY_MS = 24 * 60 * 60 * 1000;

export interface Pruning {
  readonly dataDirectory: string;
  /** Names of files that are in use, whatever their age. */
  readonly inUse: ReadonlySet<string>;
  /** Asked before each step: nothing that waits shall wait for this. */
  readonly shouldContinue: () => boolean;
  readonly now?: number;
}

/**
 * Removes from the data directory what nobody will ask for again: `RULES`, and temporary files of processes that were
 * killed. Plans that were saved are the person's and stay. Never throws: what cannot be removed is left.
 */
export async function prune(pruning: Pruning): Promise<void> {
  for (const rule of RULES) {
    const entries = (await entriesOf(join(pruning.dataDirectory, rule.folder), pruning)).filter(
      ({ entry }) => rule.mayGo(entry) && !pruning.inUse.has(entry.name),
    );
    const old = entries.slice(rule.newest).filter(({ age }) => age > rule.days * DAY_MS);
    await removeAll(old, pruning);
  }
  for (const folder of ["", "plans", ...RULES.map(({ folder }) => folder)]) {
    const entries = await entriesOf(join(pruning.dataDirectory, folder), pruning);
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
  /** Milliseconds since it was changed; a folder changes with every file that is put into it. */
  readonly age: number;
}

/** What a folder holds, the newest first. */
async function entriesOf(folder: string, { shouldContinue, now = Date.now() }: Pruning): Promise<Aged[]> {
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

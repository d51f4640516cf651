import { devNull } from "node:os";
import type { Environment } from "../../config/paths.ts";
import { blankProgram, isProgramKey } from "./program-keys.ts";

/** Bytes of a file whose lines are still compared; a larger one is told of, as a binary is. */
export const LARGEST_COMPARED = 64 * 1024 * 1024;

/** What git may know of the user's environment: where programs, the home and the user's own settings lie. */
const PASSED_ON = [
  "HOME",
  "USERPROFILE",
  "HOMEDRIVE",
  "HOMEPATH",
  "XDG_CONFIG_HOME",
  "APPDATA",
  "LOCALAPPDATA",
  "PROGRAMDATA",
  "SystemRoot",
  "TMPDIR",
  "TEMP",
  "TMP",
  "GIT_CEILING_DIRECTORIES",
] as const;

/** Nothing is asked, locked, fetched or replaced, and a path is a path, whatever characters it has. */
const FIXED = {
  LC_ALL: "C",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: devNull,
  GIT_NO_LAZY_FETCH: "1",
  // Git before 2.45 does not know the line above; without a protocol it cannot fetch a missing object either.
  GIT_ALLOW_PROTOCOL: "none",
} as const;

/** Settings that decide what git runs, or what it shows, where no command line option does. */
const SETTINGS: readonly Setting[] = [
  { key: "core.fsmonitor", value: "false" },
  { key: "core.hooksPath", value: devNull },
  // A folder that looks like a git directory could come with a clone, its own configuration in it.
  { key: "safe.bareRepository", value: "explicit" },
  { key: "core.commitGraph", value: "false" },
  { key: "core.untrackedCache", value: "false" },
  // Makes git compare files that are there although they are marked to be skipped.
  { key: "core.sparseCheckout", value: "true" },
  { key: "sparse.expectFilesOutsideOfPatterns", value: "false" },
  // A file is opened when any of its times has changed: its size and one of them can be put back.
  { key: "core.trustctime", value: "true" },
  { key: "core.checkStat", value: "default" },
  { key: "core.quotePath", value: "true" },
  { key: "core.bigFileThreshold", value: String(LARGEST_COMPARED) },
  { key: "advice.graftFileDeprecated", value: "false" },
  { key: "diff.suppressBlankEmpty", value: "false" },
  { key: "diff.autoRefreshIndex", value: "true" },
];

export interface Setting {
  readonly key: string;
  readonly value: string;
}

/**
 * The whole environment for git: an allow list of the user's, and our settings as `GIT_CONFIG_*`, which come last
 * of all and, unlike `-c`, can name a filter that has an equals sign in its name.
 */
export function gitEnvironment(
  environment: Environment,
  path: string,
  disarmed: readonly Setting[] = [],
): Record<string, string> {
  const result: Record<string, string> = { ...FIXED, PATH: path };
  for (const name of PASSED_ON) {
    const value = environment[name];
    if (value !== undefined) result[name] = value;
  }
  const settings = [...SETTINGS, ...disarmed];
  result["GIT_CONFIG_COUNT"] = String(settings.length);
  settings.forEach(({ key, value }, index) => {
    result[`GIT_CONFIG_KEY_${index}`] = key;
    result[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return result;
}

/**
 * Whether git took our settings: before version 2.31 it does not read them from the environment, and would run what
 * the repository names. Takes the same listing as `readSettings`.
 */
export function isHardened(listing: string): boolean {
  return listing.includes("command\0core.fsmonitor\nfalse\0");
}

/** Settings by whose file they come from, last value each. */
export interface ScopedSettings {
  /** The system's and the user's own. */
  readonly user: ReadonlyMap<string, string>;
  /** The repository's and its worktree's. */
  readonly repository: ReadonlyMap<string, string>;
}

/** Reads the output of `git config --list --show-scope -z`: scope NUL key LF value NUL … */
export function readSettings(listing: string): ScopedSettings {
  const user = new Map<string, string>();
  const repository = new Map<string, string>();
  const fields = listing.split("\0");
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [key = "", ...value] = (fields[index + 1] ?? "").split("\n");
    const scope = fields[index];
    if (scope === "system" || scope === "global") user.set(key, value.join("\n"));
    else if (scope !== "command") repository.set(key, value.join("\n"));
  }
  return { user, repository };
}

/**
 * Returns settings that put every program the repository itself names back to what the user's own configuration says, which
 * for most is nothing. Git LFS, set up for the user, goes on working.
 */
export function disarmPrograms({ user, repository }: ScopedSettings): Setting[] {
  return [...repository.keys()]
    .filter((key) => isProgramKey(key) && !isFixed(key))
    .map((key) => ({ key, value: user.get(key) ?? blankProgram(key) }));
}

function isFixed(key: string): boolean {
  return SETTINGS.some((setting) => setting.key.toLowerCase() === key);
}

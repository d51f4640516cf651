import { devNull } from "node:os";
import type { Environment } from "../../config/paths.ts";
import { blankProgram, isProgramKey } from "./program-keys.ts";

/** Bytes of the largest file whose lines are compared. A larger file is shown like a binary file. */
export const MAX_COMPARED_BYTES = 64 * 1024 * 1024;

/** Environment variables with the home directory, the user's settings and the folders of the system. */
export const USER_VARIABLES = [
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
] as const;

/** Variables of the caller's environment that are passed on to git. */
const PASSED_ON = [...USER_VARIABLES, "GIT_CEILING_DIRECTORIES"] as const;

/**
 * Sets the C locale, disables prompts, optional locks, fetching, object replacement and grafts, and makes paths
 * literal.
 */
const FIXED = {
  LC_ALL: "C",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: devNull,
  GIT_NO_LAZY_FETCH: "1",
  // Git before 2.45 ignores GIT_NO_LAZY_FETCH; without a protocol it cannot fetch missing objects either.
  GIT_ALLOW_PROTOCOL: "none",
} as const;

/** Settings that decide what git runs or shows where no command-line option does. */
const SETTINGS: readonly Setting[] = [
  { key: "core.fsmonitor", value: "false" },
  { key: "core.hooksPath", value: devNull },
  // A clone can contain a folder that looks like a git directory and has its own configuration.
  { key: "safe.bareRepository", value: "explicit" },
  { key: "core.commitGraph", value: "false" },
  { key: "core.untrackedCache", value: "false" },
  // Makes git compare files that exist although their entries are marked skip-worktree.
  { key: "core.sparseCheckout", value: "true" },
  { key: "sparse.expectFilesOutsideOfPatterns", value: "false" },
  // Makes git read a file if its ctime has changed, because a program can restore its size and modification time.
  { key: "core.trustctime", value: "true" },
  { key: "core.checkStat", value: "default" },
  { key: "core.quotePath", value: "true" },
  { key: "core.bigFileThreshold", value: String(MAX_COMPARED_BYTES) },
  { key: "advice.graftFileDeprecated", value: "false" },
  { key: "diff.suppressBlankEmpty", value: "false" },
  { key: "diff.autoRefreshIndex", value: "true" },
];

export interface Setting {
  readonly key: string;
  readonly value: string;
}

/**
 * Returns the complete environment of git: allowed variables of the user, fixed variables, `path` as the PATH, and
 * our settings as `GIT_CONFIG_*`. These settings take precedence over all files and, unlike `-c`, can name a filter
 * with an equals sign in its name.
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
 * Reports whether git applied our settings. Git before 2.31 does not read settings from the environment and
 * would run programs that the repository names. Takes the same listing as `readSettings`.
 */
export function isHardened(listing: string): boolean {
  return listing.includes("command\0core.fsmonitor\nfalse\0");
}

/** Settings by the scope of their file; the last value of each. */
export interface ScopedSettings {
  /** Settings of the system and the user. */
  readonly user: ReadonlyMap<string, string>;
  /** Settings of the repository and its worktree. */
  readonly repository: ReadonlyMap<string, string>;
}

/** Parses the output of `git config --list --show-scope -z`: scope NUL key LF value NUL … */
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
 * Returns settings that reset every program the repository names to the user's own value, or to none. Git LFS keeps
 * working if the user has set it up.
 */
export function disarmPrograms({ user, repository }: ScopedSettings): Setting[] {
  return [...repository.keys()]
    .filter((key) => isProgramKey(key) && !isFixed(key))
    .map((key) => ({ key, value: user.get(key) ?? blankProgram(key) }));
}

function isFixed(key: string): boolean {
  return SETTINGS.some((setting) => setting.key.toLowerCase() === key);
}

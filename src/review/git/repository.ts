import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { dataDirectory, type Environment, getNameInUse } from "../../config/paths.ts";
import { AppError } from "../../errors.ts";
import { isWithin } from "../is-within.ts";
import { findGit } from "./find-git.ts";
import { disarmPrograms, gitEnvironment, isHardened, readSettings, type Setting } from "./hardening.ts";
import type { ObjectFormat } from "./intent-index.ts";
import { CALL_LIMIT_MS, type GitHandle, type GitResult, gitFailed, runGit, tryGit } from "./run-git.ts";

/** A working tree to review. */
export interface Repository {
  /** Absolute path of the working tree's top folder. */
  readonly root: string;
  readonly name: string;
  /** The folder the review was started in, if `core.worktree` names another folder as the working tree. */
  readonly startedIn?: string;
  readonly objectFormat: ObjectFormat;
  /** Full name of the branch that was checked out on opening; undefined for a detached HEAD. */
  readonly branch: string | undefined;
  /** The directory with the objects: the git directory or, for a linked worktree, the main repository's. */
  readonly commonDirectory: string;
  /** Folder outside of the repository where indexes of working trees are cached between reviews. */
  readonly indexesDirectory: string;
  /**
   * Returns git for this repository. Reads the configuration on each call, because it may have changed, and
   * disables the programs that it names.
   */
  git(signal?: AbortSignal): Promise<GitHandle>;
  /**
   * Opens the repository in a folder inside this one. The configuration of that repository cannot move its
   * working tree.
   */
  openNested(folder: string, signal?: AbortSignal): Promise<Repository>;
}

/**
 * Opens the repository that contains `directory`, without reading its files. Throws `git_missing`, `not_a_repository`,
 * `git_failed` or `git_timeout`, with a hint.
 */
export async function openRepository(
  directory: string,
  environment: Environment,
  opening?: AbortSignal,
): Promise<Repository> {
  expectFolder(directory);
  return openWith(findGit(directory, environment), directory, environment, {}, opening);
}

async function openWith(
  program: ReturnType<typeof findGit>,
  directory: string,
  environment: Environment,
  fixed: Readonly<Record<string, string>>,
  opening?: AbortSignal,
): Promise<Repository> {
  const limit = callLimit(environment);
  const limitVariable = getNameInUse(environment, LIMIT_VARIABLE);
  const first: GitHandle = {
    binary: program.binary,
    directory,
    environment: { ...gitEnvironment(environment, program.path), ...fixed },
    limit: Math.min(limit, OPENING_LIMIT_MS),
    limitVariable: limit < OPENING_LIMIT_MS ? limitVariable : undefined,
    ...(process.platform === "linux" && existsSync(SETPRIV) ? { setpriv: SETPRIV } : {}),
    signal: opening,
  };
  const { gitDirectory, setpriv, ...facts } = await readAllFacts(first);
  if (isWithin(gitDirectory, directory)) throw noWorkTree(directory);
  // Pinned, so that no later call searches for a repository and finds another one.
  const pinned = { GIT_DIR: gitDirectory, GIT_WORK_TREE: facts.root };
  const isElsewhere = !isWithin(facts.root, realpathSync(directory));
  return {
    ...facts,
    startedIn: isElsewhere ? directory : undefined,
    name: basename(facts.root),
    commonDirectory: readCommonDirectory(gitDirectory),
    indexesDirectory: join(dataDirectory(environment), "indexes"),
    git: (signal) =>
      disarmed(
        {
          binary: program.binary,
          directory: facts.root,
          limit,
          limitVariable,
          setpriv,
          signal,
        },
        (programs) => ({ ...gitEnvironment(environment, program.path, programs), ...pinned }),
      ),
    openNested: (folder, signal) =>
      openWith(
        program,
        folder,
        environment,
        { GIT_WORK_TREE: folder, GIT_CEILING_DIRECTORIES: dirname(folder) },
        signal,
      ),
  };
}

/**
 * Returns the directory that a linked worktree shares, which the file `commondir` names, or the git directory itself
 * without that file (https://git-scm.com/docs/gitrepository-layout).
 */
function readCommonDirectory(gitDirectory: string): string {
  const file = join(gitDirectory, "commondir");
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return gitDirectory;
  return resolve(gitDirectory, readFileSync(file, "utf8").replace(/\n$/, ""));
}

/**
 * The program setpriv of util-linux. Only this path is used: the repository could contain a program of that
 * name.
 */
const SETPRIV = "/usr/bin/setpriv";
/**
 * Maximum time limit for finding a repository, in milliseconds. It is shorter than `CALL_LIMIT_MS`, because nothing can
 * be shown until then.
 */
const OPENING_LIMIT_MS = 20_000;

/** The variable with the time limit of one git call, in seconds. */
const LIMIT_VARIABLE = "SERVICE_GIT_TIMEOUT";

/** Returns the time limit of one git call in milliseconds. */
function callLimit(environment: Environment): number {
  const seconds = Number(environment[LIMIT_VARIABLE]);
  return seconds > 0 && seconds <= 86_400 ? seconds * 1_000 : CALL_LIMIT_MS;
}

interface GitFacts extends Pick<Repository, "root" | "branch" | "objectFormat"> {
  readonly gitDirectory: string;
  /** Undefined if setpriv is missing or does not support the options used. */
  readonly setpriv?: string | undefined;
}

const PATHS = ["--absolute-git-dir", "--show-toplevel"] as const;

/**
 * Reads all facts with one call. That call fails if HEAD does not resolve to a commit; then the branch is read
 * separately.
 */
async function readAllFacts(git: GitHandle): Promise<GitFacts> {
  const ofHead = ["--symbolic-full-name", "HEAD"];
  const result = await tryGit(git, ["rev-parse", "--show-object-format", ...ofHead, ...PATHS]);
  if (result.stderr.startsWith("setpriv: ")) {
    const { setpriv: _unusable, ...plain } = git;
    return readAllFacts(plain);
  }
  if (result.exitCode !== 0) return readFactsWithoutHead(git);
  const [format, head, ...paths] = splitLines(result);
  return { ...(await readFacts(git, format, paths)), branch: head === "HEAD" ? undefined : head };
}

async function readFactsWithoutHead(git: GitHandle): Promise<GitFacts> {
  const args = ["rev-parse", "--show-object-format", ...PATHS];
  const [result, head] = await Promise.all([tryGit(git, args), tryGit(git, ["symbolic-ref", "HEAD"])]);
  if (result.exitCode !== 0) throw cannotOpen(git.directory, args, result);
  const [format, ...paths] = splitLines(result);
  return {
    ...(await readFacts(git, format, paths)),
    branch: head.exitCode === 0 ? splitLines(head)[0] : undefined,
  };
}

function splitLines({ stdout }: GitResult): string[] {
  return stdout.toString().replace(/\n$/, "").split("\n");
}

/**
 * Returns the facts with the two paths that git printed. If a path contains a newline, reads each path
 * with a separate call.
 */
async function readFacts(
  git: GitHandle,
  format: string | undefined,
  paths: readonly string[],
): Promise<Omit<GitFacts, "branch">> {
  const alone = async (name: string) => splitLines(await tryGit(git, ["rev-parse", name])).join("\n");
  const [gitDirectory = "", root = ""] = paths.length === 2 ? paths : await Promise.all(PATHS.map(alone));
  return {
    objectFormat: format === "sha256" ? "sha256" : "sha1",
    gitDirectory,
    root,
    setpriv: git.setpriv,
  };
}

async function disarmed(
  git: Omit<GitHandle, "environment">,
  environmentWith: (programs: readonly Setting[]) => Record<string, string>,
): Promise<GitHandle> {
  const pinned = { ...git, environment: environmentWith([]) };
  const listing = (await runGit(pinned, ["config", "--list", "--show-scope", "-z"])).toString();
  if (!isHardened(listing)) {
    throw new AppError("git_missing", "This version of git cannot read a repository safely", {
      hint: "Install git 2.31 or newer (https://git-scm.com/downloads), then run the command again.",
    });
  }
  const settings = readSettings(listing);
  return { ...git, settings, environment: environmentWith(disarmPrograms(settings)) };
}

function expectFolder(directory: string): void {
  if (isFolder(directory)) return;
  throw new AppError("not_a_repository", `No such folder: ${directory}`, {
    hint: "Name a folder inside a git repository with --repo DIR.",
  });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function cannotOpen(directory: string, args: readonly string[], result: GitResult): AppError {
  if (result.stderr.includes("dubious ownership")) {
    const [, owned = directory] = /repository at '(.+)'/.exec(result.stderr) ?? [];
    return new AppError("not_a_repository", `git does not trust ${owned}: another user owns it`, {
      hint: `If you trust it, run: git config --global --add safe.directory '${owned}'`,
    });
  }
  if (/must be run in a work tree|cannot use bare repository/.test(result.stderr))
    return noWorkTree(directory);
  if (result.stderr.includes("not a git repository")) {
    return new AppError("not_a_repository", `${directory} is not inside a git repository`, {
      hint: "Run the command in a repository, name one with --repo DIR, or create one with: git init",
    });
  }
  return gitFailed(args, result);
}

function noWorkTree(directory: string): AppError {
  return new AppError(
    "not_a_repository",
    `${directory} has no working tree (it is a bare repository or a .git folder)`,
    { hint: "Run the command in a clone or a worktree of it." },
  );
}

import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { dataDirectory, type Environment } from "../../config/paths.ts";
import { AppError } from "../../errors.ts";
import { isWithin } from "../is-within.ts";
import { findGit } from "./find-git.ts";
import { disarmPrograms, gitEnvironment, isHardened, readSettings, type Setting } from "./hardening.ts";
import type { ObjectFormat } from "./intent-index.ts";
import { CALL_LIMIT_MS, type GitPlace, type GitResult, gitFailed, runGit, tryGit } from "./run-git.ts";

/** A working tree to review. */
export interface Repository {
  /** Absolute path of the working tree's top folder. */
  readonly root: string;
  readonly name: string;
  /** The folder the review was started in, where `core.worktree` makes another one the working tree. */
  readonly startedIn?: string;
  readonly objectFormat: ObjectFormat;
  /** Full name of the branch that was checked out on opening; undefined where there was none. */
  readonly branch: string | undefined;
  /** Where its objects are: the git directory, of a linked worktree the one it is linked to. */
  readonly commonDirectory: string;
  /** Where indexes of working trees may be kept between reviews; outside of the repository. */
  readonly indexesDirectory: string;
  /** Git for this repository, disarmed afresh: its configuration may have changed since the last call. */
  git(signal?: AbortSignal): Promise<GitPlace>;
  /** Opens the repository in a folder within this one, whatever its configuration says about where its files are. */
  openNested(folder: string, signal?: AbortSignal): Promise<Repository>;
}

/**
 * Opens the repository that `directory` lies in. Throws `git_missing` or `not_a_repository`, with the remedy.
 * Nothing of the working tree is walked or read.
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
  const first: GitPlace = {
    binary: program.binary,
    directory,
    environment: { ...gitEnvironment(environment, program.path), ...fixed },
    limit: Math.min(limit, OPENING_LIMIT_MS),
    ...(process.platform === "linux" && existsSync(SETPRIV) ? { setpriv: SETPRIV } : {}),
    ...(opening ? { signal: opening } : {}),
  };
  const { gitDirectory, setpriv, ...facts } = await askGit(first);
  if (isWithin(gitDirectory, directory)) throw noWorkTree(directory);
  // Pinned: no later call looks for a repository again and finds another.
  const pinned = { GIT_DIR: gitDirectory, GIT_WORK_TREE: facts.root };
  const isElsewhere = !isWithin(facts.root, realpathSync(directory));
  return {
    ...facts,
    ...(isElsewhere ? { startedIn: directory } : {}),
    name: basename(facts.root),
    commonDirectory: commonDirectoryOf(gitDirectory),
    indexesDirectory: join(dataDirectory(environment), "indexes"),
    git: (signal) =>
      disarmed(
        {
          binary: program.binary,
          directory: facts.root,
          limit,
          ...(setpriv ? { setpriv } : {}),
          ...(signal ? { signal } : {}),
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

/** A linked worktree names the directory it shares in a file (https://git-scm.com/docs/gitrepository-layout). */
function commonDirectoryOf(gitDirectory: string): string {
  const file = join(gitDirectory, "commondir");
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return gitDirectory;
  return resolve(gitDirectory, readFileSync(file, "utf8").replace(/\n$/, ""));
}

/** Part of util-linux. Taken from nowhere else: the repository could bring a program of that name along. */
const SETPRIV = "/usr/bin/setpriv";
/** Finding a repository takes milliseconds; nothing can be shown before it is found. */
const OPENING_LIMIT_MS = 20_000;

/** Milliseconds that each call of git may take. */
function callLimit(environment: Environment): number {
  const seconds = Number(environment["SERVICE_GIT_TIMEOUT"]);
  return seconds > 0 && seconds <= 86_400 ? seconds * 1_000 : CALL_LIMIT_MS;
}

interface GitFacts extends Pick<Repository, "root" | "branch" | "objectFormat"> {
  readonly gitDirectory: string;
  /** Absent where it is there and does not know what is asked of it. */
  readonly setpriv?: string | undefined;
}

const PATHS = ["--absolute-git-dir", "--show-toplevel"] as const;

/** All at once where HEAD leads to a commit. Where it does not, git ends at HEAD, and its name is a question of its own. */
async function askGit(place: GitPlace): Promise<GitFacts> {
  const ofHead = ["--symbolic-full-name", "HEAD"];
  const result = await tryGit(place, ["rev-parse", "--show-object-format", ...ofHead, ...PATHS]);
  if (result.stderr.startsWith("setpriv: ")) {
    const { setpriv: _unusable, ...plain } = place;
    return askGit(plain);
  }
  if (result.exitCode !== 0) return askTwice(place);
  const [format, head, ...paths] = linesOf(result);
  return { ...(await factsOf(place, format, paths)), branch: head === "HEAD" ? undefined : head };
}

async function askTwice(place: GitPlace): Promise<GitFacts> {
  const args = ["rev-parse", "--show-object-format", ...PATHS];
  const [result, head] = await Promise.all([tryGit(place, args), tryGit(place, ["symbolic-ref", "HEAD"])]);
  if (result.exitCode !== 0) throw cannotOpen(place.directory, args, result);
  const [format, ...paths] = linesOf(result);
  return {
    ...(await factsOf(place, format, paths)),
    branch: head.exitCode === 0 ? linesOf(head)[0] : undefined,
  };
}

function linesOf({ stdout }: GitResult): string[] {
  return stdout.toString().replace(/\n$/, "").split("\n");
}

/** Two paths are two lines, unless one holds a line break: then each is asked for alone. */
async function factsOf(
  place: GitPlace,
  format: string | undefined,
  paths: readonly string[],
): Promise<Omit<GitFacts, "branch">> {
  const alone = async (name: string) => linesOf(await tryGit(place, ["rev-parse", name])).join("\n");
  const [gitDirectory = "", root = ""] = paths.length === 2 ? paths : await Promise.all(PATHS.map(alone));
  return {
    objectFormat: format === "sha256" ? "sha256" : "sha1",
    gitDirectory,
    root,
    setpriv: place.setpriv,
  };
}

async function disarmed(
  place: Omit<GitPlace, "environment">,
  environmentWith: (programs: readonly Setting[]) => Record<string, string>,
): Promise<GitPlace> {
  const pinned = { ...place, environment: environmentWith([]) };
  const listing = (await runGit(pinned, ["config", "--list", "--show-scope", "-z"])).toString();
  if (!isHardened(listing)) {
    throw new AppError("git_missing", "This git is too old to look at a repository safely", {
      hint: "Install git 2.31 or newer (https://git-scm.com/downloads), then run the command again.",
    });
  }
  const settings = readSettings(listing);
  return { ...place, settings, environment: environmentWith(disarmPrograms(settings)) };
}

function expectFolder(directory: string): void {
  if (isFolder(directory)) return;
  throw new AppError("not_a_repository", `There is no folder ${directory}`, {
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
      hint: `If you do, run: git config --global --add safe.directory '${owned}'`,
    });
  }
  if (/must be run in a work tree|cannot use bare repository/.test(result.stderr))
    return noWorkTree(directory);
  if (result.stderr.includes("not a git repository")) {
    return new AppError("not_a_repository", `${directory} is not inside a git repository`, {
      hint: "Run the command inside one, name one with --repo DIR, or make one with: git init",
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

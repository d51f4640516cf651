import { statSync } from "node:fs";
import { basename } from "node:path";
import type { Environment } from "../../config/paths.ts";
import { AppError } from "../../errors.ts";
import { findGit, type GitProgram } from "./find-git.ts";
import { disarmFilters, gitEnvironment, isHardened } from "./hardening.ts";
import type { ObjectFormat } from "./intent-index.ts";
import { type GitPlace, type GitResult, gitFailed, runGit, tryGit } from "./run-git.ts";

/** A working tree to review. */
export interface Repository {
  /** Absolute path of the working tree's top folder. */
  readonly root: string;
  readonly name: string;
  readonly objectFormat: ObjectFormat;
  /** Full name of the branch that was checked out on opening; undefined where there was none. */
  readonly branch: string | undefined;
  /** Git for this repository, disarmed afresh: its configuration may have changed since the last call. */
  git(signal?: AbortSignal): Promise<GitPlace>;
}

/**
 * Opens the repository that `directory` lies in. Throws `git_missing` or `not_a_repository`, with the remedy.
 * Nothing of the working tree is walked or read.
 */
export async function openRepository(directory: string, environment: Environment): Promise<Repository> {
  expectFolder(directory);
  const program = findGit(directory, environment);
  const place: GitPlace = {
    binary: program.binary,
    directory,
    environment: gitEnvironment(environment, program.path),
  };
  const facts = await askGit(place);
  return {
    ...facts,
    name: basename(facts.root),
    git: (signal) =>
      disarmed({ ...place, directory: facts.root, ...(signal ? { signal } : {}) }, program, environment),
  };
}

type GitFacts = Pick<Repository, "root" | "branch" | "objectFormat">;

/** All at once where HEAD leads to a commit. Where it does not, git ends at HEAD, and its name is a question of its own. */
async function askGit(place: GitPlace): Promise<GitFacts> {
  const ofHead = ["--symbolic-full-name", "HEAD"];
  const result = await tryGit(place, ["rev-parse", "--show-object-format", ...ofHead, "--show-toplevel"]);
  if (result.exitCode !== 0) return askTwice(place);
  const [format, head, ...path] = linesOf(result);
  return { ...factsOf(format, path), branch: head === "HEAD" ? undefined : head };
}

async function askTwice(place: GitPlace): Promise<GitFacts> {
  const args = ["rev-parse", "--show-object-format", "--show-toplevel"];
  const [result, head] = await Promise.all([tryGit(place, args), tryGit(place, ["symbolic-ref", "HEAD"])]);
  if (result.exitCode !== 0) throw cannotOpen(place.directory, args, result);
  const [format, ...path] = linesOf(result);
  return { ...factsOf(format, path), branch: head.exitCode === 0 ? linesOf(head)[0] : undefined };
}

function linesOf({ stdout }: GitResult): string[] {
  return stdout.toString().replace(/\n$/, "").split("\n");
}

/** The path comes last, as it may itself hold a line break. */
function factsOf(format: string | undefined, path: readonly string[]): Omit<GitFacts, "branch"> {
  return { objectFormat: format === "sha256" ? "sha256" : "sha1", root: path.join("\n") };
}

async function disarmed(place: GitPlace, program: GitProgram, environment: Environment): Promise<GitPlace> {
  const listing = (await runGit(place, ["config", "--list", "--show-scope", "-z"])).toString();
  if (!isHardened(listing)) {
    throw new AppError("git_missing", "This git is too old to look at a repository safely", {
      hint: "Install git 2.31 or newer (https://git-scm.com/downloads), then run the command again.",
    });
  }
  const filters = disarmFilters(listing);
  return { ...place, environment: gitEnvironment(environment, program.path, filters) };
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
  if (result.stderr.includes("must be run in a work tree")) {
    return new AppError(
      "not_a_repository",
      `${directory} has no working tree (it is bare, or a .git folder)`,
      {
        hint: "Run the command in a clone or a worktree of it.",
      },
    );
  }
  if (result.stderr.includes("not a git repository")) {
    return new AppError("not_a_repository", `${directory} is not inside a git repository`, {
      hint: "Run the command inside one, name one with --repo DIR, or make one with: git init",
    });
  }
  return gitFailed(args, result);
}

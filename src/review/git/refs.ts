import type { ObjectFormat } from "./intent-index.ts";
import { type GitHandle, runGit, tryGit } from "./run-git.ts";

/** Empty trees, which git knows without storing them. */
export const EMPTY_TREE: Record<ObjectFormat, string> = {
  sha1: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  sha256: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
};

export interface Branch {
  /** Short name, for example `main` or `origin/main`. */
  readonly name: string;
  readonly commit: string;
}

/** The current commit, branch and recent history of a repository. */
export interface Heads {
  /** The commit that is checked out; undefined before the first commit. */
  readonly commit: string | undefined;
  /** The branch name, or a phrase such as `detached at 1a2b3c4`. */
  readonly currentBranch: string;
  /** The branch that the diff type `branch` compares with. Its commit is undefined before the first commit. */
  readonly defaultBranch: { readonly name: string; readonly commit: string | undefined };
  /** Local branches, newest first. */
  readonly branches: readonly Branch[];
  /** The most recent commits reachable from HEAD, newest first. */
  readonly commits: readonly Commit[];
}

export interface Commit {
  readonly object: string;
  /** The first line of the commit message. */
  readonly subject: string;
}

/** Number of recent commits that are listed. */
const MAX_COMMITS = 20;

const ORIGIN_HEAD = "refs/remotes/origin/HEAD";

/**
 * Reads HEAD and the local branches. The default branch is the one that origin/HEAD names, or otherwise main,
 * master, or the current branch.
 */
export async function readHeads(git: GitHandle): Promise<Heads> {
  const [listing, commits] = await Promise.all([
    runGit(git, [
      "for-each-ref",
      "--sort=-committerdate",
      "--format=%(refname)%00%(objectname)%00%(symref)%00%(HEAD)",
      "refs/heads",
      ORIGIN_HEAD,
    ]),
    lastCommits(git),
  ]);
  const refs = listing
    .toString()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [name = "", object = "", target = "", mark = ""] = line.split("\0");
      return { name, commit: object, target, isCheckedOut: mark === "*" };
    });
  const branches = refs
    .filter(({ name }) => name.startsWith("refs/heads/"))
    .map((ref) => ({ name: ref.name.slice("refs/heads/".length), commit: ref.commit }));
  const commit = commits[0]?.object ?? (await resolveCommit(git, "HEAD"));
  const head = refs.find(({ isCheckedOut }) => isCheckedOut)?.name ?? (await readSymbolicHead(git));
  const currentBranch =
    head?.replace(/^refs\/heads\//, "") ?? `detached at ${commit?.slice(0, 7) ?? "nothing"}`;
  const origin = refs.find(({ name }) => name === ORIGIN_HEAD);
  const defaultBranch = defaultAmong(branches, origin) ?? { name: currentBranch, commit };
  return { commit, currentBranch, defaultBranch, branches, commits };
}

/** Returns the reference that HEAD names, which may not exist yet; undefined for a detached HEAD. */
async function readSymbolicHead(git: GitHandle): Promise<string | undefined> {
  const { exitCode, stdout } = await tryGit(git, ["symbolic-ref", "--quiet", "HEAD"]);
  return exitCode === 0 ? stdout.toString().trimEnd() : undefined;
}

/**
 * Returns the last commits, or none before the first commit. Each commit is two lines of output: `commit
 * OBJECT`, then its subject.
 */
async function lastCommits(git: GitHandle): Promise<Commit[]> {
  const args = ["rev-list", `--max-count=${MAX_COMMITS}`, "--format=%s", "HEAD", "--"];
  const { exitCode, stdout } = await tryGit(git, args);
  if (exitCode !== 0) return [];
  const lines = stdout.toString().split("\n");
  return lines.flatMap((line, index) =>
    index % 2 === 0 && line !== ""
      ? [{ object: line.replace(/^commit /, ""), subject: lines[index + 1] ?? "" }]
      : [],
  );
}

/**
 * Returns the local branch that origin/HEAD names, or otherwise the remote branch, main or master; undefined
 * if none of these exists.
 */
function defaultAmong(
  branches: readonly Branch[],
  origin: { readonly commit: string; readonly target: string } | undefined,
): Branch | undefined {
  const local = (wanted: string) => branches.find(({ name }) => name === wanted);
  const remoteName = origin?.target.replace(/^refs\/remotes\//, "");
  if (origin && remoteName) {
    return local(remoteName.replace(/^origin\//, "")) ?? { name: remoteName, commit: origin.commit };
  }
  return local("main") ?? local("master");
}

/** Resolves a name to a commit, or undefined. The name can be any text without NUL: git never reads it as an option. */
export async function resolveCommit(git: GitHandle, name: string): Promise<string | undefined> {
  const result = await tryGit(git, ["rev-parse", "--verify", "--end-of-options", `${name}^{commit}`]);
  return result.exitCode === 0 ? result.stdout.toString().trim() : undefined;
}

/** Returns a commit's first parent, or undefined for a root commit. */
export function findParent(git: GitHandle, commit: string): Promise<string | undefined> {
  return resolveCommit(git, `${commit}~1`);
}

/** Returns the merge base of two commits, or undefined if they have no common history. */
export async function findMergeBase(git: GitHandle, one: string, other: string): Promise<string | undefined> {
  const result = await tryGit(git, ["merge-base", one, other]);
  return result.exitCode === 0 ? result.stdout.toString().split("\n")[0] || undefined : undefined;
}

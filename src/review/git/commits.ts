import type { ReviewedCommit, Revision, ShownCommit } from "../api-types.ts";
import { type Heads, resolveCommit } from "./refs.ts";
import { type GitHandle, tryGit } from "./run-git.ts";

/** Maximum commits of a branch that are listed; older ones are left out. */
const MAX_COMMITS = 500;
/** Maximum names and maximum commits in the results of a search. */
const MAX_NAMES = 40;
const MAX_FOUND = 40;

/** Fields of a commit, separated by NUL: object, parents, author, date, message. */
const FORMAT = "--format=%H%x00%P%x00%an%x00%aI%x00%B";
const FIXED = ["log", "-z", "--no-patch", "--no-color", "--no-show-signature", "--no-notes", FORMAT] as const;

/**
 * Returns the commits of the current branch, oldest first: those that the default branch does not have or, on the
 * default branch itself, those that the branch of the same name at `origin` does not have (none without that branch).
 */
export async function readBranchCommits(
  git: GitHandle,
  { commit, currentBranch, defaultBranch }: Heads,
): Promise<ReviewedCommit[]> {
  if (commit === undefined) return [];
  const isDefault = currentBranch === defaultBranch.name;
  const base = isDefault
    ? await resolveCommit(git, `refs/remotes/origin/${defaultBranch.name}`)
    : defaultBranch.commit;
  if (base === undefined || base === commit) return [];
  const range = ["--topo-order", `--max-count=${MAX_COMMITS}`, `${base}..${commit}`];
  return (await readLog(git, range)).map(({ parent: _parent, ...rest }) => rest).reverse();
}

/** Returns a commit by its object name; undefined if git cannot read it. */
export async function readCommit(git: GitHandle, object: string): Promise<ShownCommit | undefined> {
  const [commit] = await readLog(git, ["--max-count=1", object]);
  return commit;
}

/**
 * Returns the branches and tags whose name contains a text, the commit whose object name begins with it (4 or more
 * hexadecimal digits), and the commits reachable from HEAD whose message or author contains it, ignoring case. Without
 * a text, returns the newest names and commits.
 */
export async function findRevisions(git: GitHandle, text: string): Promise<Revision[]> {
  const wanted = text.trim().toLowerCase();
  const [names, named, messages, authors] = await Promise.all([
    readNames(git),
    /^[0-9a-f]{4,64}$/.test(wanted) ? resolveCommit(git, wanted) : undefined,
    searchLog(git, wanted === "" ? [] : [`--grep=${wanted}`]),
    wanted === "" ? [] : searchLog(git, [`--author=${wanted}`]),
  ]);
  const exact = named === undefined ? [] : await readLog(git, ["--max-count=1", named]);
  const commits = new Map([...exact, ...messages, ...authors].map((commit) => [commit.sha, commit]));
  return [
    ...names.filter(({ name }) => name.toLowerCase().includes(wanted)).slice(0, MAX_NAMES),
    ...[...commits.values()]
      .slice(0, MAX_FOUND)
      .map(({ sha, title, author, at }): Revision => ({ kind: "commit", name: sha, sha, title, author, at })),
  ];
}

function searchLog(git: GitHandle, filter: readonly string[]): Promise<ShownCommit[]> {
  const limits = ["--fixed-strings", "--regexp-ignore-case", `--max-count=${MAX_FOUND}`];
  return readLog(git, [...limits, ...filter, "HEAD"]);
}

async function readLog(git: GitHandle, args: readonly string[]): Promise<ShownCommit[]> {
  const { exitCode, stdout } = await tryGit(git, [...FIXED, ...args, "--"]);
  if (exitCode !== 0) return [];
  const fields = stdout.toString().split("\0");
  const commits: ShownCommit[] = [];
  for (let at = 0; at + 4 < fields.length; at += 5) {
    const [sha = "", parents = "", author = "", date = "", message = ""] = fields.slice(at, at + 5);
    const parent = parents.split(" ")[0] || null;
    commits.push({ sha, parent, author, at: date, ...splitMessage(message) });
  }
  return commits;
}

/** Returns branches, remote branches and tags, newest first. */
async function readNames(git: GitHandle): Promise<Revision[]> {
  const { exitCode, stdout } = await tryGit(git, [
    "for-each-ref",
    "--sort=-creatordate",
    "--format=%(refname)%00%(objectname)%00%(symref)%00%(contents:subject)%00%(authorname)%00%(creatordate:iso-strict)",
    "refs/heads",
    "refs/remotes",
    "refs/tags",
  ]);
  if (exitCode !== 0) return [];
  return stdout
    .toString()
    .split("\n")
    .flatMap((line): Revision[] => {
      const [full = "", sha = "", symref = "", title = "", author = "", at = ""] = line.split("\0");
      const [, folder, name] = /^refs\/(heads|remotes|tags)\/(.+)$/.exec(full) ?? [];
      if (name === undefined || symref !== "") return [];
      const kind = folder === "tags" ? "tag" : "branch";
      return [{ kind, name, sha, title, author, at }];
    });
}

/** Splits a commit message into its first line and the rest. */
export function splitMessage(message: string): Pick<ReviewedCommit, "title" | "body"> {
  const [title = "", ...rest] = message.trim().split("\n");
  return { title: title.trim() || "(no message)", body: rest.join("\n").trim() };
}

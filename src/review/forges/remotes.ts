import { AppError } from "../../errors.ts";
import type { Repository } from "../git/repository.ts";
import { type GitHandle, tryGit } from "../git/run-git.ts";
import { parseRemoteUrl, type RemoteAddress } from "./address.ts";
import type { SourceBranch } from "./forge.ts";

/** Names of remotes, the most likely one first. In the clone of a fork, `origin` does not have the pull requests. */
const PREFERRED = ["upstream", "github", "gitlab", "origin"];

/**
 * Returns the remote whose repository has the pull requests: the one that `gh repo set-default` selected, or
 * otherwise the first of `upstream`, `github`, `gitlab`, `origin` and the others. Throws `usage` if no remote
 * has a URL that `parseRemoteUrl` accepts.
 */
export async function findRemote(git: GitHandle): Promise<RemoteAddress> {
  const names = linesOf((await tryGit(git, ["remote"])).stdout);
  const remotes = new Map<string, RemoteAddress>();
  for (const name of names) {
    const address = await readRemote(git, name);
    if (address) remotes.set(name, address);
  }
  const chosen = linesOf(
    (await tryGit(git, ["config", "--get-regexp", "^remote\\..*\\.gh-resolved$"])).stdout,
  );
  const [, resolved] =
    /^remote\.(.*)\.gh-resolved base$/.exec(chosen.find((line) => line.endsWith(" base")) ?? "") ?? [];
  const order = [...(resolved === undefined ? [] : [resolved]), ...PREFERRED, ...names];
  const found = order.map((name) => remotes.get(name)).find((address) => address !== undefined);
  if (found) return found;
  throw new AppError(
    "usage",
    `No remote of ${git.directory} is at GitHub, GitLab, Bitbucket or Azure DevOps`,
    {
      hint: "Pass the address of the pull request: sallyport review pr https://…",
    },
  );
}

async function readRemote(git: GitHandle, name: string): Promise<RemoteAddress | undefined> {
  const { exitCode, stdout } = await tryGit(git, ["remote", "get-url", "--", name]);
  return exitCode === 0 ? parseRemoteUrl(stdout.toString().trim()) : undefined;
}

function linesOf(output: Buffer): string[] {
  return output
    .toString()
    .split("\n")
    .filter((line) => line !== "");
}

/**
 * Returns the branch to which the current one is pushed, or the number of a pull request that was checked out by its
 * ref. Throws `usage` for a detached HEAD.
 */
export async function currentSource(
  git: GitHandle,
  { branch }: Repository,
  base: RemoteAddress,
): Promise<SourceBranch | { readonly number: number }> {
  const name = branch?.replace(/^refs\/heads\//, "");
  if (name === undefined)
    throw new AppError("usage", "Cannot find the pull request of the current branch: HEAD is detached", {
      hint: "Pass the number or the address of the pull request.",
    });
  const setting = async (key: string) => {
    const { exitCode, stdout } = await tryGit(git, ["config", "--get", `branch.${name}.${key}`]);
    return exitCode === 0 ? stdout.toString().trim() : undefined;
  };
  const [merge, pushRemote, remote] = await Promise.all([
    setting("merge"),
    setting("pushRemote"),
    setting("remote"),
  ]);
  const [, number] = /^refs\/(?:pull|merge-requests|pull-requests)\/(\d+)\//.exec(merge ?? "") ?? [];
  if (number !== undefined) return { number: Number(number) };
  const pushedTo = pushRemote ?? remote;
  // `gh pr checkout` sets the address of a fork instead of the name of a remote.
  const address =
    pushedTo === undefined ? undefined : (parseRemoteUrl(pushedTo) ?? (await readRemote(git, pushedTo)));
  return {
    name: merge?.replace(/^refs\/heads\//, "") ?? name,
    repository: address?.path ?? base.path,
  };
}

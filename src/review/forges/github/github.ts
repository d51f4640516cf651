import { z } from "zod";
import type { FindByBranch, Forge, PullAddress, RepositoryAddress } from "../forge.ts";
import type { GitHubApi } from "./api.ts";
import { postReview, settleReview } from "./post-review.ts";
import {
  readChecks,
  readCommitPatch,
  readCommits,
  readFile,
  readPatch,
  readPull,
  repositoryPath,
} from "./read-pull.ts";
import { readThreads } from "./read-threads.ts";

/** Returns a pull request at GitHub. */
export function githubPull(api: GitHubApi, address: PullAddress): Forge {
  const { client } = api;
  return {
    address,
    open: () => readPull(client, address),
    commits: () => readCommits(client, address),
    checks: (pull) => readChecks(client, address, pull),
    threads: () => readThreads(api, address),
    patch: (pull) => readPatch(client, address, pull),
    commitPatch: (sha) => readCommitPatch(client, address, sha),
    file: (path, sha) => readFile(client, address, path, sha),
    post: (review, attempt) => postReview(api, address, review, attempt),
    settle: (review, attempt) => settleReview(api, address, review, attempt),
  };
}

/** Returns a function that finds the open pull request of a branch. */
export function findGitHubPull({ client }: GitHubApi, address: RepositoryAddress): FindByBranch {
  return async ({ name, repository }) => {
    const [owner = ""] = repository.split("/");
    const [found] = await client.json(z.array(z.object({ number: z.number() })), {
      path: `${repositoryPath(address)}/pulls`,
      query: { head: `${owner}:${name}`, state: "open", per_page: 1 },
    });
    return found?.number;
  };
}

import { z } from "zod";
import type { ForgeClient } from "../client.ts";
import type { FindByBranch, Forge, PullAddress, PullRequest, RepositoryAddress } from "../forge.ts";
import { projectPath } from "./api.ts";
import { postReview, settleReview } from "./post-review.ts";
import {
  type MergeRequest,
  readChecks,
  readCommitPatch,
  readCommits,
  readDiscussions,
  readFile,
  readMergeRequest,
  readPatch,
  toThread,
} from "./read-merge-request.ts";

/** Returns a merge request at GitLab. */
export function gitlabPull(client: ForgeClient, address: PullAddress): Forge {
  const startOf = (pull: PullRequest): MergeRequest => ({ startSha: pull.base.sha, ...pull });
  return {
    address,
    open: () => readMergeRequest(client, address),
    commits: () => readCommits(client, address),
    checks: (pull) => readChecks(client, address, pull),
    threads: async (pull) => (await readDiscussions(client, address)).map((one) => toThread(one, pull)),
    patch: () => readPatch(client, address),
    commitPatch: (sha) => readCommitPatch(client, address, sha),
    file: (path, sha) => readFile(client, address, path, sha),
    post: (review, attempt) => postReview(client, address, review, startOf(review.pull), attempt),
    settle: (review, attempt) => settleReview(client, address, review, attempt),
  };
}

/** Returns a function that finds the open merge request of a branch. */
export function findGitLabPull(client: ForgeClient, address: RepositoryAddress): FindByBranch {
  return async ({ name }) => {
    const [found] = await client.json(z.array(z.object({ iid: z.number() })), {
      path: `${projectPath(address)}/merge_requests`,
      query: { source_branch: name, state: "opened", per_page: 1 },
    });
    return found?.iid;
  };
}

import { z } from "zod";
import { type ForgeClient, readPages } from "../client.ts";
import type { FindByBranch, Forge, PullAddress, PullRequest, RepositoryAddress } from "../forge.ts";
import { projectPath } from "./api.ts";
import { postReview, settleReview } from "./post-review.ts";
import {
  type MergeRequest,
  readChecks,
  readCommits,
  readDiscussions,
  readMergeRequest,
  toThread,
} from "./read-merge-request.ts";
import { readCommitPatch, readFile, readPatch } from "./read-patch.ts";

/** Returns a merge request at GitLab. */
export function gitlabPull(client: ForgeClient, address: PullAddress): Forge {
  const startOf = (pull: PullRequest): MergeRequest => ({ startSha: pull.base.sha, ...pull });
  return {
    address,
    open: () => readMergeRequest(client, address),
    commits: () => readCommits(client, address),
    checks: (pull) => readChecks(client, address, pull),
    threads: async (pull) => (await readDiscussions(client, address)).map((one) => toThread(one, pull)),
    patch: (pull) => readPatch(client, address, pull),
    commitPatch: (sha) => readCommitPatch(client, address, sha),
    file: (path, sha) => readFile(client, address, path, sha),
    post: (review, attempt) => postReview(client, address, review, startOf(review.pull), attempt),
    settle: (review, attempt) => settleReview(client, address, review, attempt),
  };
}

const listed = z.object({
  iid: z.number(),
  project_id: z.number(),
  /** Null if the fork was deleted. */
  source_project_id: z.number().nullish(),
});

/** Returns a function that finds the open merge request of a branch. */
export function findGitLabPull(client: ForgeClient, address: RepositoryAddress): FindByBranch {
  return async ({ name, repository }) => {
    const query = { source_branch: name, state: "opened" };
    const path = `${projectPath(address)}/merge_requests`;
    const requests = await readPages(client, z.array(listed), { path, query });
    const source = withoutBasePath(repository, address);
    const isFork = source !== address.repository;
    const forkId = isFork && requests.length > 0 ? await readProjectId(client, source) : undefined;
    return requests.find(
      ({ project_id, source_project_id }) => source_project_id === (isFork ? forkId : project_id),
    )?.iid;
  };
}

/** Returns the path of a project. The path of a remote over HTTPS also contains that of the server. */
function withoutBasePath(path: string, { basePath = "" }: Pick<RepositoryAddress, "basePath">): string {
  const prefix = `${basePath.slice(1)}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

async function readProjectId(client: ForgeClient, repository: string): Promise<number> {
  const { id } = await client.json(z.object({ id: z.number() }), { path: projectPath({ repository }) });
  return id;
}

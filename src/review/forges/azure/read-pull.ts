import { z } from "zod";
import { AppError } from "../../../errors.ts";
import { splitMessage } from "../../git/commits.ts";
import { encodePath } from "../address.ts";
import { parseJson, readIfFound } from "../client.ts";
import type { Check, PullAddress, PullCommit, PullRequest } from "../forge.ts";
import { pullNotFound } from "../forge-errors.ts";
import { toUtc } from "../times.ts";
import { type AzureApi, MAX_PAGES, PAGE } from "./api.ts";

const identity = z.object({
  id: z.string(),
  displayName: z.string().nullish(),
  uniqueName: z.string().nullish(),
});

/** Returns the login of an account, its display name if it has no login, or `unknown`. */
export function personName({ uniqueName, displayName }: Omit<z.infer<typeof identity>, "id">): string {
  return uniqueName || displayName || "unknown";
}

const pullSchema = z.object({
  pullRequestId: z.number(),
  title: z.string(),
  description: z.string().nullish(),
  status: z.string(),
  mergeStatus: z.string().nullish(),
  isDraft: z.boolean().nullish(),
  createdBy: identity,
  sourceRefName: z.string(),
  targetRefName: z.string(),
  reviewers: z.array(identity.extend({ vote: z.number() })).nullish(),
  repository: z.object({
    id: z.string(),
    webUrl: z.string().nullish(),
    project: z.object({ id: z.string() }),
  }),
});

const iteration = z.object({
  id: z.number(),
  sourceRefCommit: z.object({ commitId: z.string() }),
  commonRefCommit: z.object({ commitId: z.string() }),
});

/** A pull request with its last iteration, to which the positions of comments refer. */
export interface AzurePull extends PullRequest {
  readonly iteration: number;
  readonly projectId: string;
}

const VOTES: Readonly<Record<number, string>> = {
  10: "approved",
  5: "approved with suggestions",
  [-5]: "waiting for author",
  [-10]: "rejected",
};

/** Mergeability by merge status. A status that is not listed, such as `failure`, leaves the mergeability unknown. */
const MERGEABILITY: Readonly<Record<string, PullRequest["mergeability"]>> = {
  conflicts: "conflicts",
  succeeded: "clean",
  queued: "computing",
};

/** Returns the path of a pull request's routes. */
export function pullPath({ repository }: AzureApi, { number }: PullAddress): string {
  return `${repository}/pullRequests/${number}`;
}

/**
 * Reads a pull request and its last iteration. Throws `forge_not_found`, or `forge_error` while Azure DevOps prepares
 * the diff.
 */
export async function readPull(api: AzureApi, address: PullAddress): Promise<AzurePull> {
  const path = pullPath(api, address);
  const { host, repository, number } = address;
  const response = await api.send({ path, allow: [404] });
  if (response.status === 404) throw pullNotFound(address);
  const pull = parseJson(api.client, pullSchema, response.body, { path });
  const { value } = await api.json(z.object({ value: z.array(iteration) }), { path: `${path}/iterations` });
  const last = value.at(-1);
  if (!last)
    throw new AppError("forge_error", `${host} has not prepared the diff of pull request ${number} yet`, {
      hint: "Try again in a few seconds.",
    });
  return {
    number: pull.pullRequestId,
    url: `https://${host}/${encodePath(repository)}/pullrequest/${number}`,
    title: pull.title,
    description: pull.description ?? "",
    author: personName(pull.createdBy),
    state:
      pull.status === "completed"
        ? "merged"
        : pull.status === "abandoned"
          ? "closed"
          : pull.isDraft
            ? "draft"
            : "open",
    mergeability: pull.status === "active" ? MERGEABILITY[pull.mergeStatus ?? ""] : undefined,
    base: { ref: branchName(pull.targetRefName), sha: last.commonRefCommit.commitId },
    head: { ref: branchName(pull.sourceRefName), sha: last.sourceRefCommit.commitId },
    reviewers: (pull.reviewers ?? []).map((reviewer) => ({
      name: personName(reviewer),
      state: VOTES[reviewer.vote],
    })),
    iteration: last.id,
    projectId: pull.repository.project.id,
  };
}

function branchName(ref: string): string {
  return ref.replace(/^refs\/heads\//, "");
}

const commit = z.object({
  commitId: z.string(),
  comment: z.string().nullish(),
  author: z.object({ name: z.string().nullish(), date: z.string().nullish() }).nullish(),
});

/** Reads the commits, oldest first. */
export async function readCommits(api: AzureApi, address: PullAddress): Promise<readonly PullCommit[]> {
  const schema = z.object({ value: z.array(commit) });
  const commits: z.infer<typeof commit>[] = [];
  const path = `${pullPath(api, address)}/commits`;
  let token: string | undefined;
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const response = await api.send({ path, query: { $top: PAGE, continuationToken: token } });
    commits.push(...parseJson(api.client, schema, response.body, { path }).value);
    token = response.headers.get("x-ms-continuationtoken") ?? undefined;
    if (token === undefined) break;
  }
  return commits
    .map(({ commitId, comment, author }) => ({
      sha: commitId,
      ...splitMessage(comment ?? ""),
      author: author?.name ?? "unknown",
      at: toUtc(author?.date ?? undefined),
    }))
    .reverse();
}

const statuses = z.object({
  value: z.array(
    z.object({
      state: z.string().nullish(),
      targetUrl: z.string().nullish(),
      context: z.object({ name: z.string(), genre: z.string().nullish() }),
    }),
  ),
});
const evaluations = z.object({
  value: z.array(
    z.object({
      status: z.string(),
      configuration: z.object({
        type: z.object({ displayName: z.string() }),
        settings: z.object({ displayName: z.string().nullish() }).nullish(),
      }),
    }),
  ),
});
const STATES: Readonly<Record<string, string>> = {
  succeeded: "success",
  approved: "success",
  failed: "failure",
  error: "failure",
  rejected: "failure",
  broken: "failure",
  queued: "pending",
  running: "pending",
  notSet: "pending",
  notApplicable: "skipped",
};

/** Reads the statuses of a pull request and the results of its branch policies, such as builds. */
export async function readChecks(
  api: AzureApi,
  address: PullAddress,
  { projectId }: AzurePull,
): Promise<readonly Check[]> {
  const artifactId = `vstfs:///CodeReview/CodeReviewId/${projectId}/${address.number}`;
  const [listed, policies] = await Promise.all([
    api.json(statuses, { path: `${pullPath(api, address)}/statuses` }),
    api.json(evaluations, {
      path: `${api.project}/_apis/policy/evaluations`,
      query: { artifactId, "api-version": "6.0-preview.1" },
    }),
  ]);
  return [
    ...listed.value.map(({ state, targetUrl, context: { name, genre } }) => ({
      name: genre ? `${genre}/${name}` : name,
      state: STATES[state ?? "notSet"] ?? state ?? "pending",
      url: targetUrl || undefined,
    })),
    ...policies.value.map(({ status, configuration: { type, settings } }) => ({
      name: settings?.displayName || type.displayName,
      state: STATES[status] ?? status,
    })),
  ];
}

/** Reads a file of a commit; undefined if the commit does not have it. */
export function readFile(api: AzureApi, path: string, sha: string): Promise<Buffer | undefined> {
  return readIfFound(api, {
    path: `${api.repository}/items`,
    query: {
      path: `/${path}`,
      "versionDescriptor.versionType": "commit",
      "versionDescriptor.version": sha,
      $format: "octetStream",
    },
    accept: "application/octet-stream",
  });
}

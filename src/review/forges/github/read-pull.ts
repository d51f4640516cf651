import { z } from "zod";
import { splitMessage } from "../../git/commits.ts";
import { encodePath } from "../address.ts";
import { type ForgeClient, parseJson, readIfFound, readPages } from "../client.ts";
import type { Check, PullAddress, PullCommit, PullRequest, Reviewer } from "../forge.ts";
import { pullNotFound } from "../forge-errors.ts";
import { makePatch } from "../make-patch.ts";
import { toUtc } from "../times.ts";

const user = z.object({ login: z.string() }).nullish();
const ref = z.object({ ref: z.string(), sha: z.string() });

const pullSchema = z.object({
  number: z.number(),
  html_url: z.string(),
  title: z.string(),
  body: z.string().nullish(),
  state: z.string(),
  draft: z.boolean().optional(),
  merged: z.boolean().optional(),
  mergeable: z.boolean().nullish(),
  commits: z.number().optional(),
  changed_files: z.number().optional(),
  user,
  base: ref,
  head: ref,
  requested_reviewers: z.array(z.object({ login: z.string() })).optional(),
  requested_teams: z.array(z.object({ name: z.string() })).optional(),
});

const comparison = z.object({ merge_base_commit: z.object({ sha: z.string() }) });

/** Login of an account that was deleted. */
const GHOST = "ghost";

/** Returns the path of a repository in the REST API. */
export function repositoryPath({ repository }: Pick<PullAddress, "repository">): string {
  return `/repos/${encodePath(repository)}`;
}

/** Reads a pull request. Its base is the merge base, with which GitHub compares. */
export async function readPull(client: ForgeClient, address: PullAddress): Promise<PullRequest> {
  const path = repositoryPath(address);
  const response = await client.send({ path: `${path}/pulls/${address.number}`, allow: [404] });
  if (response.status === 404) throw pullNotFound(address);
  const pull = parseJson(client, pullSchema, response.body, { path });
  const { base, head } = pull;
  const compared = await client.json(comparison, {
    path: `${path}/compare/${base.sha}...${head.sha}`,
    query: { per_page: 1 },
  });
  return {
    number: pull.number,
    url: pull.html_url,
    title: pull.title,
    description: pull.body ?? "",
    author: pull.user?.login ?? GHOST,
    state: stateOf(pull),
    mergeability: mergeabilityOf(pull),
    base: { ref: base.ref, sha: compared.merge_base_commit.sha },
    head: { ref: head.ref, sha: head.sha },
    reviewers: await readReviewers(client, address, pull),
    incomplete: incompleteLists(pull),
  };
}

/** Maximum lengths of GitHub's lists of a pull request: https://docs.github.com/en/rest/pulls/pulls */
const MAX_FILES = 3_000;
const MAX_COMMITS = 250;

/** Returns a message for each list that GitHub does not return completely; undefined if there is none. */
function incompleteLists({
  changed_files = 0,
  commits = 0,
}: z.infer<typeof pullSchema>): PullRequest["incomplete"] {
  const incomplete = [
    ...(changed_files > MAX_FILES ? [cutList(MAX_FILES, changed_files, "changed files")] : []),
    ...(commits > MAX_COMMITS ? [cutList(MAX_COMMITS, commits, "commits")] : []),
  ];
  return incomplete.length === 0 ? undefined : incomplete;
}

const cutList = (shown: number, all: number, name: string) =>
  `GitHub lists only ${shown.toLocaleString("en")} of the ${all.toLocaleString("en")} ${name}: the others are not shown.`;

function stateOf({ state, merged, draft }: z.infer<typeof pullSchema>): PullRequest["state"] {
  if (merged) return "merged";
  return state === "closed" ? "closed" : draft ? "draft" : "open";
}

/** Returns the mergeability of an open pull request. GitHub starts to compute it when the pull request is read. */
function mergeabilityOf({ state, mergeable }: z.infer<typeof pullSchema>): PullRequest["mergeability"] {
  if (state !== "open" || mergeable === undefined) return undefined;
  if (mergeable === null) return "computing";
  return mergeable ? "clean" : "conflicts";
}

const reviewSchema = z.object({ user, state: z.string() });

/** Returns the requested reviewers, and the authors of reviews with their last verdict. */
async function readReviewers(
  client: ForgeClient,
  address: PullAddress,
  pull: z.infer<typeof pullSchema>,
): Promise<readonly Reviewer[]> {
  const path = `${repositoryPath(address)}/pulls/${address.number}/reviews`;
  const reviews = await readPages(client, z.array(reviewSchema), { path });
  const states = new Map<string, Reviewer>();
  for (const { login } of pull.requested_reviewers ?? []) states.set(login, { name: login });
  for (const { name } of pull.requested_teams ?? []) states.set(name, { name });
  for (const { user: reviewer, state } of reviews) {
    const name = reviewer?.login ?? GHOST;
    if (state === "PENDING" || name === pull.user?.login) continue;
    // A later comment does not withdraw an approval.
    if (state === "COMMENTED" && states.get(name)?.state !== undefined) continue;
    states.set(name, { name, state: state.toLowerCase().replaceAll("_", " ") });
  }
  return [...states.values()];
}

const commitSchema = z.object({
  sha: z.string(),
  commit: z.object({
    message: z.string(),
    author: z.object({ name: z.string().nullish(), date: z.string().nullish() }).nullish(),
  }),
  author: user,
});

/** Reads the commits, oldest first; GitHub lists up to 250. */
export async function readCommits(client: ForgeClient, address: PullAddress): Promise<readonly PullCommit[]> {
  const path = `${repositoryPath(address)}/pulls/${address.number}/commits`;
  const commits = await readPages(client, z.array(commitSchema), { path });
  return commits.map(({ sha, commit, author }) => ({
    sha,
    ...splitMessage(commit.message),
    author: commit.author?.name ?? author?.login ?? GHOST,
    at: toUtc(commit.author?.date ?? undefined),
  }));
}

const checkRuns = z.object({
  check_runs: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      conclusion: z.string().nullish(),
      html_url: z.string().nullish(),
    }),
  ),
});
const combinedStatus = z.object({
  statuses: z.array(z.object({ context: z.string(), state: z.string(), target_url: z.string().nullish() })),
});

/** Reads check runs and commit statuses of the last commit. */
export async function readChecks(
  client: ForgeClient,
  address: PullAddress,
  { head }: PullRequest,
): Promise<readonly Check[]> {
  const path = `${repositoryPath(address)}/commits/${head.sha}`;
  const [runs, { statuses }] = await Promise.all([
    readCheckRuns(client, `${path}/check-runs`),
    client.json(combinedStatus, { path: `${path}/status`, query: { per_page: 100 } }),
  ]);
  return [
    ...runs.map(({ name, status, conclusion, html_url }) => ({
      name,
      state: status === "completed" ? (conclusion ?? "neutral") : "pending",
      url: html_url || undefined,
    })),
    ...statuses.map(({ context, state, target_url }) => ({
      name: context,
      state: state === "error" ? "failure" : state,
      url: target_url || undefined,
    })),
  ];
}

async function readCheckRuns(client: ForgeClient, path: string) {
  const runs: z.infer<typeof checkRuns>["check_runs"] = [];
  for (let page = 1; page <= 20; page += 1) {
    const { check_runs } = await client.json(checkRuns, { path, query: { per_page: 100, page } });
    runs.push(...check_runs);
    if (check_runs.length < 100) break;
  }
  return runs;
}

const fileSchema = z.object({
  filename: z.string(),
  previous_filename: z.string().optional(),
  status: z.string(),
  /** Changed lines: 0 for a binary file. */
  changes: z.number().optional(),
  patch: z.string().optional(),
});

/**
 * Reads the diff. Reads it file by file if GitHub responds with 406, because the diff has more than 300 files or
 * 20,000 lines, or with 422. In that case, GitHub returns no patch of a binary or large file, which is made from its
 * content.
 */
export async function readPatch(
  client: ForgeClient,
  address: PullAddress,
  { base, head }: Pick<PullRequest, "base" | "head">,
): Promise<Buffer> {
  const path = `${repositoryPath(address)}/pulls/${address.number}`;
  const response = await client.send({ path, accept: "application/vnd.github.diff", allow: [406, 422] });
  if (response.status < 400) return response.body;
  const files = await readPages(client, z.array(fileSchema), { path: `${path}/files` });
  const changes = files.map(({ filename, previous_filename = filename, status, changes: count, patch }) => ({
    path: filename,
    oldPath: previous_filename,
    status: STATUSES[status] ?? ("modified" as const),
    hunks: patch ?? (status === "renamed" && count === 0 ? "" : undefined),
  }));
  return makePatch(changes, (name, side) =>
    readFile(client, address, name, side === "old" ? base.sha : head.sha),
  );
}

const STATUSES: Readonly<Record<string, "added" | "deleted" | "renamed">> = {
  added: "added",
  copied: "added",
  removed: "deleted",
  renamed: "renamed",
};

/** Reads a file of a commit; undefined if the commit does not have it. */
export function readFile(
  client: ForgeClient,
  address: PullAddress,
  path: string,
  sha: string,
): Promise<Buffer | undefined> {
  return readIfFound(client, {
    path: `${repositoryPath(address)}/contents/${encodePath(path)}`,
    query: { ref: sha },
    accept: "application/vnd.github.raw",
  });
}

/** Reads the diff of one commit. */
export async function readCommitPatch(
  client: ForgeClient,
  address: PullAddress,
  sha: string,
): Promise<Buffer> {
  const path = `${repositoryPath(address)}/commits/${sha}`;
  const { body } = await client.send({ path, accept: "application/vnd.github.diff" });
  return body;
}

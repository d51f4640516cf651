import { z } from "zod";
import { AppError } from "../../../errors.ts";
import { splitMessage } from "../../git/commits.ts";
import { type ForgeClient, parseJson, readPages } from "../client.ts";
import type { Check, ForgeThread, PullAddress, PullCommit, PullRequest } from "../forge.ts";
import { pullNotFound } from "../forge-errors.ts";
import { toLineAnchor } from "../line-anchor.ts";
import { toUtc } from "../times.ts";
import { projectPath } from "./api.ts";

const person = z.object({ username: z.string() });

const mergeRequest = z.object({
  iid: z.number(),
  web_url: z.string(),
  title: z.string(),
  description: z.string().nullish(),
  state: z.string(),
  draft: z.boolean().optional(),
  has_conflicts: z.boolean().nullish(),
  merge_status: z.string().nullish(),
  author: person.nullish(),
  reviewers: z.array(person).nullish(),
  source_branch: z.string(),
  target_branch: z.string(),
  sha: z.string().nullish(),
  diff_refs: z
    .object({
      base_sha: z.string().nullish(),
      start_sha: z.string().nullish(),
      head_sha: z.string().nullish(),
    })
    .nullish(),
});

/** A merge request, with the start commit of positions in its diff. */
export interface MergeRequest extends PullRequest {
  readonly startSha: string;
}

/** Returns the path of a merge request in the API. */
export function mergeRequestPath(address: PullAddress): string {
  return `${projectPath(address)}/merge_requests/${address.number}`;
}

export async function readMergeRequest(client: ForgeClient, address: PullAddress): Promise<MergeRequest> {
  const path = mergeRequestPath(address);
  const { host, number } = address;
  const response = await client.send({ path, allow: [404] });
  if (response.status === 404) throw pullNotFound(address);
  const found = parseJson(client, mergeRequest, response.body, { path });
  const { base_sha, start_sha, head_sha } = found.diff_refs ?? {};
  if (!base_sha || !head_sha)
    throw new AppError("forge_error", `${host} has not prepared the diff of merge request ${number} yet`, {
      hint: "Try again in a few seconds. A merge request whose source branch was deleted has no diff.",
    });
  const states = await readReviewerStates(client, path);
  return {
    number: found.iid,
    url: found.web_url,
    title: found.title,
    description: found.description ?? "",
    author: found.author?.username ?? "ghost",
    state:
      found.state === "merged" || found.state === "closed" ? found.state : found.draft ? "draft" : "open",
    mergeability: mergeabilityOf(found),
    base: { ref: found.target_branch, sha: base_sha },
    head: { ref: found.source_branch, sha: head_sha },
    startSha: start_sha ?? base_sha,
    reviewers: (found.reviewers ?? []).map(({ username }) => ({
      name: username,
      state: states.get(username),
    })),
  };
}

/**
 * Returns the mergeability of an open merge request. `has_conflicts` is false, or a former result, until `merge_status`
 * is final.
 */
function mergeabilityOf(found: z.infer<typeof mergeRequest>): PullRequest["mergeability"] {
  const { state, has_conflicts, merge_status } = found;
  if (state !== "opened" || has_conflicts == null) return undefined;
  if (merge_status != null && !/^can(?:not)?_be_merged$/.test(merge_status)) return "computing";
  return has_conflicts ? "conflicts" : "clean";
}

const reviewers = z.array(z.object({ user: person, state: z.string() }));
const approvals = z.object({ approved_by: z.array(z.object({ user: person })).nullish() });

/**
 * Reads the reviewers with their states, for example `requested_changes`. Throws `forge_not_found` for older
 * versions of GitLab.
 */
export function readReviewers(client: ForgeClient, path: string): Promise<z.infer<typeof reviewers>> {
  return readPages(client, reviewers, { path: `${path}/reviewers` });
}

/** Returns the decisions of reviewers by name, as far as this version of GitLab reports them. */
async function readReviewerStates(client: ForgeClient, path: string): Promise<ReadonlyMap<string, string>> {
  const [listed, approved] = await Promise.all([
    readReviewers(client, path).catch(() => []),
    client.json(approvals, { path: `${path}/approvals` }).catch(() => undefined),
  ]);
  const states = new Map<string, string>();
  for (const { user, state } of listed)
    if (state !== "unreviewed") states.set(user.username, state.replaceAll("_", " "));
  for (const { user } of approved?.approved_by ?? []) states.set(user.username, "approved");
  return states;
}

const commit = z.object({
  id: z.string(),
  title: z.string(),
  message: z.string().nullish(),
  author_name: z.string(),
  authored_date: z.string().nullish(),
  created_at: z.string().nullish(),
});

/** Reads the commits, oldest first. */
export async function readCommits(client: ForgeClient, address: PullAddress): Promise<readonly PullCommit[]> {
  const commits = await readPages(client, z.array(commit), { path: `${mergeRequestPath(address)}/commits` });
  return commits
    .map(({ id, title, message, author_name, authored_date, created_at }) => ({
      sha: id,
      ...splitMessage(message ?? title),
      author: author_name,
      at: toUtc(authored_date ?? created_at ?? undefined),
    }))
    .reverse();
}

const status = z.object({ name: z.string(), status: z.string(), target_url: z.string().nullish() });

const STATES: Readonly<Record<string, string>> = {
  failed: "failure",
  canceled: "cancelled",
  created: "pending",
  running: "pending",
  preparing: "pending",
  scheduled: "pending",
  waiting_for_resource: "pending",
};

/** Reads the jobs and external statuses of the last commit. */
export async function readChecks(
  client: ForgeClient,
  address: PullAddress,
  { head }: PullRequest,
): Promise<readonly Check[]> {
  const path = `${projectPath(address)}/repository/commits/${head.sha}/statuses`;
  const statuses = await readPages(client, z.array(status), { path });
  return statuses.map(({ name, status: state, target_url }) => ({
    name,
    state: STATES[state] ?? state,
    url: target_url || undefined,
  }));
}

const linePosition = z.object({ old_line: z.number().nullish(), new_line: z.number().nullish() });
const position = z.object({
  position_type: z.string().nullish(),
  head_sha: z.string().nullish(),
  old_path: z.string().nullish(),
  new_path: z.string().nullish(),
  old_line: z.number().nullish(),
  new_line: z.number().nullish(),
  line_range: z.object({ start: linePosition.nullish(), end: linePosition.nullish() }).nullish(),
});

const note = z.object({
  id: z.number(),
  body: z.string(),
  author: person,
  created_at: z.string(),
  system: z.boolean(),
  resolvable: z.boolean().optional(),
  resolved: z.boolean().optional(),
  resolved_by: person.nullish(),
  position: position.nullish(),
});

const discussion = z.object({ id: z.string(), notes: z.array(note) });
export type Discussion = z.infer<typeof discussion>;

/** Reads the discussions, without the notes that GitLab creates itself. */
export async function readDiscussions(
  client: ForgeClient,
  address: PullAddress,
): Promise<readonly Discussion[]> {
  const path = `${mergeRequestPath(address)}/discussions`;
  const discussions = await readPages(client, z.array(discussion), { path });
  return discussions
    .map(({ id, notes }) => ({ id, notes: notes.filter(({ system }) => !system) }))
    .filter(({ notes }) => notes.length > 0);
}

/** Returns a discussion as a thread. */
export function toThread({ id, notes }: Discussion, { head }: PullRequest): ForgeThread {
  const [first] = notes;
  const where = first?.position;
  const isResolvable = first?.resolvable === true;
  return {
    id,
    anchor: anchorOf(where),
    oldLineEnd: where?.new_line == null ? undefined : (where.old_line ?? undefined),
    outdated: where?.head_sha != null && where.head_sha !== head.sha,
    resolved: isResolvable
      ? notes.every(({ resolved, resolvable }) => !resolvable || resolved === true)
      : undefined,
    resolvedBy: notes.findLast(({ resolved_by }) => resolved_by)?.resolved_by?.username,
    takesMessages: true,
    messages: notes.map((one) => ({
      id: String(one.id),
      author: one.author.username,
      at: toUtc(one.created_at),
      markdown: one.body,
    })),
  };
}

function anchorOf(where: z.infer<typeof position> | null | undefined): ForgeThread["anchor"] {
  const path = where?.new_path ?? where?.old_path;
  if (!where || !path) return { kind: "review" };
  const isNew = where.new_line != null;
  const end = where.new_line ?? where.old_line;
  if (end == null || where.position_type === "file") return { kind: "file", path };
  const start = isNew ? where.line_range?.start?.new_line : where.line_range?.start?.old_line;
  return toLineAnchor(path, isNew ? "new" : "old", start ?? end, end);
}

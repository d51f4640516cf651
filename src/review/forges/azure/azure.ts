import { z } from "zod";
import { AppError } from "../../../errors.ts";
import { findLine, lineText } from "../../../render/diff/patch/parsed-patch.ts";
import { scanPatch } from "../../../render/diff/patch/scan-patch.ts";
import { azureParts } from "../address.ts";
import type {
  FindByBranch,
  Forge,
  ForgeThread,
  OutgoingItem,
  OutgoingReview,
  PullAddress,
  RepositoryAddress,
} from "../forge.ts";
import { toLineAnchor } from "../line-anchor.ts";
import { makePatch } from "../make-patch.ts";
import { type EachForge, postEach, settleEach } from "../post-each.ts";
import { toUtc } from "../times.ts";
import { type AzureApi, MAX_PAGES, PAGE } from "./api.ts";
import { readChanges, readCommitChanges, type TrackedChange } from "./read-changes.ts";
import {
  type AzurePull,
  personName,
  pullPath,
  readChecks,
  readCommits,
  readFile,
  readPull,
} from "./read-pull.ts";

export { createAzureApi } from "./api.ts";

/** Returns a pull request at Azure DevOps. */
export function azurePull(api: AzureApi, address: PullAddress): Forge {
  let current: AzurePull | undefined;
  const open = async () => {
    current = await readPull(api, address);
    return current;
  };
  const latest = async () => current ?? open();
  const each = async (review: OutgoingReview): Promise<EachForge> =>
    createEach(api, address, review, await latest());
  return {
    address,
    open,
    commits: () => readCommits(api, address),
    checks: async () => readChecks(api, address, await latest()),
    threads: async () => readThreads(api, address, await latest()),
    async patch() {
      const pull = await latest();
      const sha = { old: pull.base.sha, new: pull.head.sha };
      return makePatch(await readChanges(api, address, pull), (path, side) => readFile(api, path, sha[side]));
    },
    async commitPatch(sha) {
      const { parent, changes } = await readCommitChanges(api, sha);
      return makePatch(changes, async (path, side) => {
        const from = side === "new" ? sha : parent;
        return from === undefined ? undefined : readFile(api, path, from);
      });
    },
    file: (path, sha) => readFile(api, path, sha),
    post: async (review, attempt) => postEach(await each(review), review, attempt),
    settle: async (review, attempt) => settleEach(await each(review), review, attempt),
  };
}

const line = z.object({ line: z.number() }).nullish();
const author = z.object({
  id: z.string().nullish(),
  displayName: z.string().nullish(),
  uniqueName: z.string().nullish(),
});
const threadSchema = z.object({
  id: z.number(),
  status: z.string().nullish(),
  isDeleted: z.boolean().nullish(),
  threadContext: z
    .object({
      filePath: z.string().nullish(),
      leftFileStart: line,
      leftFileEnd: line,
      rightFileStart: line,
      rightFileEnd: line,
    })
    .nullish(),
  comments: z.array(
    z.object({
      id: z.number(),
      content: z.string().nullish(),
      commentType: z.string().nullish(),
      isDeleted: z.boolean().nullish(),
      publishedDate: z.string().nullish(),
      author,
    }),
  ),
});
type AzureThread = z.infer<typeof threadSchema>;
const threadList = z.object({ value: z.array(threadSchema) });

/** States of threads that count as resolved. */
const SETTLED = ["fixed", "closed", "wontFix", "byDesign"];

async function readRaw(
  api: AzureApi,
  address: PullAddress,
  { iteration }: Pick<AzurePull, "iteration">,
): Promise<readonly AzureThread[]> {
  // With `$iteration`, Azure DevOps returns the positions in the files of that iteration.
  const request = { path: `${pullPath(api, address)}/threads`, query: { $iteration: iteration } };
  const { value } = await api.json(threadList, request);
  return value
    .filter(({ isDeleted }) => !isDeleted)
    .map((thread) => ({
      ...thread,
      comments: thread.comments.filter(
        ({ isDeleted, commentType }) =>
          !isDeleted && commentType !== "system" && commentType !== "codeChange",
      ),
    }))
    .filter(({ comments }) => comments.length > 0);
}

async function readThreads(
  api: AzureApi,
  address: PullAddress,
  pull: AzurePull,
): Promise<readonly ForgeThread[]> {
  const threads = await readRaw(api, address, pull);
  return threads.map(({ id, status, threadContext, comments }) => ({
    id: String(id),
    anchor: anchorOf(threadContext),
    outdated: false,
    resolved: SETTLED.includes(status ?? ""),
    takesMessages: true,
    messages: comments.map((comment) => ({
      id: `${id}/${comment.id}`,
      author: personName(comment.author),
      at: toUtc(comment.publishedDate ?? undefined),
      markdown: comment.content ?? "",
    })),
  }));
}

function anchorOf(context: AzureThread["threadContext"]): ForgeThread["anchor"] {
  const path = context?.filePath?.replace(/^\//, "");
  if (!context || !path) return { kind: "review" };
  const isNew = Boolean(context.rightFileEnd ?? context.rightFileStart);
  const [start, end] = isNew
    ? [context.rightFileStart, context.rightFileEnd]
    : [context.leftFileStart, context.leftFileEnd];
  const last = end?.line ?? start?.line;
  if (last === undefined) return { kind: "file", path };
  return toLineAnchor(path, isNew ? "new" : "old", start?.line ?? last, last);
}

const VOTES = { approve: 10, request_changes: -5, comment: 0 } as const;

/**
 * Returns the calls that post a review: Azure DevOps publishes each thread immediately, and the verdict is a
 * vote.
 */
function createEach(
  api: AzureApi,
  address: PullAddress,
  { pull, fileOf }: OutgoingReview,
  current: AzurePull,
): EachForge {
  const path = pullPath(api, address);
  let changes: Promise<readonly TrackedChange[]> | undefined;
  const me = async () => {
    const schema = z.object({ authenticatedUser: z.object({ id: z.string() }) });
    const query = { "api-version": "6.0-preview.1" };
    const { authenticatedUser } = await api.json(schema, { path: "/_apis/connectionData", query });
    return authenticatedUser.id;
  };
  const trackingOf = async (name: string) => {
    changes ??= readChanges(api, address, current);
    return (await changes).find((change) => change.path === name || change.oldPath === name)?.trackingId;
  };
  return {
    async list() {
      const [threads, own] = await Promise.all([readRaw(api, address, current), me()]);
      return threads.flatMap(({ id, comments }) =>
        comments
          .filter((comment) => comment.author.id === own)
          .map((comment) => ({ id: `${id}/${comment.id}`, body: comment.content ?? "" })),
      );
    },
    async create(item) {
      if (pull.head.sha !== current.head.sha)
        throw new AppError(
          "forge_rejected",
          "The pull request has new commits. Refresh the page, then post again.",
        );
      const comment = {
        parentCommentId: item.kind === "reply" ? 1 : 0,
        content: item.body,
        commentType: "text",
      };
      if (item.kind === "reply") {
        const thread = encodeURIComponent(item.remote);
        await api.send({ method: "POST", path: `${path}/threads/${thread}/comments`, json: comment });
        return;
      }
      const tracking = "path" in item ? await trackingOf(item.path) : undefined;
      const json = {
        comments: [comment],
        status: "active",
        ...contextOf(item, fileOf),
        ...(tracking === undefined
          ? {}
          : {
              pullRequestThreadContext: {
                changeTrackingId: tracking,
                // Two equal iterations stand for the comparison with the merge base.
                iterationContext: {
                  firstComparingIteration: current.iteration,
                  secondComparingIteration: current.iteration,
                },
              },
            }),
      };
      await api.send({ method: "POST", path: `${path}/threads`, json });
    },
    async changeState({ kind, remote }) {
      const json = { status: kind === "resolve" ? "fixed" : "active" };
      await api.send({ method: "PATCH", path: `${path}/threads/${encodeURIComponent(remote)}`, json });
    },
    async vote(verdict) {
      const id = await me();
      await api.send({ method: "PUT", path: `${path}/reviewers/${id}`, json: { vote: VOTES[verdict] } });
    },
  };
}

function contextOf(item: OutgoingItem, fileOf: OutgoingReview["fileOf"]): object {
  if (item.kind === "file") return { threadContext: { filePath: `/${item.path}` } };
  if (item.kind !== "comment") return {};
  const { path, side, lineStart, lineEnd } = item;
  const patch = scanPatch(fileOf(path)?.patch ?? "");
  const start = { line: lineStart, offset: 1 };
  // An offset counts the positions between characters, from 1.
  const end = {
    line: lineEnd,
    offset: lineText(patch, Math.max(0, findLine(patch, side, lineEnd))).length + 1,
  };
  const lines =
    side === "new"
      ? { rightFileStart: start, rightFileEnd: end }
      : { leftFileStart: start, leftFileEnd: end };
  return { threadContext: { filePath: `/${path}`, ...lines } };
}

const listed = z.object({
  pullRequestId: z.number(),
  /** Absent if the source branch is in the repository of the pull request. */
  forkSource: z
    .object({ repository: z.object({ name: z.string(), project: z.object({ name: z.string() }) }) })
    .nullish(),
});

/** Returns a function that finds the open pull request of a branch. */
export function findAzurePull(api: AzureApi, address: RepositoryAddress): FindByBranch {
  const { host } = address;
  const keyOf = (project: string, name: string) => `${project}/${name}`.toLowerCase();
  const target = azureParts(address);
  const path = `${api.repository}/pullrequests`;
  return async ({ name, repository }) => {
    const source = azureParts({ host, repository });
    const isFromSource = ({ forkSource }: z.infer<typeof listed>) => {
      const from = forkSource
        ? keyOf(forkSource.repository.project.name, forkSource.repository.name)
        : keyOf(target.project, target.name);
      return from === keyOf(source.project, source.name);
    };
    const search = {
      "searchCriteria.sourceRefName": `refs/heads/${name}`,
      "searchCriteria.status": "active",
    };
    for (let count = 0; count < MAX_PAGES; count += 1) {
      const query = { ...search, $top: PAGE, $skip: count * PAGE };
      const { value } = await api.json(z.object({ value: z.array(listed) }), { path, query });
      const found = value.find(isFromSource);
      if (found || value.length < PAGE) return found?.pullRequestId;
    }
    return undefined;
  };
}

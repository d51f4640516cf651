import { z } from "zod";
import type { ForgeThread, PullAddress } from "../forge.ts";
import { toLineAnchor } from "../line-anchor.ts";
import { toUtc } from "../times.ts";
import type { GitHubApi } from "./api.ts";

const actor = z.object({ login: z.string() }).nullish();
const pageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() });

const comment = z.object({
  id: z.string(),
  body: z.string(),
  createdAt: z.string(),
  author: actor,
  diffHunk: z.string().nullish(),
});
const comments = z.object({ nodes: z.array(comment), pageInfo });

const threadNode = z.object({
  id: z.string(),
  isResolved: z.boolean(),
  isOutdated: z.boolean(),
  path: z.string(),
  line: z.number().nullish(),
  startLine: z.number().nullish(),
  originalLine: z.number().nullish(),
  originalStartLine: z.number().nullish(),
  diffSide: z.enum(["LEFT", "RIGHT"]).nullish(),
  subjectType: z.string().nullish(),
  resolvedBy: actor,
  comments,
});
type ThreadNode = z.infer<typeof threadNode>;

const generalNode = z.object({ id: z.string(), body: z.string(), author: actor, createdAt: z.string() });

const COMMENT_FIELDS = "id body createdAt diffHunk author { login }";
const PAGE = "pageInfo { hasNextPage endCursor }";

const THREADS = `query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewThreads(first: 100, after: $after) { ${PAGE} nodes {
      id isResolved isOutdated path line startLine originalLine originalStartLine diffSide subjectType
      resolvedBy { login }
      comments(first: 50) { ${PAGE} nodes { ${COMMENT_FIELDS} } }
    } }
  } }
}`;
const MORE_COMMENTS = `query ($id: ID!, $after: String) {
  node(id: $id) { ... on PullRequestReviewThread { comments(first: 100, after: $after) { ${PAGE} nodes { ${COMMENT_FIELDS} } } } }
}`;
const CONVERSATION = `query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    comments(first: 100, after: $after) { ${PAGE} nodes { id body createdAt author { login } } }
  } }
}`;
const REVIEWS = `query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviews(first: 100, after: $after) { ${PAGE} nodes { id body createdAt state author { login } } }
  } }
}`;

/** Returns the GraphQL variables that identify a pull request. */
export function pullVariables({ repository, number }: PullAddress) {
  const [owner = "", name = ""] = repository.split("/");
  return { owner, name, number };
}

/** Reads all threads: those on the diff, the conversation, and the texts of reviews. */
export async function readThreads(api: GitHubApi, address: PullAddress): Promise<readonly ForgeThread[]> {
  const [onDiff, conversation, reviews] = await Promise.all([
    readAll(api, address, THREADS, "reviewThreads", threadNode),
    readAll(api, address, CONVERSATION, "comments", generalNode),
    readAll(api, address, REVIEWS, "reviews", generalNode.extend({ state: z.string() })),
  ]);
  const texts = [...conversation, ...reviews.filter(({ state }) => state !== "PENDING")]
    .filter(({ body }) => body.trim() !== "")
    .sort((one, other) => Date.parse(one.createdAt) - Date.parse(other.createdAt));
  return [
    ...texts.map(toGeneralThread),
    ...(await Promise.all(onDiff.map(async (node) => toThread(node, await readRest(api, node))))),
  ];
}

type Connection = "reviewThreads" | "comments" | "reviews";

async function readAll<Node>(
  api: GitHubApi,
  address: PullAddress,
  query: string,
  name: Connection,
  node: z.ZodType<Node>,
): Promise<Node[]> {
  const connection = z.object({ nodes: z.array(node), pageInfo });
  const schema = z.object({
    repository: z.object({ pullRequest: z.record(z.string(), connection) }),
  });
  const nodes: Node[] = [];
  let after: string | null = null;
  do {
    const variables: object = { ...pullVariables(address), after };
    const { repository } = await api.graphql(schema, query, variables);
    const page: z.infer<typeof connection> | undefined = repository.pullRequest[name];
    nodes.push(...(page?.nodes ?? []));
    after = page?.pageInfo.hasNextPage ? (page.pageInfo.endCursor ?? null) : null;
  } while (after !== null);
  return nodes;
}

async function readRest(api: GitHubApi, { id, comments: first }: ThreadNode) {
  const all = [...first.nodes];
  let { pageInfo: page } = first;
  while (page.hasNextPage) {
    const { node } = await api.graphql(z.object({ node: z.object({ comments }) }), MORE_COMMENTS, {
      id,
      after: page.endCursor,
    });
    all.push(...node.comments.nodes);
    page = node.comments.pageInfo;
  }
  return all;
}

function toThread(node: ThreadNode, all: readonly z.infer<typeof comment>[]): ForgeThread {
  const { path, subjectType, isOutdated, originalLine, originalStartLine } = node;
  const line = node.line ?? originalLine ?? undefined;
  const start = (node.line ? node.startLine : originalStartLine) ?? line;
  const isOnLine = subjectType !== "FILE" && line !== undefined && start !== undefined;
  return {
    id: node.id,
    anchor: isOnLine
      ? toLineAnchor(path, node.diffSide === "LEFT" ? "old" : "new", start, line)
      : { kind: "file", path },
    outdated: isOutdated || (isOnLine && !node.line),
    code: isOnLine && start !== undefined ? codeOf(all[0]?.diffHunk ?? "", line - start + 1) : undefined,
    resolved: node.isResolved,
    resolvedBy: node.resolvedBy?.login,
    takesMessages: true,
    messages: all.map((one) => toMessage(one)),
  };
}

/** Returns the last lines of a hunk, which are the lines that its comment refers to. */
function codeOf(hunk: string, count: number): string {
  const lines = hunk.split("\n").slice(1);
  return lines
    .slice(-Math.max(1, count))
    .map((line) => line.slice(1))
    .join("\n");
}

function toGeneralThread(node: z.infer<typeof generalNode>): ForgeThread {
  return {
    id: node.id,
    anchor: { kind: "review" },
    outdated: false,
    resolved: undefined,
    takesMessages: false,
    messages: [toMessage(node)],
  };
}

function toMessage({ id, body, createdAt, author }: z.infer<typeof generalNode>) {
  return { id, author: author?.login ?? "ghost", at: toUtc(createdAt), markdown: body };
}

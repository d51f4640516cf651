import {
  BASE_SHA,
  type Castle,
  type CastleThread,
  COMMITS,
  fileAt,
  HEAD_SHA,
  isInDiff,
  PATCH,
  PULL,
} from "./castle.ts";
import { type ForgeCall, type ForgeResult, pageOf, type Route, route } from "./forge-server.ts";

interface PendingReview {
  readonly id: string;
  state: string;
  body: string;
  readonly threads: Position[];
  readonly messages: { readonly thread: number; readonly body: string }[];
}

interface Position {
  readonly path: string;
  readonly line?: number;
  readonly startLine?: number;
  readonly side?: string;
  readonly body: string;
}

/**
 * GitHub Enterprise Server's REST and GraphQL APIs (https://docs.github.com), limited to the parts that a review
 * needs.
 */
export function github(castle: Castle, host: () => string) {
  const reviews: PendingReview[] = [];
  const user = (login: string) => ({ login, type: "User" });
  const paged =
    (list: () => readonly unknown[]) =>
    (call: ForgeCall): ForgeResult => {
      const { items, next } = pageOf(list(), call, "per_page", 30);
      return { status: 200, json: items, headers: next ? { link: `<${next}>; rel="next"` } : {} };
    };
  const repository = "/api/v3/repos/octo/castle";
  const pull = `${repository}/pulls/7`;
  const routes: readonly Route[] = [
    [
      "GET",
      new RegExp(`^${pull}$`),
      ({ accept }) =>
        accept.includes("diff")
          ? { status: 200, text: PATCH }
          : {
              status: 200,
              json: {
                number: 7,
                html_url: `https://${host()}/octo/castle/pull/7`,
                title: PULL.title,
                body: PULL.description,
                state: "open",
                draft: false,
                merged: false,
                mergeable: castle.hasConflicts === undefined ? null : !castle.hasConflicts,
                mergeable_state:
                  castle.hasConflicts === undefined ? "unknown" : castle.hasConflicts ? "dirty" : "clean",
                user: user(PULL.author),
                base: { ref: PULL.base, sha: "d".repeat(40) },
                head: { ref: PULL.head, sha: HEAD_SHA },
                requested_reviewers: [user(PULL.reviewer)],
                requested_teams: [],
              },
            },
    ],
    [
      "GET",
      new RegExp(`^${repository}/compare/`),
      () => ({ status: 200, json: { merge_base_commit: { sha: BASE_SHA } } }),
    ],
    ["GET", new RegExp(`^${pull}/reviews$`), paged(() => [])],
    [
      "GET",
      new RegExp(`^${pull}/commits$`),
      paged(() =>
        COMMITS.map(({ sha, message, author, at }) => ({
          sha,
          commit: { message, author: { name: author, date: at } },
          author: user(PULL.author),
        })),
      ),
    ],
    [
      "GET",
      /\/commits\/[0-9a-f]+\/check-runs$/,
      () => ({
        status: 200,
        json: {
          total_count: 1,
          check_runs: [{ name: "build", status: "completed", conclusion: "success", html_url: "" }],
        },
      }),
    ],
    [
      "GET",
      /\/commits\/[0-9a-f]+\/status$/,
      () => ({ status: 200, json: { statuses: [{ context: "lint", state: "failure", target_url: null }] } }),
    ],
    [
      "GET",
      new RegExp(`^${repository}/contents/(.+)$`),
      ({ url }, [path = ""]) => {
        const text = fileAt(decodeURIComponent(path), url.searchParams.get("ref") ?? "");
        return text === undefined ? { status: 404, json: { message: "Not Found" } } : { status: 200, text };
      },
    ],
    [
      "POST",
      /^\/api\/graphql$/,
      ({ json }) => graphql(String(json["query"]), json["variables"] as Variables),
    ],
  ];

  const connection = (nodes: readonly unknown[]) => ({
    nodes,
    pageInfo: { hasNextPage: false, endCursor: null },
  });
  const ofPull = (members: object) => ({
    status: 200,
    json: { data: { repository: { pullRequest: members } } },
  });
  const failure = (message: string) => ({
    status: 200,
    json: { data: null, errors: [{ type: "UNPROCESSABLE", message }] },
  });
  const pending = (id: unknown) => reviews.find((review) => review.id === id);

  const graphql = (query: string, { input = {} }: Variables): ForgeResult => {
    const name = /\b(\w+)\(input: \$input\)/.exec(query)?.[1];
    if (name !== undefined) return mutate(name, input);
    if (query.includes("reviewThreads"))
      return ofPull({ reviewThreads: connection(castle.threads.filter(({ path }) => path).map(threadNode)) });
    if (query.includes("viewerDidAuthor"))
      return ofPull({ id: "PR_7", reviews: connection(reviews.map(reviewNode)) });
    if (query.includes("reviews(")) return ofPull({ reviews: connection([]) });
    return ofPull({
      comments: connection(
        castle.threads.filter(({ path }) => !path).flatMap(({ comments }) => comments.map(commentNode)),
      ),
    });
  };
  const begin = (input: Input): ForgeResult => {
    if (reviews.some(({ state }) => state === "PENDING"))
      return failure("User can only have one pending review per pull request");
    const threads = (input["threads"] ?? []) as Position[];
    if (!threads.every(isGood)) return failure("Pull request review thread line must be part of the diff");
    const review = {
      id: `PRR_${castle.nextId()}`,
      state: "PENDING",
      body: "",
      threads: [...threads],
      messages: [],
    };
    reviews.push(review);
    return made("addPullRequestReview", { pullRequestReview: { id: review.id } });
  };
  const submit = (input: Input): ForgeResult => {
    const review = pending(input["pullRequestReviewId"]);
    if (review?.state !== "PENDING") return failure("Can not submit a review that is not pending");
    castle.publications += 1;
    castle.verdict = String(input["event"]);
    review.state = castle.verdict;
    review.body = String(input["body"] ?? "");
    for (const { thread, body } of review.messages) {
      const target = castle.find(thread);
      if (target) castle.reply(target, body);
    }
    for (const { path, line, startLine, side, body } of review.threads)
      castle.open({ path, line, start: startLine, side: side === "LEFT" ? "old" : "new" }, body);
    if (review.body !== "") castle.open({ path: undefined }, review.body);
    return made("submitPullRequestReview", {
      pullRequestReview: { url: `https://${host()}/octo/castle/pull/7#review` },
    });
  };
  const mutate = (name: string, input: Input): ForgeResult => {
    const review = pending(input["pullRequestReviewId"]);
    const threadId = Number(
      String(input["threadId"] ?? input["pullRequestReviewThreadId"]).replace("PRRT_", ""),
    );
    switch (name) {
      case "addPullRequestReview":
        return begin(input);
      case "addPullRequestReviewThread": {
        const position = input as unknown as Position;
        if (input["subjectType"] !== "FILE" && !isGood(position))
          return failure("Line must be part of the diff");
        review?.threads.push(position);
        return made(name, { thread: { id: "PRRT_new" } });
      }
      case "addPullRequestReviewThreadReply":
        review?.messages.push({ thread: threadId, body: String(input["body"]) });
        return made(name, { comment: { id: "PRRC_new" } });
      case "submitPullRequestReview":
        return submit(input);
      case "deletePullRequestReview":
        if (review) reviews.splice(reviews.indexOf(review), 1);
        return made(name, { pullRequestReview: { id: "" } });
      default: {
        const thread = castle.find(threadId);
        if (!thread) return failure("Could not resolve to a node");
        thread.resolved = name === "resolveReviewThread";
        return made(name, { thread: { id: `PRRT_${thread.id}` } });
      }
    }
  };
  return (call: ForgeCall) => route(routes, call);
}

type Input = Readonly<Record<string, unknown>>;

interface Variables {
  readonly input?: Input;
}

const made = (name: string, result: object): ForgeResult => ({
  status: 200,
  json: { data: { [name]: result } },
});

function isGood({ path, line = 0, side }: Position): boolean {
  return isInDiff(path, side === "LEFT" ? "old" : "new", line);
}

const commentNode = ({ id, author, body, at }: CastleThread["comments"][number]) => ({
  id: `PRRC_${id}`,
  body,
  createdAt: at,
  author: { login: author },
  diffHunk: "@@ -1 +1 @@\n stone",
});

const threadNode = ({ id, path, side, line, start, resolved, comments }: CastleThread) => ({
  id: `PRRT_${id}`,
  isResolved: resolved,
  isOutdated: false,
  path,
  line: line ?? null,
  startLine: start ?? null,
  originalLine: line ?? null,
  originalStartLine: start ?? null,
  diffSide: side === "old" ? "LEFT" : "RIGHT",
  subjectType: line === undefined ? "FILE" : "LINE",
  resolvedBy: resolved ? { login: PULL.viewer } : null,
  comments: { nodes: comments.map(commentNode), pageInfo: { hasNextPage: false, endCursor: null } },
});

const reviewNode = ({ id, state, body, threads, messages }: PendingReview) => ({
  id,
  state,
  body,
  url: "",
  viewerDidAuthor: true,
  comments: { nodes: [...threads, ...messages].map((one) => ({ body: one.body })) },
});

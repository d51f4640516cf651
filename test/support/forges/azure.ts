import { BASE_SHA, type Castle, COMMITS, FILES, fileAt, HEAD_SHA, isInDiff, PULL } from "./castle.ts";
import { type ForgeCall, type Route, route } from "./forge-server.ts";

/**
 * The routes of Azure DevOps (https://learn.microsoft.com/rest/api/azure/devops/git/), limited to those that a review
 * needs.
 */
export function azure(castle: Castle) {
  const identity = (name: string) => ({ id: `id-${name}`, displayName: name, uniqueName: name });
  const pull = "/octo/keep/_apis/git/repositories/castle/pullRequests/7";
  const list = (value: readonly unknown[]) => ({ status: 200, json: { value, count: value.length } });
  const threads = () => [
    {
      id: 1,
      status: "unknown",
      comments: [{ id: 1, commentType: "system", content: "vauban voted", author: identity("vauban") }],
    },
    ...castle.threads.map(({ id, path, side, line, start, resolved, comments }) => ({
      id,
      status: resolved ? "fixed" : "active",
      isDeleted: false,
      threadContext:
        path === undefined
          ? null
          : {
              filePath: `/${path}`,
              ...(line === undefined
                ? {}
                : side === "new"
                  ? { rightFileStart: { line: start ?? line, offset: 1 }, rightFileEnd: { line, offset: 2 } }
                  : { leftFileStart: { line: start ?? line, offset: 1 }, leftFileEnd: { line, offset: 2 } }),
            },
      comments: comments.map(({ author, body, at }, index) => ({
        id: index + 1,
        parentCommentId: index === 0 ? 0 : 1,
        content: body,
        commentType: "text",
        publishedDate: at,
        author: identity(author),
      })),
    })),
  ];
  const routes: readonly Route[] = [
    [
      "GET",
      /^\/octo\/_apis\/connectionData$/,
      () => ({ status: 200, json: { authenticatedUser: identity(PULL.viewer) } }),
    ],
    [
      "GET",
      new RegExp(`^${pull}$`),
      () => ({
        status: 200,
        json: {
          pullRequestId: 7,
          title: PULL.title,
          description: PULL.description,
          status: "active",
          isDraft: false,
          mergeStatus:
            castle.hasConflicts === undefined ? "queued" : castle.hasConflicts ? "conflicts" : "succeeded",
          createdBy: identity(PULL.author),
          sourceRefName: `refs/heads/${PULL.head}`,
          targetRefName: `refs/heads/${PULL.base}`,
          reviewers: [{ ...identity(PULL.reviewer), vote: 0 }],
          repository: { id: "repository-1", name: "castle", project: { id: "project-1", name: "keep" } },
        },
      }),
    ],
    [
      "GET",
      new RegExp(`^${pull}/iterations$`),
      () =>
        list([
          {
            id: 2,
            sourceRefCommit: { commitId: HEAD_SHA },
            commonRefCommit: { commitId: BASE_SHA },
            targetRefCommit: { commitId: BASE_SHA },
          },
        ]),
    ],
    [
      "GET",
      new RegExp(`^${pull}/iterations/2/changes$`),
      () => ({
        status: 200,
        json: {
          changeEntries: Object.entries(FILES).map(([path, sides], index) => ({
            changeTrackingId: index + 1,
            changeType: sides.old === undefined ? "add" : sides.new === undefined ? "delete" : "edit",
            item: { path: `/${path}`, objectId: "1" },
          })),
          nextSkip: 0,
          nextTop: 0,
        },
      }),
    ],
    [
      "GET",
      /^\/octo\/keep\/_apis\/git\/repositories\/castle\/items$/,
      ({ url }) => {
        const path = (url.searchParams.get("path") ?? "").slice(1);
        const text = fileAt(path, url.searchParams.get("versionDescriptor.version") ?? "");
        return text === undefined ? { status: 404, json: { message: "TF401174" } } : { status: 200, text };
      },
    ],
    [
      "GET",
      new RegExp(`^${pull}/commits$`),
      () =>
        list(
          COMMITS.toReversed().map(({ sha, message, author, at }) => ({
            commitId: sha,
            comment: message,
            author: { name: author, date: at },
          })),
        ),
    ],
    [
      "GET",
      /^\/octo\/keep\/_apis\/git\/repositories\/castle\/commits\/([0-9a-f]+)$/,
      (_call, [sha = ""]) => ({ status: 200, json: { commitId: sha, parents: [BASE_SHA] } }),
    ],
    [
      "GET",
      /^\/octo\/keep\/_apis\/git\/repositories\/castle\/commits\/([0-9a-f]+)\/changes$/,
      () => ({
        status: 200,
        json: {
          changeCounts: { Edit: 1 },
          changes: [
            { item: { path: "/src", isFolder: true, gitObjectType: "tree" }, changeType: "edit" },
            { item: { path: "/src/wall.txt", gitObjectType: "blob" }, changeType: "edit" },
          ],
        },
      }),
    ],
    [
      "GET",
      new RegExp(`^${pull}/statuses$`),
      () => list([{ state: "succeeded", targetUrl: "", context: { name: "build", genre: "" } }]),
    ],
    [
      "GET",
      /^\/octo\/keep\/_apis\/policy\/evaluations$/,
      () =>
        list([
          {
            status: "rejected",
            configuration: { type: { displayName: "lint" }, settings: {}, isBlocking: true },
          },
        ]),
    ],
    ["GET", new RegExp(`^${pull}/threads$`), () => list(threads())],
    [
      "POST",
      new RegExp(`^${pull}/threads$`),
      ({ json }) => {
        const [{ content }] = json["comments"] as [{ content: string }];
        const context = json["threadContext"] as ThreadContext | undefined;
        const position = context && positionOf(context);
        if (position?.line !== undefined && !isInDiff(position.path, position.side, position.line))
          return { status: 400, json: { message: "The line does not exist" } };
        castle.publications += 1;
        castle.open(position ?? {}, content);
        return { status: 200, json: { id: castle.nextId() } };
      },
    ],
    [
      "POST",
      new RegExp(`^${pull}/threads/(\\d+)/comments$`),
      ({ json }, [id = ""]) => {
        const thread = castle.find(Number(id));
        if (!thread) return { status: 404, json: { message: "TF401180" } };
        castle.publications += 1;
        castle.reply(thread, String(json["content"]));
        return { status: 200, json: { id: 2 } };
      },
    ],
    [
      "PATCH",
      new RegExp(`^${pull}/threads/(\\d+)$`),
      ({ json }, [id = ""]) => {
        const thread = castle.find(Number(id));
        if (thread) thread.resolved = json["status"] === "fixed";
        return { status: 200, json: {} };
      },
    ],
    [
      "PUT",
      new RegExp(`^${pull}/reviewers/id-${PULL.viewer}$`),
      ({ json }) => {
        castle.verdict = String(json["vote"]);
        return { status: 200, json };
      },
    ],
  ];
  return (call: ForgeCall) => route(routes, call);
}

interface ThreadContext {
  readonly filePath: string;
  readonly leftFileStart?: { readonly line: number };
  readonly leftFileEnd?: { readonly line: number };
  readonly rightFileStart?: { readonly line: number };
  readonly rightFileEnd?: { readonly line: number };
}

function positionOf({ filePath, leftFileStart, leftFileEnd, rightFileStart, rightFileEnd }: ThreadContext) {
  const path = filePath.slice(1);
  const side = rightFileEnd ? ("new" as const) : ("old" as const);
  const [start, end] = rightFileEnd ? [rightFileStart, rightFileEnd] : [leftFileStart, leftFileEnd];
  return {
    path,
    side,
    line: end?.line,
    start: start && end && start.line < end.line ? start.line : undefined,
  };
}

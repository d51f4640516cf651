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

/**
 * Simulates the part of Bitbucket Cloud's REST API 2.0 (https://developer.atlassian.com/cloud/bitbucket/rest/) that a review
 * uses.
 */
export function bitbucket(castle: Castle, host: () => string) {
  const values =
    (list: readonly unknown[]) =>
    (call: ForgeCall): ForgeResult => {
      const { items, next } = pageOf(list, call, "pagelen", 10);
      return { status: 200, json: { values: items, pagelen: items.length, ...(next ? { next } : {}) } };
    };
  const user = (name: string) => ({ nickname: name, display_name: name, uuid: `{${name}}`, type: "user" });
  const comments = () =>
    castle.threads.flatMap((thread) =>
      thread.comments.map(({ id, author, body, at }, index) => ({
        id: index === 0 ? thread.id : id,
        content: { raw: body, markup: "markdown" },
        user: user(author),
        created_on: at,
        deleted: false,
        pending: false,
        ...(index > 0 ? { parent: { id: thread.id } } : {}),
        ...(index === 0 && thread.path !== undefined ? { inline: inlineOf(thread) } : {}),
        ...(index === 0 && thread.resolved
          ? { resolution: { user: user(PULL.viewer), type: "comment_resolution" } }
          : {}),
      })),
    );
  const pull = "/2.0/repositories/octo/castle/pullrequests/7";
  const routes: readonly Route[] = [
    ["GET", /^\/2\.0\/user$/, () => ({ status: 200, json: user(PULL.viewer) })],
    [
      "GET",
      new RegExp(`^${pull}$`),
      () => ({
        status: 200,
        json: {
          type: "pullrequest",
          id: 7,
          title: PULL.title,
          description: PULL.description,
          summary: { raw: PULL.description, markup: "markdown" },
          state: "OPEN",
          draft: false,
          author: user(PULL.author),
          source: {
            branch: { name: PULL.head },
            commit: { hash: HEAD_SHA.slice(0, 12) },
            repository: { full_name: "octo/castle" },
          },
          destination: {
            branch: { name: PULL.base },
            commit: { hash: BASE_SHA.slice(0, 12) },
            repository: { full_name: "octo/castle" },
          },
          participants: [{ user: user(PULL.reviewer), role: "REVIEWER", approved: false, state: null }],
          links: { html: { href: `https://${host()}/octo/castle/pull-requests/7` } },
        },
      }),
    ],
    ["GET", /\/merge-base\//, () => ({ status: 200, json: { type: "commit", hash: BASE_SHA } })],
    [
      "GET",
      new RegExp(`^${pull}/diff$`),
      () => ({
        status: 302,
        headers: { location: `https://${host()}/2.0/repositories/octo/castle/diff/a..b` },
      }),
    ],
    ["GET", /^\/2\.0\/repositories\/octo\/castle\/diff\//, () => ({ status: 200, text: PATCH })],
    [
      "GET",
      /^\/2\.0\/repositories\/octo\/castle\/src\/([0-9a-f]+)\/(.+)$/,
      (_call, [sha = "", path = ""]) => {
        const text = fileAt(decodeURIComponent(path), BASE_SHA.startsWith(sha) ? BASE_SHA : HEAD_SHA);
        return text === undefined ? { status: 404, json: { type: "error" } } : { status: 200, text };
      },
    ],
    [
      "GET",
      new RegExp(`^${pull}/commits$`),
      values(
        COMMITS.toReversed().map(({ sha, message, author, at }) => ({
          hash: sha,
          message,
          date: at,
          author: { raw: `${author} <b@example.test>` },
        })),
      ),
    ],
    [
      "GET",
      new RegExp(`^${pull}/statuses$`),
      values([
        { key: "build", name: "build", state: "SUCCESSFUL", url: "" },
        { key: "lint", name: "lint", state: "FAILED", url: "" },
      ]),
    ],
    ["GET", new RegExp(`^${pull}/comments$`), (call) => values(comments())(call)],
    [
      "POST",
      new RegExp(`^${pull}/comments$`),
      ({ json }) => {
        const body = (json["content"] as { raw: string }).raw;
        const parent = json["parent"] as { id: number } | undefined;
        const inline = json["inline"] as Inline | undefined;
        if (inline && !isGood(inline))
          return { status: 400, json: { type: "error", error: { message: "Bad line" } } };
        castle.publications += 1;
        const target = parent && castle.find(parent.id);
        if (target) castle.reply(target, body);
        else castle.open(inline ? positionOf(inline) : {}, body);
        return { status: 201, json: { id: castle.nextId() } };
      },
    ],
    [
      "POST",
      new RegExp(`^${pull}/comments/(\\d+)/resolve$`),
      (_call, [id = ""]) => {
        const thread = castle.find(Number(id));
        if (thread) thread.resolved = true;
        return thread ? { status: 200, json: {} } : { status: 404, json: {} };
      },
    ],
    [
      "POST",
      new RegExp(`^${pull}/(approve|request-changes)$`),
      (_call, [verdict = ""]) => {
        castle.verdict = verdict;
        return { status: 200, json: { approved: true } };
      },
    ],
  ];
  return (call: ForgeCall) => route(routes, call);
}

interface Inline {
  readonly path: string;
  readonly from?: number;
  readonly to?: number;
  readonly start_from?: number;
  readonly start_to?: number;
}

function isGood({ path, from, to }: Inline): boolean {
  if (to !== undefined) return isInDiff(path, "new", to);
  return from === undefined || isInDiff(path, "old", from);
}

function positionOf({ path, from, to, start_from, start_to }: Inline) {
  const side = to === undefined && from !== undefined ? ("old" as const) : ("new" as const);
  return { path, side, line: to ?? from, start: start_to ?? start_from };
}

function inlineOf({ path, side, line, start }: CastleThread): Inline {
  return {
    path: path ?? "",
    ...(side === "new" ? { to: line } : { from: line }),
    ...(start === undefined ? {} : { start_to: start }),
  } as Inline;
}

import {
  BASE_SHA,
  type Castle,
  type CastleThread,
  COMMITS,
  fileAt,
  HEAD_SHA,
  hunksOf,
  isInDiff,
  PATCH,
  PULL,
} from "./castle.ts";
import { type ForgeCall, type ForgeResult, pageOf, type Route, route } from "./forge-server.ts";

interface DraftNote {
  readonly id: number;
  readonly note: string;
  readonly position: Position | undefined;
  readonly thread: number | undefined;
}

interface Position {
  readonly new_path: string;
  readonly old_line?: number;
  readonly new_line?: number;
  readonly head_sha: string;
  readonly position_type: string;
  readonly line_range?: { readonly start: { readonly new_line?: number } };
}

/** GitLab's REST API v4 (https://docs.gitlab.com/api/rest/), limited to the part that a review needs. */
export function gitlab(castle: Castle, host: () => string) {
  const drafts: DraftNote[] = [];
  const person = (username: string) => ({ id: username.length, username, name: username, state: "active" });
  const paged =
    (list: () => readonly unknown[]) =>
    (call: ForgeCall): ForgeResult => {
      const { items, next } = pageOf(list(), call, "per_page", 20);
      return { status: 200, json: items, headers: next ? { link: `<${next}>; rel="next"` } : {} };
    };
  const shas = { base_sha: BASE_SHA, start_sha: BASE_SHA, head_sha: HEAD_SHA };
  const discussion = (thread: CastleThread) => ({
    id: String(thread.id),
    individual_note: thread.path === undefined,
    notes: thread.comments.map(({ id, author, body, at }) => ({
      id,
      body,
      author: person(author),
      created_at: at,
      system: false,
      resolvable: thread.path !== undefined,
      resolved: thread.resolved,
      ...(thread.path === undefined ? {} : { position: positionFor(thread) }),
    })),
  });
  const positionFor = ({ path = "", side, line }: CastleThread) => ({
    ...shas,
    position_type: "text",
    old_path: path,
    new_path: path,
    ...(side === "new" ? { new_line: line } : { old_line: line }),
  });
  const project = "/api/v4/projects/keep%2Fcastle";
  const request = `${project}/merge_requests/7`;
  const routes: readonly Route[] = [
    ["GET", /^\/api\/v4\/user$/, () => ({ status: 200, json: person(PULL.viewer) })],
    [
      "GET",
      new RegExp(`^${request}$`),
      () => ({
        status: 200,
        json: {
          iid: 7,
          web_url: `https://${host()}/keep/castle/-/merge_requests/7`,
          title: PULL.title,
          description: PULL.description,
          state: "opened",
          draft: false,
          has_conflicts: castle.hasConflicts === true,
          merge_status:
            castle.hasConflicts === undefined
              ? "checking"
              : castle.hasConflicts
                ? "cannot_be_merged"
                : "can_be_merged",
          author: person(PULL.author),
          reviewers: [person(PULL.reviewer)],
          source_branch: PULL.head,
          target_branch: PULL.base,
          sha: HEAD_SHA,
          diff_refs: shas,
        },
      }),
    ],
    ["GET", new RegExp(`^${request}/raw_diffs$`), () => ({ status: 200, text: PATCH })],
    [
      "GET",
      new RegExp(`^${request}/commits$`),
      paged(() =>
        COMMITS.toReversed().map(({ sha, message, author, at }) => ({
          id: sha,
          title: message.split("\n")[0],
          message,
          author_name: author,
          authored_date: at,
        })),
      ),
    ],
    [
      "GET",
      /\/repository\/commits\/([0-9a-f]+)\/statuses$/,
      paged(() => [
        { name: "build", status: "success", target_url: "" },
        { name: "lint", status: "failed", target_url: "" },
      ]),
    ],
    [
      "GET",
      /\/repository\/commits\/[0-9a-f]+\/diff$/,
      paged(() => [
        {
          old_path: "src/wall.txt",
          new_path: "src/wall.txt",
          a_mode: "100644",
          b_mode: "100644",
          new_file: false,
          deleted_file: false,
          renamed_file: false,
          diff: hunksOf("src/wall.txt"),
        },
      ]),
    ],
    [
      "GET",
      /\/repository\/files\/([^/]+)\/raw$/,
      ({ url }, [path = ""]) => {
        const text = fileAt(decodeURIComponent(path), url.searchParams.get("ref") ?? "");
        return text === undefined
          ? { status: 404, json: { message: "404 File Not Found" } }
          : { status: 200, text };
      },
    ],
    ["GET", new RegExp(`^${request}/discussions$`), paged(() => castle.threads.map(discussion))],
    [
      "GET",
      new RegExp(`^${request}/draft_notes$`),
      paged(() => drafts.map(({ id, note }) => ({ id, note }))),
    ],
    [
      "POST",
      new RegExp(`^${request}/draft_notes$`),
      ({ json }) => {
        const position = json["position"] as Position | undefined;
        if (position && !isGood(position))
          return { status: 400, json: { message: 'Note {:line_code=>["must be a valid line code"]}' } };
        const target = json["in_reply_to_discussion_id"];
        const id = castle.nextId();
        drafts.push({
          id,
          note: String(json["note"]),
          position,
          thread: target === undefined ? undefined : Number(target),
        });
        return { status: 201, json: { id, note: json["note"] } };
      },
    ],
    [
      "DELETE",
      new RegExp(`^${request}/draft_notes/(\\d+)$`),
      (_call, [id]) => {
        drafts.splice(
          drafts.findIndex((draft) => String(draft.id) === id),
          1,
        );
        return { status: 204 };
      },
    ],
    [
      "POST",
      new RegExp(`^${request}/draft_notes/bulk_publish$`),
      ({ json }) => {
        castle.publications += 1;
        for (const { note, position, thread } of drafts.splice(0)) {
          const target = thread === undefined ? undefined : castle.find(thread);
          if (target) castle.reply(target, note);
          else castle.open(position ? toPosition(position) : {}, note);
        }
        if (json["reviewer_state"] !== undefined && !castle.ignoresRequestedChanges)
          castle.verdict = String(json["reviewer_state"]);
        return { status: 204 };
      },
    ],
    [
      "PUT",
      new RegExp(`^${request}/discussions/(\\d+)$`),
      ({ json }, [id = ""]) => {
        const thread = castle.find(Number(id));
        if (thread) thread.resolved = json["resolved"] === true;
        return thread ? { status: 200, json: discussion(thread) } : { status: 404, json: {} };
      },
    ],
    [
      "GET",
      new RegExp(`^${request}/reviewers$`),
      paged(() => [
        { user: person(PULL.reviewer), state: "unreviewed" },
        ...(castle.verdict === undefined ? [] : [{ user: person(PULL.viewer), state: castle.verdict }]),
      ]),
    ],
    [
      "GET",
      new RegExp(`^${request}/approvals$`),
      () => ({ status: 200, json: { approved_by: [], user_has_approved: castle.verdict === "approved" } }),
    ],
    [
      "POST",
      new RegExp(`^${request}/approve$`),
      ({ json }) => {
        if (json["sha"] !== HEAD_SHA) return { status: 409, json: { message: "SHA does not match HEAD" } };
        castle.verdict = "approved";
        return { status: 201, json: {} };
      },
    ],
  ];
  return (call: ForgeCall) => route(routes, call);
}

function isGood({ new_path, old_line, new_line, head_sha, position_type }: Position): boolean {
  if (head_sha !== HEAD_SHA) return false;
  if (position_type === "file") return true;
  // An added line has only a new number, a removed one only an old number.
  const isChanged = hunksOf(new_path).includes("\n+stone") || new_path !== "src/wall.txt";
  if (old_line === undefined) return isChanged && isInDiff(new_path, "new", new_line ?? 0);
  return isInDiff(new_path, "old", old_line);
}

function toPosition({ new_path, old_line, new_line, line_range }: Position) {
  const start = line_range?.start.new_line;
  if (new_line === undefined) return { path: new_path, side: "old" as const, line: old_line, start };
  return { path: new_path, side: "new" as const, line: new_line, start };
}

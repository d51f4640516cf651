import { z } from "zod";
import { AppError } from "../../../errors.ts";
import { type ForgeClient, readPages } from "../client.ts";
import type {
  Attempt,
  ChangedFile,
  OutgoingItem,
  OutgoingReview,
  PostResult,
  PullAddress,
  RejectedItem,
} from "../forge.ts";
import { pendingElsewhere } from "../forge-errors.ts";
import { createMultiset } from "../multiset.ts";
import { isStateChange, postItem, postVerdict, type StateChange } from "../post-item.ts";
import { gitlabFilePosition, gitlabPosition } from "./position.ts";
import {
  type Discussion,
  type MergeRequest,
  mergeRequestPath,
  readDiscussions,
  readReviewers,
} from "./read-merge-request.ts";

/**
 * Posts a review. Creates a draft note, which only its author sees, for each item with text. Publishes all notes with
 * one call, which can also request changes. Then approves the merge request if that is the verdict, and resolves and
 * reopens threads; repeating these calls has no effect.
 */
export async function postReview(
  client: ForgeClient,
  address: PullAddress,
  review: OutgoingReview,
  pull: MergeRequest,
  attempt: Attempt,
): Promise<PostResult> {
  const rejected: RejectedItem[] = [];
  const state = await readState(client, address, review, attempt);
  const path = mergeRequestPath(address);
  const drafted = createMultiset(state.drafts.map(({ note }) => note.trim()));
  const published = createMultiset(state.published);
  let isLeft = state.drafts.length > 0;
  for (const item of review.items) {
    const body = textOf(item);
    // An earlier attempt created or published the draft and did not receive the response.
    if (body === undefined || drafted.take(body) || published.take(body)) continue;
    const file = "path" in item ? review.fileOf(item.path) : undefined;
    if ("path" in item && !file) rejected.push({ item, reason: `${item.path} is not part of the diff.` });
    else if (await postItem(item, rejected, () => createDraft(client, path, { item, body, file, pull })))
      isLeft = true;
  }
  const asksForChanges = review.verdict === "request_changes" && attempt.get("published") === undefined;
  if (isLeft || asksForChanges) {
    const json = asksForChanges ? { reviewer_state: "requested_changes" } : {};
    await client.send({ method: "POST", path: `${path}/draft_notes/bulk_publish`, json });
    if (asksForChanges)
      await postVerdict(review, rejected, () => expectRequestedChanges(client, path, state.username));
    await attempt.record("published", []);
  }
  if (review.verdict === "approve") await postVerdict(review, rejected, () => approve(client, path, pull));
  for (const item of review.items)
    if (isStateChange(item)) await postItem(item, rejected, () => changeState(client, path, item));
  return { url: review.pull.url, rejected };
}

/** Removes the draft notes of an interrupted attempt. Returns the published items with text. */
export async function settleReview(
  client: ForgeClient,
  address: PullAddress,
  review: OutgoingReview,
  attempt: Attempt,
): Promise<readonly OutgoingItem[]> {
  if (attempt.get("known") === undefined) return [];
  const { drafts, published } = await readState(client, address, review, attempt);
  for (const { id } of drafts)
    await client.send({ method: "DELETE", path: `${mergeRequestPath(address)}/draft_notes/${id}` });
  const found = createMultiset(published);
  return review.items.filter((item) => found.take(textOf(item) ?? "\0"));
}

const draftNote = z.object({ id: z.number(), note: z.string() });

interface State {
  /** The person's account. */
  readonly username: string;
  /** Draft notes of the review. */
  readonly drafts: readonly z.infer<typeof draftNote>[];
  /** Texts of the review that earlier attempts have published. */
  readonly published: readonly string[];
}

/**
 * Finds the notes of earlier attempts. The first attempt records the notes that exist before it. Throws `forge_pending`
 * if the person has other draft notes, because GitLab publishes all of them with one call.
 */
async function readState(
  client: ForgeClient,
  address: PullAddress,
  { items, pull }: OutgoingReview,
  attempt: Attempt,
): Promise<State> {
  const path = `${mergeRequestPath(address)}/draft_notes`;
  const [drafts, discussions, { username }] = await Promise.all([
    readPages(client, z.array(draftNote), { path }),
    readDiscussions(client, address),
    client.json(z.object({ username: z.string() }), { path: "/user" }),
  ]);
  const own = ownNotes(discussions, username);
  const known = attempt.get("known");
  const ours = createMultiset(known === undefined ? [] : items.flatMap((item) => textOf(item) ?? []));
  if (!drafts.every(({ note }) => ours.take(note.trim()))) throw pendingElsewhere(pull.url, address.host);
  if (known === undefined)
    await attempt.record(
      "known",
      own.map(({ id }) => id),
    );
  const fresh = known === undefined ? [] : own.filter(({ id }) => !known.includes(id));
  return {
    username,
    drafts,
    published: fresh.map(({ body }) => body.trim()).filter((body) => ours.take(body)),
  };
}

function ownNotes(discussions: readonly Discussion[], username: string) {
  return discussions
    .flatMap(({ notes }) => notes)
    .filter(({ author }) => author.username === username)
    .map(({ id, body }) => ({ id: String(id), body }));
}

/** Returns the text of an item, trimmed as GitLab stores it; undefined for one without text. */
function textOf(item: OutgoingItem): string | undefined {
  const body = "body" in item ? item.body.trim() : "";
  return body === "" ? undefined : body;
}

interface Draft {
  readonly item: OutgoingItem;
  readonly body: string;
  readonly file: ChangedFile | undefined;
  readonly pull: MergeRequest;
}

async function createDraft(
  client: ForgeClient,
  path: string,
  { item, body, file, pull }: Draft,
): Promise<void> {
  const json = {
    note: body,
    ...(item.kind === "reply" ? { in_reply_to_discussion_id: item.remote } : {}),
    ...(item.kind === "comment" && file ? { position: gitlabPosition(item, file, pull) } : {}),
    ...(item.kind === "file" && file ? { position: gitlabFilePosition(file, pull) } : {}),
  };
  await client.send({ method: "POST", path: `${path}/draft_notes`, json });
}

/**
 * Throws `forge_rejected` if GitLab did not record that the person requests changes: older versions ignore
 * the state without an error, and every version does if the person is the author of the merge request and not
 * a reviewer.
 */
async function expectRequestedChanges(client: ForgeClient, path: string, username: string): Promise<void> {
  const listed = await readReviewers(client, path).catch((error: unknown) => {
    if (error instanceof AppError && error.code === "forge_not_found") return [];
    throw error;
  });
  if (listed.some(({ user, state }) => user.username === username && state === "requested_changes")) return;
  throw new AppError(
    "forge_rejected",
    `${client.host} did not record "Request changes": older versions of GitLab cannot, and every version ignores the author of a merge request. Request changes on the page of the merge request.`,
  );
}

const approvals = z.object({ user_has_approved: z.boolean().optional() });

async function approve(client: ForgeClient, path: string, { head }: MergeRequest): Promise<void> {
  const known = await client.json(approvals, { path: `${path}/approvals` });
  if (known.user_has_approved === true) return;
  // With `sha`, GitLab rejects the approval if there are commits that the person has not seen.
  const request = { method: "POST" as const, path: `${path}/approve`, json: { sha: head.sha }, allow: [401] };
  const { status } = await client.send(request);
  // The sign-in is valid, because the calls before this one succeeded.
  if (status === 401)
    throw new AppError(
      "forge_rejected",
      `${client.host} does not let your account approve this merge request`,
    );
}

async function changeState(client: ForgeClient, path: string, { kind, remote }: StateChange): Promise<void> {
  await client.send({
    method: "PUT",
    path: `${path}/discussions/${encodeURIComponent(remote)}`,
    json: { resolved: kind === "resolve" },
  });
}

import { z } from "zod";
import { AppError } from "../../../errors.ts";
import type {
  Attempt,
  OutgoingItem,
  OutgoingReview,
  OutgoingText,
  PostResult,
  PullAddress,
  RejectedItem,
} from "../forge.ts";
import { pendingElsewhere } from "../forge-errors.ts";
import { isStateChange, postItem } from "../post-item.ts";
import type { GitHubApi } from "./api.ts";
import {
  ADD_THREAD,
  ADD_THREAD_MESSAGE,
  BEGIN,
  began,
  DELETE,
  OWN_REVIEWS,
  ownReviews,
  REOPEN,
  RESOLVE,
  type ReviewNode,
  SUBMIT,
  submitted,
} from "./post-queries.ts";
import { pullVariables } from "./read-threads.ts";

/**
 * Posts a review. Collects its comments and replies in a pending review, which only its author sees, and submits the
 * pending review with the verdict. Then resolves and reopens threads.
 */
export async function postReview(
  api: GitHubApi,
  address: PullAddress,
  review: OutgoingReview,
  attempt: Attempt,
): Promise<PostResult> {
  const rejected: RejectedItem[] = [];
  const found = await findOwn(api, address, review, attempt);
  const texts = textsOf(review);
  let url = found.published?.url ?? "";
  if (!found.published && hasReview(review)) {
    if (found.leftover) await deleteReview(api, found.leftover.id);
    url = await submitAll(api, found.pullId, review, { texts, attempt, rejected });
  } else rejected.push(...rejectedBefore(attempt, review));
  for (const item of review.items)
    if (isStateChange(item))
      await postItem(item, rejected, () =>
        api.graphql(z.object({}), item.kind === "resolve" ? RESOLVE : REOPEN, {
          input: { threadId: item.remote },
        }),
      );
  return { url: url || review.pull.url, rejected };
}

/**
 * Removes the pending review of an interrupted attempt. If the review was submitted, returns its items except the
 * rejected ones and except resolved and reopened threads, which are changed only after the submission; otherwise none.
 */
export async function settleReview(
  api: GitHubApi,
  address: PullAddress,
  review: OutgoingReview,
  attempt: Attempt,
): Promise<readonly OutgoingItem[]> {
  if (attempt.get("known") === undefined) return [];
  const { published, leftover } = await findOwn(api, address, review, attempt);
  if (leftover) await deleteReview(api, leftover.id);
  const rejected = new Set(rejectedBefore(attempt, review).map(({ item }) => item));
  return published ? review.items.filter((item) => !isStateChange(item) && !rejected.has(item)) : [];
}

interface OwnReviews {
  readonly pullId: string;
  /** The review of this attempt, if it was submitted. */
  readonly published: ReviewNode | undefined;
  /** The pending review of an earlier attempt. */
  readonly leftover: ReviewNode | undefined;
}

/**
 * Finds the reviews of earlier attempts. The first attempt records the reviews that exist before it. Throws
 * `forge_pending` if the person has another pending review.
 */
async function findOwn(
  api: GitHubApi,
  address: PullAddress,
  review: OutgoingReview,
  attempt: Attempt,
): Promise<OwnReviews> {
  const { pullId, own } = await readOwn(api, address);
  const known = attempt.get("known");
  const pendingIds = attempt.get("pending") ?? [];
  const fresh = known === undefined ? [] : own.filter(({ id }) => !known.includes(id));
  const isOfAttempt = (node: ReviewNode) => pendingIds.includes(node.id) || hasOurContent(node, review);
  const pending = own.find(({ state }) => state === "PENDING");
  const leftover = fresh.find((node) => node.state === "PENDING" && isOfAttempt(node));
  if (pending && pending !== leftover) throw pendingElsewhere(review.pull.url, address.host);
  const published = fresh.find((node) => node.state !== "PENDING" && isOfAttempt(node));
  if (known === undefined)
    await attempt.record(
      "known",
      own.map(({ id }) => id),
    );
  return { pullId, published, leftover };
}

async function readOwn(api: GitHubApi, address: PullAddress) {
  const own: ReviewNode[] = [];
  let after: string | null = null;
  let pullId = "";
  do {
    const variables: object = { ...pullVariables(address), after };
    const { repository } = await api.graphql(ownReviews, OWN_REVIEWS, variables);
    const { id, reviews }: z.infer<typeof ownReviews>["repository"]["pullRequest"] = repository.pullRequest;
    pullId = id;
    own.push(...reviews.nodes.filter(({ viewerDidAuthor }) => viewerDidAuthor));
    after = reviews.pageInfo.hasNextPage ? (reviews.pageInfo.endCursor ?? null) : null;
  } while (after !== null);
  return { pullId, own };
}

/** Reports whether a review at the forge has the content of the review to post. */
function hasOurContent({ state, body, comments }: ReviewNode, review: OutgoingReview): boolean {
  const texts = new Set(textsOf(review).map((item) => item.body.trim()));
  const isOurs = comments.nodes.every((comment) => texts.has(comment.body.trim()));
  if (state === "PENDING") return isOurs && (comments.nodes.length > 0 || (body ?? "") === "");
  const hasBody = (body ?? "").trim() === bodyOf(review).trim();
  return isOurs && hasBody && comments.nodes.length > 0 === texts.size > 0;
}

/** Returns the texts that become comments. General texts become part of the review's body. */
function textsOf({ items }: OutgoingReview): Exclude<OutgoingText, { kind: "general" }>[] {
  return items.filter((item) => item.kind === "comment" || item.kind === "file" || item.kind === "reply");
}

function bodyOf({ items }: OutgoingReview): string {
  return items
    .flatMap((item) => (item.kind === "verdict" || item.kind === "general" ? [item.body] : []))
    .filter((body) => body !== "")
    .join("\n\n");
}

/** Reports whether the review has items other than resolved and reopened threads. */
function hasReview({ items }: OutgoingReview): boolean {
  return items.some((item) => !isStateChange(item));
}

interface Submission {
  readonly texts: ReturnType<typeof textsOf>;
  readonly attempt: Attempt;
  readonly rejected: RejectedItem[];
}

const VERDICT_WITHOUT_TEXT =
  "Changes were not requested: GitHub rejected all comments and requires a text. Describe the changes.";

const EVENTS = { approve: "APPROVE", comment: "COMMENT", request_changes: "REQUEST_CHANGES" } as const;

async function submitAll(
  api: GitHubApi,
  pullId: string,
  review: OutgoingReview,
  { texts, attempt, rejected }: Submission,
): Promise<string> {
  const comments = texts.filter((item) => item.kind === "comment");
  const others = texts.filter((item) => item.kind !== "comment");
  const begin = async (threads: readonly object[]) => {
    const input = { pullRequestId: pullId, commitOID: review.pull.head.sha, threads };
    const { addPullRequestReview: made } = await api.graphql(began, BEGIN, { input });
    await attempt.record("pending", [...(attempt.get("pending") ?? []), made.pullRequestReview.id]);
    return made.pullRequestReview.id;
  };
  const whole = await begin(comments.map(toThread)).catch(async (error: unknown) => {
    if (!(error instanceof AppError) || error.code !== "forge_rejected" || comments.length === 0) throw error;
    // GitHub rejects the whole call if one position is invalid; the comments are then added one by one.
    const id = await begin([]);
    for (const item of comments) await postItem(item, rejected, () => addText(api, id, item));
    return id;
  });
  for (const item of others) await postItem(item, rejected, () => addText(api, whole, item));
  if (rejected.length > 0)
    await attempt.record(
      "rejected",
      rejected.map(({ item, reason }) => `${review.items.indexOf(item)} ${reason}`),
    );
  const left = texts.length - rejected.length;
  const body = bodyOf(review);
  if (left === 0 && body === "" && review.verdict !== "approve") {
    await deleteReview(api, whole);
    const verdict = review.items.find(({ kind }) => kind === "verdict");
    if (verdict) rejected.push({ item: verdict, reason: VERDICT_WITHOUT_TEXT });
    return "";
  }
  try {
    const input = {
      pullRequestReviewId: whole,
      event: EVENTS[review.verdict],
      ...(body === "" ? {} : { body }),
    };
    const { submitPullRequestReview: made } = await api.graphql(submitted, SUBMIT, { input });
    return made.pullRequestReview.url;
  } catch (error) {
    const isRejected =
      error instanceof AppError && (error.code === "forge_rejected" || error.code === "forge_forbidden");
    // A person can have only one pending review, so this one would block the next.
    if (isRejected) await deleteReview(api, whole).catch(() => {});
    throw error;
  }
}

async function addText(api: GitHubApi, id: string, item: Submission["texts"][number]): Promise<void> {
  if (item.kind === "reply") {
    const input = {
      pullRequestReviewId: id,
      pullRequestReviewThreadId: item.remote,
      body: item.body,
    };
    await api.graphql(z.object({}), ADD_THREAD_MESSAGE, { input });
    return;
  }
  const position =
    item.kind === "file" ? { path: item.path, body: item.body, subjectType: "FILE" } : toThread(item);
  await api.graphql(z.object({}), ADD_THREAD, { input: { pullRequestReviewId: id, ...position } });
}

function toThread({ path, side, lineStart, lineEnd, body }: Extract<OutgoingText, { kind: "comment" }>) {
  const diffSide = side === "old" ? "LEFT" : "RIGHT";
  const start = lineStart < lineEnd ? { startLine: lineStart, startSide: diffSide } : {};
  return { path, line: lineEnd, side: diffSide, ...start, body };
}

/** Returns the items that an earlier attempt recorded as rejected. */
function rejectedBefore(attempt: Attempt, { items }: OutgoingReview): readonly RejectedItem[] {
  return (attempt.get("rejected") ?? []).flatMap((line) => {
    const [, index, reason = ""] = /^(\d+) (.*)$/s.exec(line) ?? [];
    const item = items[Number(index)];
    return item ? [{ item, reason }] : [];
  });
}

async function deleteReview(api: GitHubApi, id: string): Promise<void> {
  await api.graphql(z.object({}), DELETE, { input: { pullRequestReviewId: id } });
}

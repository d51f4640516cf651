import { randomBytes } from "node:crypto";
import { AppError, getErrorMessage } from "../../errors.ts";
import { createQueue } from "../../files/in-turn.ts";
import type { DiffSession } from "../diff-session.ts";
import type { Check, Forge, OutgoingReview, PullRequest } from "../forges/forge.ts";
import { FORGE_LABELS } from "../forges/forge.ts";
import { findFile, readPatch } from "../git/file-text.ts";
import type { Snapshot } from "../git/snapshot.ts";
import type { LogEntry } from "../live/session-log.ts";
import type { ThreadAnchors } from "../live/thread-anchors.ts";
import type { ThreadStore } from "../live/thread-store.ts";
import type { PostedReview, PostResponse, PreviewBody, PullPreview, PullState } from "../pr-api-types.ts";
import { type OutgoingPlan, planOutgoing, type RemoteThread } from "./outgoing.ts";
import { WHOLE_PULL } from "./pull-origin.ts";
import { attemptOf, type PullStore, type StoredAttempt } from "./pull-store.ts";
import { mergeThreads } from "./pull-threads.ts";

/** The review of one pull request: reads from the forge and posts to it. */
export interface PullReview {
  /** Adds the threads of the forge to those of the page. */
  seed(store: ThreadStore): Promise<void>;
  describe(): Promise<PullState>;
  /** Returns the items that a post would send. Sends nothing. */
  preview(body: PreviewBody): Promise<PullPreview>;
  /** Posts a preview. A repeated call posts nothing twice. */
  post(preview: string): Promise<PostResponse>;
  /** Replaces the pull request after it was read again. */
  update(pull: PullRequest): void;
  /** Reads the threads of the forge again. */
  reload(): Promise<void>;
  readonly posted: readonly PostedReview[];
  /** Messages about lists that the forge does not return completely. */
  readonly incomplete: readonly string[];
}

export interface PullReviewOptions {
  readonly forge: Forge;
  readonly opened: PullRequest;
  readonly diffs: DiffSession;
  readonly anchors: ThreadAnchors;
  /** The threads of the page. */
  readonly threads: () => Promise<ThreadStore>;
  readonly openStore: () => Promise<PullStore>;
}

/** Creates the review of a pull request. */
export function createPullReview(options: PullReviewOptions): PullReview {
  const { forge, diffs, anchors } = options;
  let pull = options.opened;
  let remote: ReadonlyMap<string, RemoteThread> = new Map();
  /** The previews, with the commit whose diff they were made of. */
  const previews = new Map<string, StoredAttempt & { readonly head: string }>();
  const results = new Map<string, Promise<PostResponse>>();
  const posted: PostedReview[] = [];
  let store: Promise<PullStore> | undefined;
  /** The reason why the last read of the threads at the forge failed. */
  let threadsProblem: string | undefined;
  let checks: Promise<Read<readonly Check[]>> | undefined;
  /** The last post. Posts run one after another. */
  let posting: Promise<unknown> = Promise.resolve();

  const openStore = () => {
    store ??= options.openStore();
    return store;
  };
  const mergeInTurn = createQueue();
  const readAndMerge = async (threads: ThreadStore) => {
    try {
      // Threads are located in the diff: without it, all of them would be outdated.
      const [read] = await Promise.all([
        forge.threads(pull),
        diffs.current().then((lease) => lease.release()),
      ]);
      remote = await mergeThreads(read, threads, await openStore(), anchors, remote);
      threadsProblem = undefined;
    } catch (error) {
      threadsProblem = `Cannot read the threads. ${getErrorMessage(error)}`;
      throw error;
    }
  };
  /** Lists are read one after another: an older list merged last would show newly posted comments as deleted. */
  const mergeNow = (threads: ThreadStore) => mergeInTurn(() => readAndMerge(threads));
  /** Reads the mergeability again if the forge was still computing it. */
  const readMergeability = async () => {
    if (pull.mergeability !== "computing") return;
    const now = await forge.open().catch(() => undefined);
    // New commits change the diff, which the person reloads.
    if (now?.head.sha === pull.head.sha) pull = { ...pull, mergeability: now.mergeability };
  };
  const postOnce = async (id: string): Promise<PostResponse> => {
    const pullStore = await openStore();
    const { attempt } = pullStore.state;
    const previewed = previews.get(id);
    const chosen = previewed ?? (attempt?.preview === id ? attempt : undefined);
    if (!chosen)
      throw new AppError("not_found", "The preview does not belong to this review. Open the preview again.");
    if (previewed && previewed.head !== pull.head.sha && attempt?.preview !== id)
      throw new AppError("conflict", "The pull request has new commits since the preview", {
        hint: "Review them, then open the preview again. Nothing was posted.",
      });
    const threads = await options.threads();
    const snapshot = await wholeSnapshot(diffs);
    try {
      const files = await changedFiles(snapshot.snapshot);
      const toReview = ({ items, verdict }: StoredAttempt): OutgoingReview => ({
        pull,
        verdict,
        items: items.map(({ item }) => item),
        fileOf: (path) => files.get(path),
      });
      if (attempt && attempt.preview !== id) {
        const published = new Set(await forge.settle(toReview(attempt), attemptOf(pullStore)));
        const items = attempt.items.filter(({ item }) => published.has(item));
        await finishAttempt(pullStore, threads, { ...attempt, items });
        if (items.length > 0)
          throw new AppError("conflict", `An earlier post was completed at ${forge.address.host}`, {
            hint: "Open the preview again: it shows the remaining items.",
          });
      }
      if (attempt?.preview !== id) await pullStore.write({ attempt: { ...chosen, records: {} } });
      const { url, rejected } = await forge.post(toReview(chosen), attemptOf(pullStore));
      const isRejected = new Set(rejected.flatMap(({ item, isTextPosted }) => (isTextPosted ? [] : [item])));
      const done = chosen.items.filter(({ item }) => !isRejected.has(item));
      await finishAttempt(pullStore, threads, { ...chosen, items: done });
      previews.delete(id);
      const verdict = rejected.some(({ item }) => item.kind === "verdict") ? "comment" : chosen.verdict;
      const items = done.map(({ item }) =>
        toPreviewItem(item.kind === "verdict" ? { ...item, verdict } : item),
      );
      if (items.length > 0) posted.push({ verdict, url, count: items.length });
      // A failure must not fail the post: the next read of the forge finds the same threads.
      await mergeNow(threads).catch(() => {});
      const keptNow = rejected.map(({ item, reason }) => ({
        thread: "thread" in item ? item.thread : "",
        reason,
      }));
      return { ok: true, url, posted: items.length, items, kept: [...chosen.kept, ...keptNow] };
    } finally {
      snapshot.release();
    }
  };

  return {
    posted,
    get incomplete() {
      return pull.incomplete ?? [];
    },
    seed: mergeNow,
    async reload() {
      await mergeNow(await options.threads());
    },
    update(now) {
      if (now.head.sha !== pull.head.sha) checks = undefined;
      pull = now;
    },
    async describe() {
      if (threadsProblem !== undefined)
        await options
          .threads()
          .then(mergeNow, () => {})
          .catch(() => {});
      checks ??= attemptRead(() => forge.checks(pull), []);
      const [{ value, problem }] = await Promise.all([checks, readMergeability()]);
      // The state of a running check changes, so it is read again.
      if (problem !== undefined || value.some(({ state }) => state === "pending")) checks = undefined;
      const { url, number, title, description, author, state, base, head, reviewers, mergeability } = pull;
      const { forge: name, host, repository } = forge.address;
      return {
        forge: name,
        forgeLabel: FORGE_LABELS[name],
        host,
        repository,
        number,
        url,
        title,
        description,
        author,
        state,
        ...(mergeability === "clean" || mergeability === "conflicts"
          ? { hasConflicts: mergeability === "conflicts" }
          : {}),
        base: base.ref,
        head: head.ref,
        checks: value.map(({ url: page, ...check }) => ({ ...check, ...(page ? { url: page } : {}) })),
        reviewers: reviewers.map(({ name: login, state: verdict }) => ({
          name: login,
          ...(verdict === undefined ? {} : { state: verdict }),
        })),
        problems: [
          ...(pull.incomplete ?? []),
          ...(threadsProblem === undefined ? [] : [threadsProblem]),
          ...(problem === undefined ? [] : [`Cannot read the checks. ${problem}`]),
        ],
        posted,
      };
    },
    async preview({ verdict, body = "", without = [] }) {
      const threads = await options.threads();
      const lease = await wholeSnapshot(diffs);
      let plan: OutgoingPlan;
      try {
        const files = await changedFiles(lease.snapshot);
        plan = planOutgoing({
          forge: forge.address.forge,
          threads: [...threads.log.threads.values()],
          remote,
          reopenedByPrograms: threads.log.reopenedByPrograms,
          verdict,
          body,
          without: new Set(without),
          fileOf: (path) => files.get(path),
        });
      } finally {
        lease.release();
      }
      const hasText = plan.items.some(
        ({ item }) => "body" in item && item.kind !== "reply" && item.body !== "",
      );
      if (forge.address.forge === "github" && verdict === "request_changes" && !hasText)
        throw new AppError(
          "validation",
          "body: GitHub requires a text with requested changes. Describe the changes.",
        );
      const preview = `p_${randomBytes(12).toString("hex")}`;
      previews.set(preview, { preview, verdict, ...plan, records: {}, head: pull.head.sha });
      return { preview, items: plan.items.map(({ item }) => toPreviewItem(item)), kept: plan.kept };
    },
    post(id) {
      const known = results.get(id);
      if (known) return known;
      const result = posting.then(() => postOnce(id));
      posting = result.catch(() => {});
      results.set(id, result);
      // After a failure, the person can post again.
      result.catch(() => results.delete(id));
      return result;
    },
  };
}

function toPreviewItem(item: OutgoingReview["items"][number]): PullPreview["items"][number] {
  if (!("remote" in item)) return item;
  const { remote: _remote, ...shown } = item;
  return shown;
}

/** Ends an attempt. Marks the posted messages, which the next read of the forge links to those at the forge. */
async function finishAttempt(
  pullStore: PullStore,
  threads: ThreadStore,
  { items }: StoredAttempt,
): Promise<void> {
  const at = new Date().toISOString();
  const entries = items.flatMap(({ item, messages }): LogEntry[] =>
    "thread" in item && messages.length > 0
      ? [{ op: "posted", thread: item.thread, messages: [...messages], at }]
      : [],
  );
  if (entries.length > 0) await threads.write(entries);
  const unlinked = [...pullStore.state.unlinked, ...items.filter(({ messages }) => messages.length > 0)];
  await pullStore.write({ attempt: undefined, unlinked });
}

/** Leases the diff of the whole pull request. Throws `validation` if the page shows a single commit. */
async function wholeSnapshot(diffs: DiffSession) {
  const lease = await diffs.current();
  if (lease.snapshot.plan.diffType === WHOLE_PULL) return lease;
  lease.release();
  throw new AppError("validation", "The page shows a single commit. Show the whole pull request, then post.");
}

/** Returns the changed files by their paths. A renamed file has two paths. */
async function changedFiles(snapshot: Snapshot) {
  const patches = new Map<string, { path: string; oldPath: string; patch: string }>();
  for (const file of snapshot.files) {
    const found = findFile(snapshot, file.path, "new") ?? file;
    const patch = file.binary ? "" : (await readPatch(snapshot, found)).toString();
    const { path, oldPath = path } = file;
    const changed = { path, oldPath, patch };
    patches.set(path, changed);
    if (!patches.has(oldPath)) patches.set(oldPath, changed);
  }
  return patches;
}

interface Read<Value> {
  readonly value: Value;
  readonly problem: string | undefined;
}

/** Reads an optional part of the review. If reading fails, returns the value `otherwise` and the problem. */
async function attemptRead<Value>(read: () => Promise<Value>, otherwise: Value): Promise<Read<Value>> {
  try {
    return { value: await read(), problem: undefined };
  } catch (error) {
    return { value: otherwise, problem: getErrorMessage(error) };
  }
}

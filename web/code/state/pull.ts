import { create } from "zustand";
import type {
  CommitList,
  PostResponse,
  PreviewBody,
  PullPreview,
  PullState,
  ReviewedCommit,
} from "../../../src/review/api-types.ts";
import { explain, getJson, type Result, sendJson } from "../../shared/api/client.ts";
import { storeDrafts } from "../../shared/threads/send-batch.ts";
import { closeMessage, loadThreads, useThreads } from "../../shared/threads/thread-store.ts";
import { collectComments } from "./live.ts";
import { switchDiff, useSession } from "./session.ts";
import { useView } from "./view.ts";

interface PullStore {
  readonly pull: PullState | undefined;
  readonly commits: readonly ReviewedCommit[];
  /** The reason why the pull request could not be read. */
  readonly problem: string | undefined;
  readonly verdict: PreviewBody["verdict"];
}

/** The pull request under review. */
export const usePull = create<PullStore>(() => ({
  pull: undefined,
  commits: [],
  problem: undefined,
  verdict: "comment",
}));

/** The diff type of the whole pull request. */
const WHOLE_PULL = "pull-request";

/** Fetches the pull request now and after every reload of its whole diff. */
export async function followPull(): Promise<void> {
  useSession.subscribe(({ index }, { index: before }) => {
    if (index?.diffType === WHOLE_PULL && index !== before) void loadPull();
  });
  await loadPull();
}

async function loadPull(): Promise<void> {
  const [pull, commits] = await Promise.all([
    getJson<PullState>("/api/pr"),
    getJson<CommitList>("/api/commits"),
  ]);
  usePull.setState({
    ...(pull.ok ? { pull: pull.value, problem: undefined } : { problem: explain(pull) }),
    ...(commits.ok && { commits: commits.value.commits }),
  });
}

/**
 * Shows the whole pull request, stores the person's comments and replies as threads, and fetches the preview of the
 * review without the threads `without`. Resolves to an error message if a step fails.
 */
export async function previewReview(without: readonly string[]): Promise<PullPreview | string> {
  for (const [id, { isOpen }] of useThreads.getState().drafts) if (isOpen) closeMessage(id);
  const { index } = useSession.getState();
  if (index?.diffType !== WHOLE_PULL) {
    const switched = await switchDiff(WHOLE_PULL, useView.getState().whitespace);
    if (!switched.ok) return explain(switched);
  }
  const problem = await storeDrafts(await collectComments());
  if (problem !== undefined) return problem;
  const { verdict } = usePull.getState();
  const text = useThreads.getState().reviewText.trim();
  const request: PreviewBody = { verdict, ...(text !== "" && { body: text }), without };
  const result = await sendJson<PullPreview>("POST", "/api/pr/preview", request);
  return result.ok ? result.value : explain(result);
}

/** Posts a preview. A repeated call does not post an item twice. */
export async function postReview(preview: string): Promise<Result<PostResponse>> {
  const result = await sendJson<PostResponse>("POST", "/api/pr/post", { preview });
  if (result.ok) {
    const { items, kept } = result.value;
    const isTextKept =
      kept.some(({ thread }) => thread === "") && items.every(({ kind }) => kind !== "verdict");
    if (!isTextKept) {
      usePull.setState({ verdict: "comment" });
      useThreads.setState({ reviewText: "" });
    }
    await Promise.all([loadThreads(), loadPull()]);
  }
  return result;
}

/**
 * Stores the person's comments and replies, so that the next review of the pull request contains them. Resolves to an
 * error message, or to undefined.
 */
export async function keepForLater(): Promise<string | undefined> {
  for (const [id, { isOpen }] of useThreads.getState().drafts) if (isOpen) closeMessage(id);
  return storeDrafts(await collectComments());
}

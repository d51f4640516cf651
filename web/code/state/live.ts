import type { CallerDoubt } from "../../../src/review/api-types.ts";
import type { CommentToSend } from "../../shared/threads/send-batch.ts";
import { useThreads } from "../../shared/threads/thread-store.ts";
import { filesChangedSince } from "../../shared/threads/threads.ts";
import { threadAsText, threadBody } from "../core/comment-to-send.ts";
import { forgetComment } from "./comments.ts";
import { commentsInOrder } from "./compose-feedback.ts";
import { stopDraft } from "./draft.ts";
import { loadDiff, useSession } from "./session.ts";
import { useView } from "./view.ts";

/**
 * Loads the diff of a new round. Resolves to a description of the changes since the last batch, or to undefined if the
 * diff cannot be loaded.
 */
export async function showRound(): Promise<string | undefined> {
  const result = await loadDiff(useView.getState().whitespace);
  if (!result.ok) return undefined;
  const { sent } = useThreads.getState();
  if (!sent?.files) return "The diff was reloaded";
  return filesChangedSince(new Map(sent.files), useSession.getState().files);
}

/** Stores the state of the diff at the time a batch was sent. */
export function keepSent(): void {
  const { live } = useThreads.getState();
  const { files } = useSession.getState();
  useThreads.setState({
    news: undefined,
    sent: { round: live?.round ?? 1, files: files.map(({ path, fingerprint }) => [path, fingerprint]) },
  });
}

/** Returns the comments as threads. Fetches the patches and notebooks that are needed for their line numbers. */
export async function collectComments(): Promise<readonly CommentToSend[]> {
  const round = useSession.getState().index?.live?.round;
  const { comments, context } = await commentsInOrder();
  return comments.map((comment) => ({
    id: comment.id,
    body: { ...threadBody(comment, context), ...(round !== undefined && { round }) },
    asText: threadAsText(comment, context),
    onStored: () => forgetComment(comment.id),
  }));
}

/** Shows the final screen after the live review was finished. */
export function showFinished(approved: boolean, feedback: string, doubt: CallerDoubt | undefined): void {
  stopDraft();
  useSession.setState({ phase: "sent", sent: { feedback, approved, warnings: [], isLive: true }, doubt });
}

import type { NewThreadBody, Thread } from "../../../src/review/api-types.ts";
import { explain, type Result, sendJson } from "../api/client.ts";
import { forgetMessage, loadThreads, useThreads } from "./thread-store.ts";
import { withThread } from "./threads.ts";

/** A comment of the person that becomes a thread when it is sent. */
export interface CommentToSend {
  readonly body: NewThreadBody;
  /** The comment with its position and code as text, for a position that the server does not have. */
  readonly asText: string;
  /** Removes the comment from the draft after the server has stored it. */
  readonly onStored: () => void;
}

/** Sends a batch: comments, replies and a general text. Resolves to an error message, or to undefined. */
export function sendBatch(comments: readonly CommentToSend[], feedback: string): Promise<string | undefined> {
  return handOver(comments, "/api/send", { ...(feedback.trim() !== "" && { feedback: feedback.trim() }) });
}

/** Ends the session, with everything that was not sent. Resolves to an error message, or to undefined. */
export function finishReview(
  comments: readonly CommentToSend[],
  approved: boolean,
  feedback: string,
): Promise<string | undefined> {
  const text = feedback.trim();
  return handOver(comments, "/api/finish", { approved, ...(text !== "" && { feedback: text }) });
}

/**
 * Stores comments and replies as threads and messages, then makes the final call. Stored comments and replies leave the
 * draft at once, so that a second attempt after a failure stores nothing twice.
 */
async function handOver(
  comments: readonly CommentToSend[],
  path: string,
  body: object,
): Promise<string | undefined> {
  if (useThreads.getState().sending) return undefined;
  useThreads.setState({ sending: true });
  try {
    for (const comment of comments) {
      const result = await storeComment(comment);
      if (!result.ok) return explain(result);
      useThreads.setState(({ threads }) => ({ threads: withThread(threads, result.value) }));
      comment.onStored();
    }
    for (const [id, { text }] of useThreads.getState().drafts) {
      if (text.trim() === "") continue;
      const route = `/api/threads/${encodeURIComponent(id)}/messages`;
      const result = await sendJson<Thread>("POST", route, { markdown: text.trim() });
      if (!result.ok) return explain(result);
      useThreads.setState(({ threads }) => ({ threads: withThread(threads, result.value) }));
      forgetMessage(id);
    }
    const result = await sendJson("POST", path, body);
    if (!result.ok) return explain(result);
    useThreads.setState({ batchText: "" });
    if (path === "/api/send") await loadThreads();
    return undefined;
  } finally {
    useThreads.setState({ sending: false });
  }
}

async function storeComment({ body, asText }: CommentToSend): Promise<Result<Thread>> {
  const result = await sendJson<Thread>("POST", "/api/threads", body);
  if (result.ok || result.reason !== "refused" || result.status !== 400 || body.anchor.kind === "review")
    return result;
  const { suggestedCode: _, ...rest } = body;
  return sendJson<Thread>("POST", "/api/threads", { ...rest, anchor: { kind: "review" }, markdown: asText });
}

import type {
  CallerDoubt,
  FinishBody,
  NewMessageBody,
  NewThreadBody,
  SendBody,
  Thread,
} from "../../../src/review/api-types.ts";
import { explain, type Result, sendJson } from "../api/client.ts";
import { newId } from "../new-id.ts";
import { forgetMessage, loadThreads, useThreads } from "./thread-store.ts";
import { withThread } from "./threads.ts";

/** A comment of the person that becomes a thread when it is sent. */
export interface CommentToSend {
  /** Id of the comment in the draft. */
  readonly id: string;
  readonly body: NewThreadBody;
  /** The comment with its position and code as text, for a position that the server does not have. */
  readonly asText: string;
  /** Removes the comment from the draft after the server has stored it. */
  readonly onStored: () => void;
}

/** The result of sending. `error`: why sending failed. `doubt`: why the agent might not receive the batch. */
export interface HandedOver {
  readonly error?: string | undefined;
  readonly doubt?: CallerDoubt | undefined;
}

/** Returns the person's comments, after fetching the data that is needed for their positions. */
export type CollectComments = () => Promise<readonly CommentToSend[]>;

/** Sends a batch: comments, replies and a general text. Resolves to undefined if a batch is being sent. */
export function sendBatch(collect: CollectComments, feedback: string): Promise<HandedOver | undefined> {
  return handOver(collect, feedback, async (body) => {
    const result = await sendJson<HandedOver>("POST", "/api/send", body);
    if (result.ok) await loadThreads();
    return result;
  });
}

/** The end of a live review. */
interface Finish {
  readonly approved: boolean;
  readonly feedback: string;
  /** The round that the person saw. The server rejects the approval if a newer one has begun. */
  readonly round: number;
}

/**
 * Ends the live review and sends all comments and replies that were not sent. Resolves to undefined if a batch is being
 * sent.
 */
export function finishReview(
  collect: CollectComments,
  { approved, feedback, round }: Finish,
): Promise<HandedOver | undefined> {
  return handOver(collect, feedback, (body) =>
    sendJson<HandedOver>("POST", "/api/finish", { approved, round, ...body } satisfies FinishBody),
  );
}

/**
 * Stores comments and replies as threads and messages, then sends the general text. Does nothing while a batch is being
 * sent.
 */
async function handOver(
  collect: CollectComments,
  feedback: string,
  send: (body: SendBody) => Promise<Result<HandedOver>>,
): Promise<HandedOver | undefined> {
  // If the response is lost, the next attempt sends the same key again.
  const { sending, batchKey: idempotencyKey = newId() } = useThreads.getState();
  if (sending) return undefined;
  useThreads.setState({ sending: true, batchKey: idempotencyKey });
  try {
    const problem = await storeDrafts(await collect());
    if (problem !== undefined) return { error: problem };
    const text = feedback.trim();
    const result = await send({ idempotencyKey, ...(text !== "" && { feedback: text }) });
    if (!result.ok) return { error: explain(result) };
    useThreads.setState({ batchText: "", batchKey: undefined });
    return { doubt: result.value.doubt };
  } finally {
    useThreads.setState({ sending: false });
  }
}

/**
 * Stores comments and replies as threads and messages. Removes each stored item from the draft, so that another attempt
 * continues with the rest. Resolves to an error message, or to undefined.
 */
export async function storeDrafts(comments: readonly CommentToSend[]): Promise<string | undefined> {
  for (const comment of comments) {
    const result = await storeComment(comment);
    if (!result.ok) return explain(result);
    useThreads.setState(({ threads }) => ({ threads: withThread(threads, result.value) }));
    comment.onStored();
  }
  for (const [id, { text }] of useThreads.getState().drafts) {
    if (text.trim() === "") continue;
    const route = `/api/threads/${encodeURIComponent(id)}/messages`;
    // If the response is lost, the next attempt sends the same reply again.
    const body: NewMessageBody = { markdown: text.trim(), idempotencyKey: id };
    const result = await sendJson<Thread>("POST", route, body);
    if (!result.ok) return explain(result);
    useThreads.setState(({ threads }) => ({ threads: withThread(threads, result.value) }));
    forgetMessage(id);
  }
  return undefined;
}

async function storeComment({ id, body: comment, asText }: CommentToSend): Promise<Result<Thread>> {
  const body: NewThreadBody = { ...comment, idempotencyKey: id };
  const result = await sendJson<Thread>("POST", "/api/threads", body);
  if (result.ok || result.reason !== "refused" || result.status !== 400 || body.anchor.kind === "review")
    return result;
  const { suggestedCode: _, ...rest } = body;
  return sendJson<Thread>("POST", "/api/threads", { ...rest, anchor: { kind: "review" }, markdown: asText });
}

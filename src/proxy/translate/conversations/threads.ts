import type { Codec, EncodeContext } from "../../exchange/codec.ts";
import { DialectError } from "../../exchange/dialect-error.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";
import type { ConversationStore } from "./conversation-store.ts";

/**
 * Returns a request that continues a thread of the messages dialect. Prepends the thread's turns, and adds the thread's
 * instructions if the request has no instructions, and its tools if the request has no tools. Throws `DialectError`
 * (404, `thread_not_found`) if the thread is not found; the SDK then sends the whole conversation again.
 */
export async function withThread(
  request: ExchangeRequest,
  id: string,
  store: ConversationStore | undefined,
): Promise<ExchangeRequest> {
  const earlier = await store?.load(threadKey(id));
  if (earlier?.thread === undefined) {
    throw new DialectError({
      kind: "not-found",
      status: 404,
      message: "No usable Thread state was found for previous_message_id. Replay the full conversation.",
      param: "thread.previous_message_id",
      code: "thread_not_found",
      errorCode: "validation",
    });
  }
  const { instructions, tools } = earlier.thread;
  return {
    ...request,
    turns: [...earlier.turns, ...request.turns],
    instructions: request.instructions.length > 0 ? request.instructions : instructions,
    tools: request.tools.length > 0 ? request.tools : tools,
  };
}

/** Returns the store key of a thread. It is not a response id, so that clients cannot read threads by id. */
export function threadKey(id: string): string {
  return `thread:${id}`;
}

/** Returns the id that the client receives for a stored response. */
export function keptId(client: Codec, id: string | undefined, context: EncodeContext): string {
  return client.createResponseId?.(id, context) ?? id ?? context.fallbackId;
}

import type { Codec, EncodeContext } from "../../exchange/codec.ts";
import { DialectError } from "../../exchange/dialect-error.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";
import type { ConversationStore } from "./conversation-store.ts";

/**
 * Returns a request that continues a thread of the messages dialect with the turns, instructions and tools that the
 * thread holds. Throws `DialectError` (404, `thread_not_found`) where the thread is not kept (any more): the SDK then
 * sends the whole conversation again by itself.
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

/** Returns where a thread is kept: apart from the answers of the responses dialect, which can be read by their ids. */
export function threadKey(id: string): string {
  return `thread:${id}`;
}

/** Returns the id that a client is told for an answer which it may come back to. */
export function keptId(client: Codec, id: string | undefined, context: EncodeContext): string {
  return client.createResponseId?.(id, context) ?? id ?? context.fallbackId;
}

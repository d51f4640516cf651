import { getProfile } from "../../dialects/index.ts";
import { DialectError } from "../../exchange/dialect-error.ts";
import type { Dialect } from "../../exchange/parts.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";
import type { ExchangeResponse } from "../../exchange/response.ts";
import type { ConversationStore } from "./conversation-store.ts";
import { hasReferencedItems, withReferencedItems } from "./item-references.ts";
import { threadKey, withThread } from "./threads.ts";

/** Whether a request speaks of what was said in earlier calls. */
export function namesEarlierTurns(request: ExchangeRequest): boolean {
  if (request.previousResponseId !== undefined || request.thread?.continues !== undefined) return true;
  return hasReferencedItems(request.turns);
}

/**
 * Puts what a request refers to by an item's id in its place, and what was said before in front of a request that
 * names an earlier answer. Instructions are not carried over: the dialect says that each call brings its own. Throws
 * `DialectError` where the answer is not known (any more).
 */
export async function withEarlierTurns(
  request: ExchangeRequest,
  store: ConversationStore | undefined,
): Promise<ExchangeRequest> {
  if (request.thread?.continues !== undefined) return withThread(request, request.thread.continues, store);
  const { previousResponseId: id, ...rest } = request;
  const turns = await withReferencedItems(request.turns, store);
  if (id === undefined) return turns === request.turns ? request : { ...request, turns };
  const earlier = await store?.load(id);
  if (earlier === undefined) {
    throw new DialectError({
      kind: "invalid-request",
      status: 400,
      message: `Previous response with id '${id}' not found.`,
      param: "previous_response_id",
      code: "previous_response_not_found",
    });
  }
  return { ...rest, turns: [...earlier.turns, ...turns] };
}

/** Whether the client may come back to this answer by its id. */
export function isKept(
  dialect: Dialect,
  request: ExchangeRequest,
  store: ConversationStore | undefined,
): boolean {
  if (store === undefined) return false;
  return getProfile(dialect).storesResponses ? request.store !== false : request.thread !== undefined;
}

/** Keeps a conversation under its answer's id. `answer` is what the client is told, `size` the length of its request. */
export async function keepConversation(
  store: ConversationStore | undefined,
  id: string,
  request: ExchangeRequest,
  response: ExchangeResponse,
  { answer, size }: { readonly answer: string; readonly size: number },
): Promise<void> {
  const parts = response.candidates[0]?.parts ?? [];
  const turns = [...request.turns, { role: "assistant" as const, parts }];
  if (request.thread !== undefined) {
    const { instructions, tools } = request;
    const thread = { instructions, tools };
    return store?.save(threadKey(id), { turns, answer: "", thread }, size + 2 * answer.length);
  }
  // The answer's parts and its text are about as long.
  await store?.save(id, { turns, answer }, size + 2 * answer.length);
}

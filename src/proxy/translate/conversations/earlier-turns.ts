import { getProfile } from "../../dialects/index.ts";
import { DialectError, invalidRequest } from "../../exchange/dialect-error.ts";
import type { Dialect } from "../../exchange/parts.ts";
import type { ExchangeRequest, Turn } from "../../exchange/request.ts";
import type { ExchangeResponse } from "../../exchange/response.ts";
import { toCallId } from "../../exchange/tool-call-id.ts";
import type { ConversationStore } from "./conversation-store.ts";
import { hasReferencedItems, withReferencedItems } from "./item-references.ts";
import { threadKey, withThread } from "./threads.ts";

/** Returns whether a request refers to turns of earlier calls. */
export function namesEarlierTurns(request: ExchangeRequest): boolean {
  if (request.previousResponseId !== undefined || request.thread?.continues !== undefined) return true;
  return hasReferencedItems(request.turns);
}

/**
 * Replaces item references with their items and prepends the earlier turns of `previous_response_id` or a thread. A
 * thread also supplies instructions and tools (`withThread`). A previous response does not, because each call of the
 * responses dialect sends its instructions and tools. Throws `DialectError` if a response, an item or a thread is not
 * found, or if a tool result that follows a previous response has no tool call.
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
      errorCode: "validation",
    });
  }
  const all = [...earlier.turns, ...turns];
  expectCalls(turns, all);
  return { ...rest, turns: all };
}

/** Throws `DialectError` (400), as OpenAI does, if an added tool result belongs to no tool call of the conversation. */
function expectCalls(added: readonly Turn[], all: readonly Turn[]): void {
  const { callIds } = getProfile("responses");
  const ids = new Set<string>();
  for (const { parts } of all)
    for (const part of parts) if (part.type === "tool-call") ids.add(part.id).add(toCallId(callIds, part.id));
  for (const { parts } of added) {
    for (const part of parts) {
      if (part.type !== "tool-result" || ids.has(part.callId)) continue;
      throw invalidRequest(
        `No tool call found for function call output with call_id ${part.callId}.`,
        "input",
      );
    }
  }
}

/** Returns whether the response is stored, so that the client can refer to it by its id. */
export function isKept(
  dialect: Dialect,
  request: ExchangeRequest,
  store: ConversationStore | undefined,
): boolean {
  if (store === undefined) return false;
  return getProfile(dialect).storesResponses ? request.store !== false : request.thread !== undefined;
}

/**
 * Stores a conversation under the id of its response. `responseText` is the response as the client receives it, and
 * `size` is the length of the request in bytes.
 */
export async function keepConversation(
  store: ConversationStore | undefined,
  id: string,
  request: ExchangeRequest,
  response: ExchangeResponse,
  { responseText, size }: { readonly responseText: string; readonly size: number },
): Promise<void> {
  const parts = response.candidates[0]?.parts ?? [];
  const turns = [...request.turns, { role: "assistant" as const, parts }];
  if (request.thread !== undefined) {
    const { instructions, tools } = request;
    const thread = { instructions, tools };
    return store?.save(threadKey(id), { turns, responseText: "", thread }, size + 2 * responseText.length);
  }
  // The parts of the response and its text have about the same length.
  await store?.save(id, { turns, responseText }, size + 2 * responseText.length);
}

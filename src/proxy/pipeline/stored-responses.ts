import { AppError } from "../../errors.ts";
import { eventStreamHeaders } from "../../sse/event-stream-headers.ts";
import { findProfile } from "../dialects/index.ts";
import { type ConversationStore, conversationsOf } from "../translate/conversations/conversation-store.ts";
import { type Call, ownHeaders } from "./call.ts";
import { respondWithJson } from "./client-response.ts";
import { replayResponse } from "./replay-response.ts";

/** The conversations that were kept for who calls: whoever has the same key or, without keys, has none either. */
export function callersConversations({ services, key }: Call): ConversationStore {
  return conversationsOf(services.conversations, key?.sha256.toString("hex") ?? "");
}

/**
 * Answers `GET` and `DELETE /v1/responses/{id}` for a response that was kept here because its upstream speaks another
 * dialect. False where it is a responses upstream's affair. Throws `not_found` where it can be nobody's.
 */
export async function serveStoredResponse(call: Call): Promise<boolean> {
  const conversations = callersConversations(call);
  const id = call.params["id"] ?? "";
  const kept = await conversations.load(id);
  if (kept === undefined) {
    const upstreams = [...call.runtime.config.upstreams.values()];
    if (upstreams.some(({ dialect }) => findProfile(dialect)?.storesResponses ?? true)) return false;
    throw new AppError("not_found", `Response with id '${id}' not found.`);
  }
  if (!call.route.path.endsWith(":id"))
    throw new AppError("not_found", `Of the response with id '${id}' its answer alone is kept here.`);
  call.status = 200;
  if (call.request.method === "DELETE") {
    await conversations.delete(id);
    respondWithJson(call, 200, JSON.stringify({ id, object: "response", deleted: true }));
  } else respondWithKept(call, kept.answer);
  return true;
}

/** In one piece, or as the events that a client asks for. Throws `validation` where it starts after no number. */
function respondWithKept(call: Call, answer: string): void {
  const { searchParams } = new URL(call.request.url ?? "", "http://proxy");
  if (searchParams.get("stream") !== "true") {
    respondWithJson(call, 200, answer);
    return;
  }
  const after = searchParams.get("starting_after");
  if (after !== null && !/^\d{1,15}$/.test(after))
    throw new AppError("validation", "starting_after: must be the number of an event");
  call.stream = true;
  const events = replayResponse(answer, Number(after ?? -1));
  call.response.writeHead(200, [...ownHeaders(call), ...EVENTS]);
  call.response.end(events);
}

const EVENTS = [...Object.entries(eventStreamHeaders).flat(), "x-content-type-options", "nosniff"];

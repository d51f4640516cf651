import { AppError } from "../../errors.ts";
import { eventStreamHeaders } from "../../sse/serialize.ts";
import { findProfile } from "../dialects/index.ts";
import { cancelStored, failAbandoned } from "./background-responses.ts";
import { type Call, endWith, ownHeaders } from "./call.ts";
import { respondWithJson } from "./client-response.ts";
import { replayResponse } from "./replay-response.ts";
import { callersConversations } from "./stored-conversations.ts";

/**
 * Serves `GET` and `DELETE /v1/responses/{id}` and `…/cancel` for a response that the proxy has stored. Resolves with
 * false if an upstream may have stored the response. Throws `not_found` if no upstream stores responses, or for another
 * path of a response that the proxy has stored.
 */
export async function serveStoredResponse(call: Call): Promise<boolean> {
  const conversations = callersConversations(call);
  const id = call.params["id"] ?? "";
  const kept = await conversations.load(id);
  const text = kept && (await failAbandoned(call.services, conversations, id, kept.responseText));
  if (text === undefined) {
    const upstreams = [...call.runtime.config.upstreams.values()];
    if (upstreams.some(({ dialect }) => findProfile(dialect)?.storesResponses ?? true)) return false;
    throw new AppError("not_found", `Response with id '${id}' not found.`);
  }
  if (call.route.path.endsWith("/cancel")) {
    const cancelled = await cancelStored(call.services, conversations, id, text);
    call.status = 200;
    respondWithJson(call, 200, cancelled);
    return true;
  }
  if (!call.route.path.endsWith(":id"))
    throw new AppError("not_found", `The proxy stores only the response with id '${id}', not its input.`);
  call.status = 200;
  if (call.request.method === "DELETE") {
    await conversations.delete(id);
    respondWithJson(call, 200, JSON.stringify({ id, object: "response", deleted: true }));
  } else respondWithKept(call, text);
  return true;
}

/**
 * Responds with JSON, or with events if the client asks for a stream. Throws `validation` for an invalid
 * `starting_after`.
 */
function respondWithKept(call: Call, text: string): void {
  const { searchParams } = new URL(call.request.url ?? "", "http://proxy");
  if (searchParams.get("stream") !== "true") {
    respondWithJson(call, 200, text);
    return;
  }
  const after = searchParams.get("starting_after");
  if (after !== null && !/^\d{1,15}$/.test(after))
    throw new AppError("validation", "starting_after: must be the number of an event");
  call.stream = true;
  const events = replayResponse(text, Number(after ?? -1));
  call.response.writeHead(200, [...ownHeaders(call), ...EVENTS]);
  endWith(call, () => call.response.end(events));
}

const EVENTS = [...Object.entries(eventStreamHeaders).flat(), "x-content-type-options", "nosniff"];

import { text as readText } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { createBlankResponse } from "../dialects/responses/blank-response.ts";
import { readErrorBody } from "../dialects/responses/read-error-body.ts";
import { invalidRequest } from "../exchange/dialect-error.ts";
import { isObject, parseJson, stringifyJson } from "../exchange/json.ts";
import type { Services } from "../services.ts";
import type { ConversationStore } from "../translate/conversations/conversation-store.ts";
import type { Call } from "./call.ts";
import { callAgain } from "./call-again.ts";
import { respondWithJson } from "./client-response.ts";
import { callersConversations } from "./stored-conversations.ts";

type Members = Readonly<Record<string, unknown>>;

/** Prefix of the ids of background responses. The id of the call follows, which contains the id of its process. */
const PREFIX = "resp_bg";
const CREATOR = /^resp_bgreq_([0-9a-f]{12})/;
/** Milliseconds within which a process is listed in the database after its start. */
const REPORTED_MS = 20_000;

/**
 * Milliseconds between two checks whether a client has canceled or deleted a response at another process, and between
 * two attempts to read a store that is unavailable.
 */
const CHECK_MS = 2_000;

/** Responses that this process creates in the background, by id, with the controllers that abort them. */
export type BackgroundResponses = Map<string, AbortController>;

/**
 * Responds with the status `queued`, and generates the output with another call in the background. That call counts
 * toward the client's limits and usage. The client polls `GET /v1/responses/{id}`. Throws `DialectError` (400) if the
 * client requests a stream or sets `store: false`. https://platform.openai.com/docs/guides/background
 */
export async function respondInBackground(call: Call, body: Members): Promise<void> {
  if (body["stream"] === true)
    throw invalidRequest("stream is not available with background: poll the response instead.", "stream");
  if (body["store"] === false) throw invalidRequest("background requires store: true.", "store");
  const id = `${PREFIX}${call.id.replace(/\W/g, "")}`;
  const queued = createBlankResponse(body, id, "queued");
  const conversations = callersConversations(call);
  await save(conversations, { ...queued, status: "in_progress" });
  call.upstream = undefined;
  call.status = 200;
  void create(call, { queued, body, conversations });
  respondWithJson(call, 200, stringifyJson(queued));
}

interface Creation {
  readonly queued: Members & { readonly id: string };
  readonly body: Members;
  readonly conversations: ConversationStore;
}

async function create({ request, services }: Call, { queued, body, conversations }: Creation): Promise<void> {
  const { id } = queued;
  const controller = new AbortController();
  services.background.set(id, controller);
  const checks = setInterval(() => void abortIfCancelled(conversations, id, controller), CHECK_MS).unref();
  const { background: _, ...foreground } = body;
  try {
    const response = await callAgain(services, { request, body: foreground, signal: controller.signal });
    const responseText = await readText(response);
    if (await mustDiscard(services, conversations, id)) return;
    if (response.statusCode === 200) await finish(conversations, id, responseText);
    else await save(conversations, { ...queued, status: "failed", error: errorIn(responseText) });
  } catch {
    if (await mustDiscard(services, conversations, id)) return;
    const error = { code: "server_error", message: "The response was cut off." };
    await save(conversations, { ...queued, status: "failed", error }).catch(() => {});
  } finally {
    clearInterval(checks);
    services.background.delete(id);
  }
}

/** Aborts a call whose response a client has canceled or deleted, possibly at another process. */
async function abortIfCancelled(
  conversations: ConversationStore,
  id: string,
  controller: AbortController,
): Promise<void> {
  const cancelled = await isCancelled(conversations, id).catch(() => undefined);
  if (cancelled === true) controller.abort();
}

/**
 * Returns whether the result of a call must not be stored, because a client has canceled or deleted the response.
 * Waits while the store cannot be read; returns true if the proxy closes in the meantime.
 */
async function mustDiscard(
  { isClosing }: Services,
  conversations: ConversationStore,
  id: string,
): Promise<boolean> {
  while (!isClosing()) {
    const cancelled = await isCancelled(conversations, id);
    if (cancelled !== undefined) return cancelled;
    await delay(CHECK_MS, undefined, { ref: false });
  }
  return true;
}

/** Stores a complete response under the id that the client knows. */
async function finish(conversations: ConversationStore, id: string, text: string): Promise<void> {
  const response = parseJson(text);
  if (!isObject(response)) throw new Error("not a response");
  const own = String(response["id"]);
  const kept = await conversations.load(own);
  // The ids of items contain the id of their response.
  const suffix = new RegExp(`${own.replace(/^resp_/, "")}(?![a-z0-9])`, "g");
  const renamed = stringifyJson({ ...response, background: true }).replace(suffix, id.replace(/^resp_/, ""));
  await conversations.save(id, { turns: kept?.turns ?? [], responseText: renamed }, 2 * text.length);
  await conversations.delete(own);
}

function errorIn(text: string): Members {
  const { code, message = "The response failed." } = readErrorBody(text);
  return { code, message };
}

async function save(
  conversations: ConversationStore,
  response: Members & { readonly id: string },
): Promise<void> {
  const responseText = stringifyJson(response);
  await conversations.save(response.id, { turns: [], responseText }, responseText.length);
}

/** Returns whether a client has canceled or deleted a response; undefined if the store cannot be read. */
async function isCancelled(conversations: ConversationStore, id: string): Promise<boolean | undefined> {
  let isUnavailable = false;
  const kept = await conversations.load(id, () => {
    isUnavailable = true;
  });
  if (kept === undefined) return isUnavailable ? undefined : true;
  const response = parseJson(kept.responseText);
  return !isObject(response) || response["status"] === "cancelled";
}

/**
 * Cancels a stored response and returns it; a response that has ended stays as it is. Throws `DialectError` (400) if
 * it was not created in the background.
 */
export async function cancelStored(
  { background }: Services,
  conversations: ConversationStore,
  id: string,
  text: string,
): Promise<string> {
  const response = parseJson(text);
  if (!isObject(response) || response["background"] !== true)
    throw invalidRequest("Only responses created with background: true can be cancelled.", "response_id");
  if (response["status"] !== "in_progress" && response["status"] !== "queued") return text;
  const cancelled = { ...response, id, status: "cancelled" };
  // The response is stored before its call is aborted, so that the call finds the response canceled.
  await save(conversations, cancelled);
  background.get(id)?.abort();
  return stringifyJson(cancelled);
}

/**
 * Returns a stored response. If it is in progress and the process that creates it no longer runs, stores and returns it
 * as failed.
 */
export async function failAbandoned(
  services: Pick<Services, "replicaId" | "startedAt" | "gateway">,
  conversations: ConversationStore,
  id: string,
  text: string,
): Promise<string> {
  const creator = CREATOR.exec(id)?.[1];
  if (creator === undefined || creator === services.replicaId) return text;
  const response = parseJson(text);
  if (!isObject(response) || (response["status"] !== "in_progress" && response["status"] !== "queued"))
    return text;
  // `created_at` is in whole seconds, so the response was created less than a second later.
  const latest = (Number(response["created_at"]) + 1) * 1000;
  const isEarlier = latest <= services.startedAt || latest + REPORTED_MS < Date.now();
  if (!isEarlier || (await isRunning(services, creator))) return text;
  const error = { code: "server_error", message: "The process that created the response has ended." };
  const failed = { ...response, id, status: "failed", error };
  await save(conversations, failed);
  return stringifyJson(failed);
}

/** Returns whether another process that shares the database has this id; true if the database is unavailable. */
async function isRunning({ gateway }: Pick<Services, "gateway">, id: string): Promise<boolean> {
  try {
    const replicas = await (await gateway.store()).replicas();
    return replicas.some((each) => each.id === id);
  } catch {
    return true;
  }
}

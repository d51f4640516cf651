import { text as readText } from "node:stream/consumers";
import { eventStreamHeaders } from "../../sse/serialize.ts";
import { createBlankResponse } from "../dialects/responses/blank-response.ts";
import { isObject, parseJson, stringifyJson } from "../exchange/json.ts";
import { asksToCompact, withoutTrigger } from "../translate/conversations/compaction.ts";
import { createCompaction, createSummaryRequest } from "../translate/conversations/summarize.ts";
import { readRequestJson } from "../translate/request/read-json.ts";
import { respondInBackground } from "./background-responses.ts";
import { type Call, endWith, ownHeaders } from "./call.ts";
import { callAgain } from "./call-again.ts";
import { type CallBody, refuseExcess } from "./call-body.ts";
import { respondWithJson } from "./client-response.ts";
import { chooseLane } from "./lane.ts";
import type { CalledOperation } from "./operation-path.ts";
import { replayResponse } from "./replay-response.ts";

type Members = Readonly<Record<string, unknown>>;

/**
 * Serves compactions and background responses at upstreams that do not support them. Each makes another call of the
 * same client, which counts toward limits and usage: a compaction requests a summary from the model, and a background
 * response generates its output, for which this call does not wait. Returns false for all other calls.
 */
export async function serveIndirectly(call: Call, called: CalledOperation, body: CallBody): Promise<boolean> {
  if (call.dialect !== "responses" || body.kind !== "json" || chooseLane(call, called) === "native")
    return false;
  const isGenerate = called.operation === "generate";
  const mayBeBackground = isGenerate && body.bytes.includes('"background"');
  const mayCompact = isGenerate && asksToCompact(called.operation, body.bytes);
  if (called.operation !== "compact" && !mayBeBackground && !mayCompact) return false;
  refuseExcess(call);
  const parsed = await readRequestJson(body.bytes);
  const conversation = mayCompact ? withoutTrigger(parsed) : undefined;
  if (called.operation === "compact") await compact(call, parsed);
  else if (conversation !== undefined) await compactInTurn(call, conversation);
  else if (isObject(parsed) && parsed["background"] === true) await respondInBackground(call, parsed);
  else return false;
  return true;
}

/** Responds with a summary that the call's own model writes. */
async function compact(call: Call, body: unknown): Promise<void> {
  const compaction = await summarize(call, body);
  if (compaction !== undefined) respondWithJson(call, 200, compaction, MARK);
}

/**
 * Sends a response whose only item is the compaction, for a generate call with an item of type `compaction_trigger`, by
 * which Codex requests a compaction.
 */
async function compactInTurn(call: Call, body: Members): Promise<void> {
  const text = await summarize(call, body);
  if (text === undefined) return;
  const compaction = parseJson(text);
  const { id, created_at, output, usage } = isObject(compaction) ? compaction : {};
  const response = {
    ...createBlankResponse({ ...body, store: false }, String(id), "completed"),
    created_at,
    completed_at: Math.floor(Date.now() / 1000),
    output,
    usage,
  };
  const whole = stringifyJson(response);
  if (body["stream"] !== true) {
    respondWithJson(call, 200, whole, MARK);
    return;
  }
  call.stream = true;
  call.response.writeHead(200, [...ownHeaders(call), ...MARK, ...Object.entries(eventStreamHeaders).flat()]);
  const events = replayResponse(whole, -1);
  endWith(call, () => call.response.end(events));
}

const MARK = ["x-sallyport-compaction", "summary"];

/** Returns the compaction of a conversation; undefined if the client was sent an error. */
async function summarize(call: Call, body: unknown): Promise<string | undefined> {
  const { status, body: responseText } = await createAgain(call, createSummaryRequest(body));
  // The upstream and the usage are in the record of the summary's call.
  call.upstream = undefined;
  call.status = status;
  if (status !== 200) {
    respondWithJson(call, status, responseText);
    return undefined;
  }
  const response = parseJson(responseText);
  if (!isObject(response) || response["status"] !== "failed") return createCompaction(response);
  call.status = 502;
  respondWithJson(call, 502, stringifyJson({ error: response["error"] }));
  return undefined;
}

interface WholeResponse {
  readonly status: number;
  readonly body: string;
}

/** Sends another call to `POST /v1/responses`; aborts it when the client disconnects. */
async function createAgain(call: Call, body: unknown): Promise<WholeResponse> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  call.response.once("close", abort);
  try {
    const response = await callAgain(call.services, {
      request: call.request,
      body,
      signal: controller.signal,
    });
    return { status: response.statusCode ?? 500, body: await readText(response) };
  } finally {
    call.response.off("close", abort);
  }
}

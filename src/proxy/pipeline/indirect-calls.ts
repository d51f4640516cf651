import { text as readText } from "node:stream/consumers";
import { isObject, parseJson, stringifyJson } from "../exchange/json.ts";
import { createCompaction, createSummaryRequest } from "../translate/conversations/summarize.ts";
import { readRequestJson } from "../translate/request/read-json.ts";
import { respondInBackground } from "./background-responses.ts";
import type { Call } from "./call.ts";
import { callAgain } from "./call-again.ts";
import { type CallBody, refuseExcess } from "./call-body.ts";
import { respondWithJson } from "./client-response.ts";
import { chooseLane } from "./lane.ts";
import type { CalledOperation } from "./operation-path.ts";

/**
 * Serves compactions and background responses at upstreams that do not support them. Each makes another call of the same
 * client, which counts toward limits and usage: a compaction requests a summary from the model, and a background response
 * is created after this call has ended. Returns false for all other calls.
 */
export async function serveIndirectly(call: Call, called: CalledOperation, body: CallBody): Promise<boolean> {
  if (call.dialect !== "responses" || body.kind !== "json" || chooseLane(call, called) === "native")
    return false;
  const mayBeBackground = called.operation === "generate" && body.bytes.includes('"background"');
  if (called.operation !== "compact" && !mayBeBackground) return false;
  refuseExcess(call);
  const parsed = await readRequestJson(body.bytes);
  if (called.operation === "compact") await compact(call, parsed);
  else if (isObject(parsed) && parsed["background"] === true) await respondInBackground(call, parsed);
  else return false;
  return true;
}

/** Responds with a summary that the call's own model writes. */
async function compact(call: Call, body: unknown): Promise<void> {
  const { status, body: responseText } = await createAgain(call, createSummaryRequest(body));
  // The summary's own call names the upstream and has the usage.
  call.upstream = undefined;
  call.status = status;
  if (status !== 200) {
    respondWithJson(call, status, responseText);
    return;
  }
  const response = parseJson(responseText);
  const failed = isObject(response) && response["status"] === "failed";
  if (failed) respondWithJson(call, 502, stringifyJson({ error: response["error"] }));
  else respondWithJson(call, 200, createCompaction(response), ["x-sallyport-compaction", "summary"]);
}

interface WholeResponse {
  readonly status: number;
  readonly body: string;
}

/** Calls `POST /v1/responses` again; aborts that call when the client disconnects. */
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

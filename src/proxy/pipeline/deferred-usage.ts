import { tryParseJson } from "../exchange/json.ts";
import type { Call } from "./call.ts";
import type { CallBody } from "./call-body.ts";
import type { LaneResult } from "./lane.ts";
import type { CalledOperation } from "./operation-path.ts";
import { ResponseTap } from "./response-tap.ts";

/** Bytes from the beginning of a response in which its id is searched. */
const KEPT = 64 * 1024;
/** Approximate size of a stored model name, in characters. */
const SIZE = 200;

const nameOf = (id: string) => `usage/${id}`;

/**
 * Serves a call of a dialect whose upstreams store responses. If an upstream creates a response in the background, its
 * usage is recorded at the call that reads the response, because the upstream reports the usage there.
 * https://platform.openai.com/docs/guides/background
 */
export async function serveWithDeferredUsage(
  call: Call,
  { operation }: CalledOperation,
  body: CallBody,
  serve: () => Promise<LaneResult>,
): Promise<LaneResult> {
  const isDeferred = operation === "generate" && asksForBackground(body);
  if (isDeferred) storeWhenSent(call);
  const result = await serve();
  if (result.kind !== "done") return result;
  // The usage is an estimate of the input, which would be charged twice.
  if (isDeferred && isUsagePending(call)) call.usage = undefined;
  if (operation === "stored-response") await settleDeferredUsage(call);
  return result;
}

function asksForBackground(body: CallBody): boolean {
  if (body.kind !== "json" || !body.bytes.includes('"background"')) return false;
  return /"background"\s*:\s*true/.test(body.bytes.toString("latin1"));
}

/** Returns whether a call was successful, and the upstream has not reported its usage yet. A stream reports its own. */
function isUsagePending({ stream, status, usage }: Call): boolean {
  return !stream && status === 200 && (usage?.output.total ?? 0) === 0;
}

/** Stores the model of a response when it has been sent, if its usage is reported later. */
function storeWhenSent(call: Call): void {
  const { response, services } = call;
  const tap = new ResponseTap(response, KEPT);
  response.once("finish", async () => {
    if (!isUsagePending(call)) return;
    const { head } = await tap.text();
    const id = /"id"\s*:\s*"([^"\\]{1,200})"/.exec(head)?.[1];
    if (id === undefined) return;
    const responseText = JSON.stringify({ model: call.model, upstreamModel: call.upstreamModel });
    await services.conversations.save(nameOf(id), { turns: [], responseText }, SIZE).catch(() => {});
  });
}

/**
 * Records the usage in a stored response at its model, at the first call that reads or cancels the response after it
 * was created in the background. The usage in any other stored response was recorded when it was created.
 */
async function settleDeferredUsage(call: Call): Promise<void> {
  if (call.usage === undefined) return;
  const { conversations } = call.services;
  const name = nameOf(call.params["id"] ?? "");
  const expected = await conversations.load(name);
  if (expected === undefined) {
    call.usage = undefined;
    return;
  }
  const stored = tryParseJson(expected.responseText) as
    | { model?: string; upstreamModel?: string }
    | undefined;
  call.model = stored?.model;
  call.upstreamModel = stored?.upstreamModel;
  await conversations.delete(name);
}

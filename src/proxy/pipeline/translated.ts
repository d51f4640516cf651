import type { UpstreamConfig } from "../../config/proxy/config.ts";
import { AppError } from "../../errors.ts";
import type { Usage } from "../exchange/response.ts";
import type { Attempt, AttemptOutcome } from "../routing/attempts.ts";
import { withOverflow, withResponsePause } from "../routing/retry-after.ts";
import type { Targets } from "../routing/select-targets.ts";
import {
  type SendUpstream,
  type TranslationOutcome,
  translateCall,
  type UpstreamRequest,
} from "../translate/translate-call.ts";
import { parseBaseUrl, sendTo } from "../upstream/clients.ts";
import { fixedVersion, requestHeaders, viaHeader } from "../upstream/request-headers.ts";
import type { ReceivedResponse } from "../upstream/send.ts";
import { clientDisconnected, REDIRECTED } from "../upstream/upstream-errors.ts";
import { findModelData } from "../usage/cost.ts";
import { estimatedUsage, failedUsage, partialUsage } from "../usage/estimate-usage.ts";
import { runAttempts } from "./attempt-loop.ts";
import type { Call } from "./call.ts";
import { ClientResponse } from "./client-response.ts";
import { DONE, type LaneResult } from "./lane.ts";
import type { CalledOperation } from "./operation-path.ts";
import { callersConversations, callersMemory } from "./stored-conversations.ts";

/**
 * Serves a call in the translation lane. Returns a fallback for targets of another dialect or model than the first
 * one's.
 */
export async function serveTranslated(
  call: Call,
  called: CalledOperation,
  targets: Targets,
  body: Buffer,
): Promise<LaneResult> {
  const [{ upstream, model }] = targets;
  if (upstream.dialect === "any") throw new AppError("internal", "echo is not translated to");
  const response = new ClientResponse(call);
  const transport = createTransport(call, targets, response);
  try {
    const outcome = await translateCall({
      client: {
        dialect: call.dialect,
        operation: called.operation,
        model: call.model ?? "",
        stream: call.stream,
        array: called.array,
        contentType: call.request.headers["content-type"] ?? "application/json",
      },
      body,
      values: call.values,
      target: {
        upstream: upstream.name,
        dialect: upstream.dialect,
        vendor: upstream.vendor,
        data: findModelData(upstream, model),
        host: parseBaseUrl(upstream.baseUrl).hostname,
        version: fixedVersion(upstream),
        model,
        capabilities: upstream.capabilities,
      },
      strict: call.runtime.config.strictTranslation,
      endsWithDone: call.runtime.config.responsesDone,
      requestId: call.id,
      send: transport.send,
      writer: response,
      redact: call.runtime.redact,
      conversations: callersConversations(call),
      memory: callersMemory(call),
    });
    const rest = transport.remaining();
    if (rest) return { kind: "fallback", targets: rest };
    recordOutcome(call, called, outcome, response, body);
    return DONE;
  } finally {
    response.release();
  }
}

/** Records the result of the call. Throws `client_gone` if the client disconnected before its response began. */
function recordOutcome(
  call: Call,
  called: CalledOperation,
  outcome: TranslationOutcome,
  response: ClientResponse,
  body: Buffer,
): void {
  const { losses, error, clientDisconnected: isDisconnected } = outcome;
  call.usage = usageOf(called, outcome, response, body);
  call.losses = losses;
  call.errorMessage = error === undefined ? undefined : call.runtime.redact(error.message);
  if (isDisconnected) throw clientDisconnected();
  if (error !== undefined) call.errorCode = error.errorCode ?? "upstream_error";
  if (!response.isDisconnected) return;
  call.errorCode ??= "client_gone";
  call.errorMessage ??= "the client disconnected";
}

/** Returns the reported usage, completed by estimates if the response ended early or has no counts. */
function usageOf(
  { operation }: CalledOperation,
  { usage, error, clientDisconnected: isDisconnected }: TranslationOutcome,
  { started, written }: ClientResponse,
  body: Buffer,
): Usage | undefined {
  if (!started) return usage;
  if (isDisconnected) return partialUsage(usage, body, written);
  // There is no sample if the whole response is an error.
  if (error !== undefined) return written.total > 0 ? failedUsage(usage, body, written) : usage;
  return usage ?? (operation === "generate" ? estimatedUsage(body, written) : undefined);
}

interface Transport {
  /** Sends a translated request. Resolves with undefined if the call continues at the remaining targets. */
  readonly send: SendUpstream;
  /** Returns the targets at which the call continues; undefined if it does not. */
  readonly remaining: () => Targets | undefined;
}

/** Returns functions that send translated requests with the upstream's credentials and configured headers. */
function createTransport(call: Call, targets: Targets, response: ClientResponse): Transport {
  const [first] = targets;
  let remaining: Targets | undefined;
  const send: SendUpstream = async (request) => {
    const result = await runAttempts<Outcome>(call, targets, {
      send: (attempt) => sendOnce(call, attempt, request, response.signal),
      isRepeatable: () => true,
      suits: ({ upstream, model }) =>
        model === first.model &&
        upstream.dialect === first.upstream.dialect &&
        fixedVersion(upstream) === fixedVersion(first.upstream),
      discard: (outcome) => {
        if (outcome.kind === "refused") discard(outcome.body);
      },
      signal: () => response.signal,
    });
    if (result.kind === "fallback") {
      remaining ??= result.targets;
      // Aborts the other requests of this call, which are no longer needed.
      response.release();
    }
    if (remaining) return undefined;
    if (result.kind !== "done") throw clientDisconnected();
    const { outcome } = result;
    if (outcome.kind === "failed") throw outcome.error;
    return { status: outcome.status, headers: plainHeaders(outcome.headers), body: outcome.body };
  };
  return { send, remaining: () => remaining };
}

type Outcome =
  | Extract<AttemptOutcome, { kind: "failed" }>
  | ({ readonly kind: "completed" } & ReceivedResponse)
  | ({ readonly kind: "refused"; readonly pauseInBody: number | undefined } & ReceivedResponse);

async function sendOnce(
  call: Call,
  { upstream, key }: Attempt,
  request: UpstreamRequest,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    const response = await sendTo(call.services.pools, upstream, {
      method: request.method,
      path: request.path,
      headers: headersFor(call, upstream, key, request),
      body: request.method === "GET" ? null : request.body,
      signal,
    });
    if (call.firstByteAt === 0) call.firstByteAt = performance.now();
    if (response.status >= 300 && response.status < 400)
      throw new AppError("upstream_invalid", `The upstream ${upstream.name} ${REDIRECTED}`);
    if (response.status < 400) return { kind: "completed", ...response };
    if (call.on?.includes("context_window")) {
      const checked = await withOverflow(response);
      if (checked.isOverflow) return { kind: "refused", ...checked, pauseInBody: undefined };
      return { kind: "refused", ...(await withResponsePause(checked)) };
    }
    return { kind: "refused", ...(await withResponsePause(response)) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { kind: "failed", error };
  }
}

/**
 * Cancels a response that is not read. Reading must begin first: `return` runs no cleanup in a generator that has not
 * begun.
 */
function discard(body: AsyncIterable<Buffer>): void {
  const chunks = body[Symbol.asyncIterator]();
  chunks.next().then(
    () => chunks.return?.(),
    () => {},
  );
}

function headersFor(
  call: Call,
  upstream: UpstreamConfig,
  key: string | undefined,
  request: UpstreamRequest,
): string[] {
  return requestHeaders(upstream, key, [
    ["content-type", request.contentType ?? "application/json"],
    ["accept-encoding", "identity"],
    ["x-sallyport-via", viaHeader(call.request.headers, call.services.instanceId)],
    ["accept", call.stream ? "text/event-stream" : "application/json"],
    ...traceHeaders(call),
    ...Object.entries(request.headers ?? {}),
  ]);
}

/** Returns the trace context of the attempt, or the client's. https://www.w3.org/TR/trace-context/ */
function traceHeaders({ request, observation }: Call): [name: string, value: string][] {
  const { tracestate } = request.headers;
  const traceparent = observation?.trace?.traceparent() ?? request.headers["traceparent"]?.toString();
  if (traceparent === undefined) return [];
  return [
    ["traceparent", traceparent],
    ...(tracestate ? [["tracestate", String(tracestate)] as [string, string]] : []),
  ];
}

function plainHeaders(headers: ReceivedResponse["headers"]): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) plain[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return plain;
}

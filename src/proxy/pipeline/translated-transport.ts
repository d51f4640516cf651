import type { UpstreamConfig } from "../../config/proxy/config.ts";
import { AppError } from "../../errors.ts";
import { getProfile } from "../dialects/index.ts";
import type { UpstreamDialect } from "../exchange/parts.ts";
import type { Attempt, AttemptOutcome } from "../routing/attempts.ts";
import { withOverflow, withResponsePause } from "../routing/retry-after.ts";
import type { Target, Targets } from "../routing/select-targets.ts";
import type { SendAllUpstream, SendUpstream, UpstreamRequest } from "../translate/translate-call.ts";
import { sendTo } from "../upstream/clients.ts";
import type { CancelSignal } from "../upstream/relay-task.ts";
import { fixedVersion, requestHeaders, viaHeader } from "../upstream/request-headers.ts";
import type { ReceivedResponse } from "../upstream/send.ts";
import { clientDisconnected, REDIRECTED } from "../upstream/upstream-errors.ts";
import { reserveCalls, runAttempts } from "./attempt-loop.ts";
import type { Call } from "./call.ts";
import type { UpstreamHold } from "./call-limits.ts";
import type { ClientResponse } from "./client-response.ts";
import type { CalledOperation } from "./operation-path.ts";
import { SeparateResponses, type TargetUsage } from "./separate-responses.ts";

/** Sends the requests of one translated call. */
export interface Transport {
  /** Sends a translated request. Resolves with undefined if the call continues at the remaining targets. */
  readonly send: SendUpstream;
  /** Sends several translated requests at once. */
  readonly sendAll: SendAllUpstream;
  /**
   * Returns the usage of the responses to `sendAll`, added up for each target. First reads the rest of the responses,
   * unless they are streams, for half a second at most.
   */
  readonly countSeparate: () => Promise<readonly TargetUsage[]>;
  /** Returns whether a response to `sendAll` is from an upstream other than the call's last one. */
  readonly isDivided: () => boolean;
  /** Returns the targets at which the call continues; undefined if it does not. */
  readonly remaining: () => Targets | undefined;
}

/** Describes a translated call to its transport. */
export interface TranslatedRequest {
  /** The upstream's dialect. */
  readonly dialect: UpstreamDialect;
  readonly operation: CalledOperation["operation"];
  /** The client's JSON, from which input tokens are estimated; undefined for a form. */
  readonly body: Buffer | undefined;
}

/** Returns functions that send translated requests with the upstream's credentials and configured headers. */
export function createTransport(
  call: Call,
  targets: Targets,
  response: ClientResponse,
  { dialect, operation, body: clientBody }: TranslatedRequest,
): Transport {
  const [first] = targets;
  let remaining: Targets | undefined;
  let separate: SeparateResponses | undefined;
  const suits = ({ upstream, model }: Target) =>
    model === first.model &&
    upstream.dialect === first.upstream.dialect &&
    fixedVersion(upstream) === fixedVersion(first.upstream);
  const readSeparate = async () => {
    if (operation !== "generate" || !call.stream) await separate?.read();
  };
  const sendAt = async (from: Targets, request: UpstreamRequest, hold?: UpstreamHold) => {
    let target: Target = from[0];
    const result = await runAttempts<Outcome>(call, from, {
      send(attempt) {
        target = attempt;
        return sendOnce(call, attempt, request, response.signal);
      },
      isRepeatable: () => true,
      suits,
      discard: (outcome) => {
        if (outcome.kind === "refused") discard(outcome.body);
      },
      signal: () => response.signal,
      hold,
    });
    if (result.kind === "fallback") {
      if (remaining === undefined) {
        remaining = result.targets;
        // The vendor charges for responses that have begun.
        await readSeparate();
      }
      // Aborts the other requests of this call, which are no longer needed.
      response.release();
      return undefined;
    }
    const outcome: Outcome =
      result.kind === "done" ? result.outcome : { kind: "failed", error: clientDisconnected() };
    if (outcome.kind === "failed") {
      if (remaining) return undefined;
      throw outcome.error;
    }
    const { status, headers, body } = outcome;
    const observed = separate !== undefined && status < 400 ? separate.observe(body, target) : body;
    return remaining ? undefined : { status, headers: plainHeaders(headers), body: observed };
  };
  const sendAll: SendAllUpstream = async (requests) => {
    const [single, ...others] = requests;
    if (single !== undefined && others.length === 0) {
      const only = await sendAt(targets, single);
      return only && [only];
    }
    const reserved = await reserveCalls(call, targets, requests.length, suits);
    if (reserved.kind === "fallback") {
      remaining = reserved.targets;
      return undefined;
    }
    separate = new SeparateResponses(getProfile(dialect).response);
    const results = await Promise.allSettled(
      requests.map((request, index) => sendAt(reserved.targets, request, reserved.holds[index])),
    );
    if (remaining) return undefined;
    const responses = results.flatMap((result) =>
      result.status === "fulfilled" ? (result.value ?? []) : [],
    );
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    const refused = responses.find(({ status }) => status >= 400);
    return refused === undefined ? responses : [refused];
  };
  return {
    send: (request) => sendAt(targets, request),
    sendAll,
    async countSeparate() {
      await readSeparate();
      return separate?.usages(clientBody) ?? [];
    },
    isDivided: () => separate?.isElsewhere(call.upstream) === true,
    remaining: () => remaining,
  };
}

type Outcome =
  | Extract<AttemptOutcome, { kind: "failed" }>
  | ({ readonly kind: "completed" } & ReceivedResponse)
  | ({ readonly kind: "refused"; readonly pauseInBody: number | undefined } & ReceivedResponse);

async function sendOnce(
  call: Call,
  { upstream, key }: Attempt,
  request: UpstreamRequest,
  signal: CancelSignal,
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

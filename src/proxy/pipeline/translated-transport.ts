import type { UpstreamConfig } from "../../config/proxy/config.ts";
import { AppError } from "../../errors.ts";
import { nextTry, placesFrom, planTries, type Try, takesTheSame } from "../routing/attempts.ts";
import { withPauseOfReply } from "../routing/pause-in-body.ts";
import type { Tried } from "../routing/retry-after.ts";
import type { Places } from "../routing/select-targets.ts";
import type { SendUpstream, UpstreamRequest } from "../translate/translate-call.ts";
import { sendTo } from "../upstream/clients.ts";
import { clientGone } from "../upstream/upstream-errors.ts";
import { requestHeaders, viaHeader } from "../upstream/request-headers.ts";
import type { Departure, ReceivedReply } from "../upstream/send.ts";
import { beginAttempt, endAttempt } from "./attempt-record.ts";
import { type Call, tryNeedsOf } from "./call.ts";
import { OtherLane } from "./other-lane.ts";

/**
 * Sends translated requests for a call with our credentials and the configured headers. What fails or is refused is
 * tried again as in the native lane (`tries.ts`), as long as a place takes the request that was made for the first
 * one: has its dialect and model. Throws `OtherLane` where the next one does not.
 */
export function translatedSender(call: Call, places: Places, signal: Departure): SendUpstream {
  return async (request) => {
    const needs = tryNeedsOf(call);
    for (let tries: Try = planTries(places, needs); ; ) {
      call.upstream = tries.upstream;
      const attempt = beginAttempt(call, tries);
      const tried = await tryOnce(call, tries, request, signal);
      endAttempt(attempt, tried.kind === "failed" ? tried : { status: tried.status });
      needs.rests.learn(tries, tried);
      const next = signal.aborted ? undefined : nextTry(tries, tried);
      if (next === undefined) {
        if (tried.kind === "failed") throw tried.fault;
        return { status: tried.status, headers: plainHeaders(tried.headers), body: tried.body };
      }
      if (tried.kind === "refused") leave(tried.body);
      if (next.delayMs > 0) await pause(next.delayMs, signal);
      call.retries += 1;
      if (!takesTheSame(next, tries)) throw new OtherLane(placesFrom(next));
      tries = next;
    }
  };
}

type Attempt =
  | Extract<Tried, { kind: "failed" }>
  | ({ readonly kind: "answered" } & ReceivedReply)
  | ({ readonly kind: "refused"; readonly pauseInBody: number | undefined } & ReceivedReply);

async function tryOnce(
  call: Call,
  { upstream, key }: Try,
  request: UpstreamRequest,
  signal: Departure,
): Promise<Attempt> {
  try {
    const reply = await sendTo(call.services.pools, upstream, {
      method: request.method,
      path: request.path,
      headers: headersFor(call, upstream, key, request),
      body: request.method === "GET" ? null : request.body,
      signal,
    });
    if (call.firstByteAt === 0) call.firstByteAt = performance.now();
    if (reply.status >= 300 && reply.status < 400)
      throw new AppError(
        "upstream_invalid",
        `The upstream ${upstream.name} wants to redirect, which is not followed`,
      );
    if (reply.status < 400) return { kind: "answered", ...reply };
    return { kind: "refused", ...(await withPauseOfReply(reply)) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { kind: "failed", fault: error };
  }
}

/** Leaves an answer that nobody will read; a body that was never begun would not notice. */
function leave(body: AsyncIterable<Buffer>): void {
  const chunks = body[Symbol.asyncIterator]();
  chunks.next().then(
    () => chunks.return?.(),
    () => {},
  );
}

function pause(milliseconds: number, signal: Departure): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer);
      reject(clientGone());
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", leave);
      resolve();
    }, milliseconds);
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave);
  });
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
    ["x-sallyport-via", viaHeader(call.request.headers, call.services.via)],
    ["accept", call.stream ? "text/event-stream" : "application/json"],
    ...Object.entries(request.headers ?? {}),
  ]);
}

function plainHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) plain[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return plain;
}

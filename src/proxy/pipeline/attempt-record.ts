import type { AppError } from "../../errors.ts";
import type { AttemptRecord } from "../observability/request-log.ts";
import type { Try } from "../routing/attempts.ts";
import type { Call } from "./call.ts";

/** One attempt of a call, while it runs. */
export type OpenAttempt = { -readonly [Name in keyof AttemptRecord]: AttemptRecord[Name] };

/** Notes that an upstream is asked, `last.delayMs` after the attempt before. */
export function beginAttempt(call: Call, { upstream, key, delayMs }: Try): OpenAttempt {
  const attempt: OpenAttempt = {
    upstream: upstream.name,
    // Keys are named by their position, counted from 1.
    key: key !== undefined && upstream.keys.length > 1 ? upstream.keys.indexOf(key) + 1 : undefined,
    status: undefined,
    errorCode: undefined,
    waitMs: Math.round(delayMs),
    ms: performance.now(),
  };
  call.attempts.push(attempt);
  return attempt;
}

/** What came of an attempt: a status, a failure, or neither where the client left. */
export interface AttemptOutcome {
  readonly status?: number | undefined;
  readonly fault?: AppError | undefined;
}

/** Notes how an attempt ended. */
export function endAttempt(attempt: OpenAttempt, { status, fault }: AttemptOutcome): void {
  attempt.ms = Math.round(performance.now() - attempt.ms);
  attempt.status = status;
  attempt.errorCode =
    fault?.code ?? (status === undefined ? "client_gone" : status >= 400 ? "upstream_error" : undefined);
}

/** A call that was refused before any upstream was asked is booked on none. */
export function forgetUnasked(call: Call): void {
  if (call.attempts.length > 0 || call.upstream?.dialect === "any") return;
  call.upstream = undefined;
  call.upstreamModel = undefined;
}

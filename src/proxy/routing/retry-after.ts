import type { IncomingHttpHeaders } from "node:http";
import { decodeBody } from "../body/content-coding.ts";
import { readUpTo } from "../body/read-whole.ts";
import {
  canBeContextOverflow,
  isContextOverflow,
  parseRetryAfter,
  type RetryAfterHeaders,
} from "../exchange/error-status.ts";
import type { ReceivedResponse } from "../upstream/send.ts";

/** Matches `google.rpc.RetryInfo` in an error's details: a duration such as `34.4s`. https://google.aip.dev/193 */
const RETRY_DELAY = /"retryDelay"\s*:\s*"(\d{1,9}(?:\.\d+)?)s"/;

/** Statuses of errors whose body can request a pause. */
const TEMPORARY = new Set([429, 503]);

/** Maximum bytes of an error's body that are read. */
const MAX_BYTES = 1024 * 1024;

/** The retry hints of an upstream's error response. */
export interface RetryHints {
  readonly headers: RetryAfterHeaders;
  /** Milliseconds to wait, as given in the body. */
  readonly pauseInBody?: number | undefined;
}

/** Returns the milliseconds to wait that a response requests, in its headers or else in its body. */
export function requestedPause({ headers, pauseInBody }: RetryHints, now?: number): number | undefined {
  return parseRetryAfter(headers, now) ?? pauseInBody;
}

interface Refusal {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

type WithPause<Refused> = Refused & { readonly pauseInBody: number | undefined };

/** Adds the pause that an error's body requests, because Google's errors have no `retry-after`. */
export async function withPauseInBody<Refused extends Refusal>(
  refusal: Refused,
): Promise<WithPause<Refused>> {
  const { status, headers, body } = refusal;
  return { ...refusal, pauseInBody: await pauseInBody(status, body, headers["content-encoding"]) };
}

/**
 * Adds the pause that the body of an unread response requests. With the status 429 or 503, the returned body has only
 * the bytes that were read, about 1 MiB at most.
 */
export async function withResponsePause<Received extends ReceivedResponse>(
  response: Received,
): Promise<WithPause<Received>> {
  if (!TEMPORARY.has(response.status)) return { ...response, pauseInBody: undefined };
  const bytes = await readUpTo(response.body, MAX_BYTES);
  return {
    ...response,
    body: yieldOnce(bytes),
    pauseInBody: await pauseInBody(response.status, bytes, undefined),
  };
}

/** Returns whether an error means that the prompt exceeds the model's context window. */
export async function isOverflow(status: number, body: Buffer, coding: string | undefined): Promise<boolean> {
  if (!canBeContextOverflow(status)) return false;
  try {
    return isContextOverflow(status, (await decodeBody(body, coding, MAX_BYTES)).toString("utf8"));
  } catch {
    // The content coding is unknown, the body does not match it, or the decoded body is larger than 1 MiB.
    return false;
  }
}

/**
 * Adds the result of `isOverflow` to a response whose body has not been read. With the status 400 or 413, the returned
 * body has only the bytes that were read, about 1 MiB at most.
 */
export async function withOverflow<Received extends ReceivedResponse>(
  response: Received,
): Promise<Received & { readonly isOverflow: boolean }> {
  if (!canBeContextOverflow(response.status)) return { ...response, isOverflow: false };
  const bytes = await readUpTo(response.body, MAX_BYTES);
  return {
    ...response,
    body: yieldOnce(bytes),
    isOverflow: await isOverflow(response.status, bytes, undefined),
  };
}

async function pauseInBody(
  status: number,
  body: Buffer,
  coding: string | undefined,
): Promise<number | undefined> {
  if (!TEMPORARY.has(status)) return undefined;
  try {
    const text = (await decodeBody(body, coding, MAX_BYTES)).toString("utf8");
    const seconds = RETRY_DELAY.exec(text)?.[1];
    return seconds === undefined ? undefined : Number(seconds) * 1000;
  } catch {
    // The content coding is unknown, the body does not match it, or the decoded body is larger than 1 MiB.
    return undefined;
  }
}

async function* yieldOnce(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

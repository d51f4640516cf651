import type { IncomingHttpHeaders } from "node:http";
import { decodeBody } from "../body/content-coding.ts";
import { readAtMost } from "../body/read-whole.ts";
import { parseRetryAfter, type RetryAfterHeaders } from "../exchange/error-status.ts";
import type { ReceivedResponse } from "../upstream/send.ts";

/** `google.rpc.RetryInfo` among the details of an error: a duration such as `34.4s`. https://google.aip.dev/193 */
const RETRY_DELAY = /"retryDelay"\s*:\s*"(\d{1,9}(?:\.\d+)?)s"/;

/** Statuses of an upstream that is unavailable for a while. */
const TEMPORARY = new Set([429, 503]);

/** Of an error's body. */
const MAX_BYTES = 1024 * 1024;

/** What an upstream's refusal says about trying again. */
export interface RetryHints {
  readonly headers: RetryAfterHeaders;
  /** Milliseconds, from the body. */
  readonly pauseInBody?: number | undefined;
}

/** Returns the milliseconds that a refusal asks for, in its headers or else in its body. */
export function requestedPause({ headers, pauseInBody }: RetryHints, now?: number): number | undefined {
  return parseRetryAfter(headers, now) ?? pauseInBody;
}

interface Refusal {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

type WithPause<Refused> = Refused & { readonly pauseInBody: number | undefined };

/** Returns a refusal with the pause that its body asks for; Google's errors have no `retry-after`. */
export async function withPauseInBody<Refused extends Refusal>(
  refusal: Refused,
): Promise<WithPause<Refused>> {
  const { status, headers, body } = refusal;
  return { ...refusal, pauseInBody: await pauseInBody(status, body, headers["content-encoding"]) };
}

/** The same for a response whose body is still to be read; it can be read again. */
export async function withPauseOfResponse<Received extends ReceivedResponse>(
  response: Received,
): Promise<WithPause<Received>> {
  if (!TEMPORARY.has(response.status)) return { ...response, pauseInBody: undefined };
  const bytes = await readAtMost(response.body, MAX_BYTES);
  return {
    ...response,
    body: yieldOnce(bytes),
    pauseInBody: await pauseInBody(response.status, bytes, undefined),
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
    // In a coding that nobody can read.
    return undefined;
  }
}

async function* yieldOnce(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

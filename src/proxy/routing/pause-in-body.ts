import type { IncomingHttpHeaders } from "node:http";
import { decodeBody } from "../body/content-coding.ts";
import { type ReceivedReply, readBytes } from "../upstream/send.ts";

/** `google.rpc.RetryInfo` among the details of an error: a duration such as `34.4s`. https://google.aip.dev/193 */
const RETRY_DELAY = /"retryDelay"\s*:\s*"(\d{1,9}(?:\.\d+)?)s"/;

/** What refuses for a while. */
const PASSING = new Set([429, 503]);

/** Of an error's body. */
const MOST_BYTES = 1024 * 1024;

interface Refusal {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The same refusal with the milliseconds that its body asks for, as Google's do: they have no `retry-after`. */
export async function withPause<Refused extends Refusal>(
  refusal: Refused,
): Promise<Refused & { readonly pauseInBody: number | undefined }> {
  const { status, headers, body } = refusal;
  return { ...refusal, pauseInBody: await pauseIn(status, body, headers["content-encoding"]) };
}

/** The same for a reply that is still to be read; what was read of it is there to be read again. */
export async function withPauseOfReply<Reply extends ReceivedReply>(
  reply: Reply,
): Promise<Reply & { readonly pauseInBody: number | undefined }> {
  if (!PASSING.has(reply.status)) return { ...reply, pauseInBody: undefined };
  const bytes = await readBytes(reply.body, MOST_BYTES);
  return { ...reply, body: again(bytes), pauseInBody: await pauseIn(reply.status, bytes, undefined) };
}

async function pauseIn(
  status: number,
  body: Buffer,
  coding: string | undefined,
): Promise<number | undefined> {
  if (!PASSING.has(status)) return undefined;
  try {
    const text = (await decodeBody(body, coding, MOST_BYTES)).toString("utf8");
    const seconds = RETRY_DELAY.exec(text)?.[1];
    return seconds === undefined ? undefined : Number(seconds) * 1000;
  } catch {
    // In a coding that nobody can read.
    return undefined;
  }
}

async function* again(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

import { request as httpRequest, type IncomingMessage } from "node:http";
import { AppError } from "../../../errors.ts";
import type { RunningReview } from "../../../review/live/running-files.ts";

export interface ReviewCall {
  readonly method: "GET" | "POST" | "PATCH";
  readonly path: string;
  readonly body?: object;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls a review of this machine with its token. Throws `usage` if the call is invalid, `review_ended` if the process
 * of the review has ended or is ending, and `internal` for any other error.
 */
export async function callReview(review: RunningReview, call: ReviewCall): Promise<unknown> {
  const response = await openCall(review, call);
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response) chunks.push(chunk);
  } catch (cause) {
    throw reviewEnded(review, cause);
  }
  return parseResponse(review, response, Buffer.concat(chunks).toString());
}

/** Sends a call and resolves to the response as soon as its headers have arrived. Throws `review_ended`. */
export function openCall(review: RunningReview, call: ReviewCall): Promise<IncomingMessage> {
  const payload = JSON.stringify(call.body ?? {});
  const hasBody = call.method !== "GET";
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: "127.0.0.1",
        port: review.port,
        method: call.method,
        path: call.path,
        agent: false,
        signal: call.signal,
        headers: {
          authorization: `Bearer ${review.token}`,
          host: `localhost:${review.port}`,
          ...(hasBody
            ? { "content-type": "application/json", "content-length": Buffer.byteLength(payload) }
            : {}),
        },
      },
      resolve,
    );
    request.on("error", (cause) => reject(reviewEnded(review, cause)));
    request.end(hasBody ? payload : undefined);
  });
}

/** Returns the author of the messages that an agent sends; undefined if the agent gave no name. */
export function toAuthor(name: string | undefined): object | undefined {
  return name === undefined ? undefined : { kind: "agent", name };
}

/**
 * HTTP statuses of errors that the caller made: an invalid or too large request, an unknown id, or a review that is
 * already decided.
 */
const CALLERS_ERRORS = new Set([400, 404, 409, 413]);

/**
 * Returns the JSON of a response. Throws `usage` with the server's message if the caller made an error, `review_ended`
 * if the server is closing, and `internal` for any other error.
 */
export function parseResponse(
  review: RunningReview,
  { statusCode = 500 }: IncomingMessage,
  text: string,
): unknown {
  // Fastify responds with this status while it closes.
  if (statusCode === 503) throw reviewEnded(review);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new AppError("internal", "The review returned a response that is not JSON", { cause });
  }
  if (statusCode < 400) return value;
  const isReport = typeof value === "object" && value !== null && "error" in value;
  const message = isReport ? String((value as { error: unknown }).error) : `status ${statusCode}`;
  throw new AppError(CALLERS_ERRORS.has(statusCode) ? "usage" : "internal", message);
}

/** Returns the error of a review that ended before it responded. */
export function reviewEnded({ id }: RunningReview, cause?: unknown): AppError {
  return new AppError("review_ended", `The review ${id} ended unexpectedly`, {
    cause,
    hint: "Nothing is lost: start the next one with --live, or run: sallyport review list",
  });
}

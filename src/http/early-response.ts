import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";

/** Maximum time for which the rest of a request is read after its response, in milliseconds. */
const TIMEOUT_MS = 10_000;

/**
 * Ends a response, whose headers are written, to a request whose body may still be arriving. The rest of the body is
 * read and discarded before the connection is closed: otherwise the connection would be reset and the client could
 * lose the response (RFC 9112, section 9.6).
 */
export function endEarly(request: IncomingMessage, response: ServerResponse, body: string): void {
  if (!isComing(request)) {
    response.end(body);
    return;
  }
  response.write(body);
  void waitForRequestEnd(request).then(() => response.end());
}

/** Sends JSON like `endEarly`, for a Fastify reply with status and headers; then closes the connection. */
export function sendEarly(reply: FastifyReply, body: string): FastifyReply {
  const request = reply.request.raw;
  reply.header("connection", "close").header("content-type", "application/json; charset=utf-8");
  if (!isComing(request)) return reply.send(body);
  reply.header("content-length", Buffer.byteLength(body));
  return reply.send(Readable.from(thenDrained(request, body)));
}

function isComing({ headers, complete, readableEnded, destroyed }: IncomingMessage): boolean {
  const isDeclared = (headers["content-length"] ?? "0") !== "0" || headers["transfer-encoding"] !== undefined;
  return isDeclared && !complete && !readableEnded && !destroyed;
}

async function* thenDrained(request: IncomingMessage, body: string): AsyncGenerator<string> {
  yield body;
  // Checked again: the request may have ended in the meantime, and emits the event only once.
  if (isComing(request)) await waitForRequestEnd(request);
}

/** Resolves when the request is complete, the client has disconnected, or the time limit has passed. */
function waitForRequestEnd(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, TIMEOUT_MS);
    request.once("end", end).once("close", end).resume();
  });
}

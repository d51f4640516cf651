import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";

/** Milliseconds for which a client is heard out that goes on sending after it has its answer. */
const PATIENCE_MS = 10_000;

/**
 * Ends the answer, whose head is written, to a request whose body may still be on its way and is not wanted. What comes of it
 * is read and thrown away before the connection is closed: it would be reset otherwise, and the answer, which says why, be
 * lost with it (RFC 9112, section 9.6).
 */
export function endEarly(request: IncomingMessage, response: ServerResponse, body: string): void {
  if (!isComing(request)) {
    response.end(body);
    return;
  }
  response.write(body);
  void heardOut(request).then(() => response.end());
}

/** The same for a reply of Fastify's that has its status and headers: JSON, after which the connection is closed. */
export function sendEarly(reply: FastifyReply, body: string): FastifyReply {
  const request = reply.request.raw;
  reply.header("connection", "close").header("content-type", "application/json; charset=utf-8");
  if (!isComing(request)) return reply.send(body);
  reply.header("content-length", Buffer.byteLength(body));
  return reply.send(Readable.from(thenHeardOut(request, body)));
}

function isComing({ headers, complete, readableEnded, destroyed }: IncomingMessage): boolean {
  const isAnnounced =
    (headers["content-length"] ?? "0") !== "0" || headers["transfer-encoding"] !== undefined;
  return isAnnounced && !complete && !readableEnded && !destroyed;
}

async function* thenHeardOut(request: IncomingMessage, body: string): AsyncGenerator<string> {
  yield body;
  // Asked again: it may have come to its end while the answer was on its way, and tells of that only once.
  if (isComing(request)) await heardOut(request);
}

/** Resolves when the request has come whole, the client has left, or this has taken too long. */
function heardOut(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(patience);
      resolve();
    };
    const patience = setTimeout(end, PATIENCE_MS);
    request.once("end", end).once("close", end).resume();
  });
}
